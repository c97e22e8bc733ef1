"""Replace a device of a mounted Btrfs with btrfs-replace(8), then convert the chunks that it leaves without a copy.

A replacement after a degraded mount makes chunks with the profile single, and everything still says that it is well.
So the balance and the scrub belong to it; without them it is not done.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from raidtui.backends.btrfs.conditions import COMPLETE, DEVICE_IN, DEVICE_OUT, MOUNTED, REDUNDANT, STATE
from raidtui.backends.btrfs.fill import full_devices
from raidtui.backends.btrfs.mending import balance, scrub, wait_for_replacement
from raidtui.backends.btrfs.mount_again import mount_again
from raidtui.backends.btrfs.reading import Device, Filesystem, reading_in
from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.space import PROFILES
from raidtui.backends.btrfs.units import is_lost, left_in, units_of, wanted
from raidtui.backends.care import Place, places_at
from raidtui.backends.replacing import Leaving, Naming, Need
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Check, Run, Step, member_step, waiting_step
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import KIB
from raidtui.steps.devices import FORGOTTEN
from raidtui.steps.partitions import LINUX_FILESYSTEM


class BtrfsNeed(Need, frozen=True, kw_only=True):
    """A filesystem."""

    devid: str
    whole: str = ""  # stable path of the whole old disk, if it is copied from
    others: tuple[str, ...] = ()  # stable paths of the devices that stay
    profiles: tuple[str, str]  # that its data, and its metadata and system chunks, should have

    def steps(self, naming: Naming) -> list[Step]:
        """Replace, balance, scrub."""
        place, uuid, devid = self.unit.mountpoints[-1], self.unit.uuid, self.devid
        steps = [
            member_step(
                id=f"start{naming.suffix}",
                title=f"Start to replace devid {devid} of {self.name} with {naming.new}",
                reason="Copies from the old device if it is there and readable, else from the other copies or from parity.",
                actions=(
                    Run(argv=("mount", "-o", "remount,rw", place), ok=(0, 32)),
                    Run(argv=("btrfs", "replace", "start", devid, naming.device, place)),
                ),
                before=(*naming.ready, STATE.of(uuid, MOUNTED)),
                after=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
                activate=(mount_again(uuid, place, new=naming.device, old=self.old, others=self.others),),
                holds=(naming.whole, self.whole) if self.whole else (naming.whole,),
            ),
            waiting_step(
                id=f"wait{naming.suffix}",
                title=f"Wait until {naming.new} is a device of {self.name}",
                reason="The kernel continues if raidtui ends, and after a reboot once it is mounted.",
                actions=(wait_for_replacement(place),),
                before=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
                after=(DEVICE_IN.of(naming.device, f"{uuid} member"),),
                as_long_as="writing the whole new device",
            ),
        ]
        if self.lacks:  # while a device is missing, nothing gets its copies
            return steps
        if not self.bare:
            steps.append(balance(self.name, uuid, place, self.profiles, suffix=naming.suffix))
        return [*steps, scrub(self.name, place, suffix=naming.suffix)]

    def proof(self) -> Check:
        """No device missing, and every chunk redundant, if all were to be."""
        return STATE.of(self.unit.uuid, COMPLETE) if self.bare else REDUNDANT.of(self.unit.uuid)

    def out(self) -> Check:
        """It is not a device of the filesystem."""
        return DEVICE_OUT.of(self.old, self.unit.uuid)

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """Wipe the old device: it may have its magic again, and would be taken for the new one."""
        return (Run(argv=("wipefs", "--all", self.old), ok=(0, 1)),), FORGOTTEN.of(self.old)


def needs(leaving: Leaving) -> Iterator[BtrfsNeed]:
    """The filesystems with a device on the disk, or that miss one that was on it."""
    reading = reading_in(leaving.machine)
    units = {unit.uuid: unit for unit in units_of(leaving.machine)} if reading is not None else {}
    stable = stable_in(leaving.machine.disks)
    for found in reading.filesystems if reading is not None else ():
        unit = units[found.uuid]
        inside = [one for one in found.devices if one.path and leaving.has(one.path)]
        known = {path for one in found.devices for path in (one.path, *one.alike)}
        former = leaving.former(TYPE, found.uuid, known)
        gone = found.missing if not inside and (former or leaving.is_missing_from(found.uuid)) else ()
        if not inside and not gone:
            continue
        _check(found, unit, inside, harmless(unit.name))
        bare = bool(_alone(found))
        device = inside[0] if inside else gone[0]
        path = device.path or former
        yield BtrfsNeed(
            unit=unit,
            left=left_in(found),
            old=leaving.stable(path),
            old_path=path,
            copied=bool(inside),
            places=tuple(_places(device, found, leaving.machine)),
            present=leaving.beside(unit, device.path),
            least=device.size_bytes,
            lacks=max(0, len(found.missing) - 1),
            partition_type=LINUX_FILESYSTEM,
            bare=bare,
            proven_by="No device is missing"
            + ("." if bare else ", and every chunk has the redundancy that it should have."),
            devid=str(device.devid),
            whole=leaving.stable(leaving.old.path) if inside and leaving.old is not None else "",
            others=tuple(
                stable[one.path] for one in found.devices if one is not device and one.path in stable
            ),
            profiles=wanted(found),
        )


def _check(found: Filesystem, unit: Unit, inside: list[Device], name: str) -> None:
    """Check that a device of the filesystem can be replaced now.

    Raises:
        Refused: it is not mounted, busy, lost, or a device is there twice.
    """
    if is_lost(found):
        raise Refused(
            f"some data of {name} is only on the missing disks: connect them; nothing can be rebuilt"
        )
    kept = [one for one in wanted(found) if one]
    if not inside and (alone := _alone(found)):
        raise Refused(f"not all of {name} is redundant ({' and '.join(alone)}): connect the missing disk")
    # While chunks are copied, each is set read-only in turn, and another must take its place: btrfs_inc_block_group_ro() in
    # fs/btrfs/block-group.c. Measured with Linux 6.1: "failed setting block group ro: -28", exit code 0. While a device is
    # missing, a new chunk may be on fewer.
    if full := [] if found.missing else full_devices(found, kept):
        raise Refused(
            f"{listed(full)} of {name} {'have' if len(full) > 1 else 'has'} no unallocated space, and the kernel cancels a replacement "
            "that cannot allocate a chunk. Make room first: move files away, then balance chunks that are partly used "
            "(btrfs-balance(8), usage); or add another disk for the time (btrfs-device(8))"
        )
    if not found.node or not unit.mountpoints:
        degraded = " degraded" if found.missing else ""
        raise Refused(f"{name} is not mounted; mount it{degraded} first, 'raidtui status' shows how")
    if found.running is not None:
        raise Refused(
            f"{name} is busy: {found.running.what}. Wait until that ends; 'raidtui status' shows it"
        )
    if any(one.alike for one in found.devices):
        raise Refused(
            f"two devices have the same superblock of {name}: disconnect the one that does not belong"
        )
    if len(inside) > 1:
        raise Refused(
            f"{name} has {len(inside)} devices on this disk; replace one with btrfs-replace(8) first"
        )
    if inside and found.missing:
        raise Refused(f"{name} already lacks a disk; replace that one first")


def _alone(found: Filesystem) -> list[str]:
    """Those of the profiles it should have that survive the loss of no disk."""
    return [one for one in wanted(found) if one and not (one in PROFILES and PROFILES[one].survives)]


def _places(device: Device, found: Filesystem, machine: Machine) -> Iterator[Place]:
    """Where its devices are, the old one first; each as large as the old one, since nothing smaller is taken."""
    size = -(-device.size_bytes // KIB) * KIB
    others = [one.path for one in found.devices if one.path and one is not device]
    for place in places_at(filter(None, (device.path, *others)), machine):
        part = place.part
        if part is not None:
            least = max(size, part.size_bytes) if place.path == device.path else size
            part = replace(part, size_bytes=least)
        yield Place(place.disk, part)
