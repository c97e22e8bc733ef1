"""Replace a device of a mounted Btrfs with btrfs-replace(8), then convert the chunks that it leaves without a copy.

A replacement after a degraded mount makes chunks with the profile single, and everything still says that it is well.
So the balance and the scrub belong to it; without them it is not done.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.btrfs.conditions import DEVICE_IN, DEVICE_OUT, REDUNDANT
from raidtui.backends.btrfs.mending import LONGEST_SECONDS, balance, profiles_of, scrub
from raidtui.backends.btrfs.reading import TYPE, Device, Filesystem, reading_in
from raidtui.backends.btrfs.space import PROFILES
from raidtui.backends.btrfs.units import is_lost, left_in, strongest, units_of
from raidtui.backends.care import Place, places_at
from raidtui.backends.replacing import Naming, Need
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Check, Role, Run, Step, Undo
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import KIB
from raidtui.model.uuids import same_uuid
from raidtui.steps.devices import BLANK, FORGOTTEN, PRESENT, UNCLAIMED
from raidtui.steps.partitions import LINUX_FILESYSTEM


class BtrfsReplacer:
    """btrfs-progs."""

    def needs(
        self, disk: str, old: Disk | None, missing_from: tuple[str, ...], machine: Machine
    ) -> tuple[Need, ...]:
        """The filesystems with a device on the disk, or that miss one that was on it."""
        reading = reading_in(machine)
        if reading is None:
            return ()
        units = {unit.uuid: unit for unit in units_of(machine)}
        return tuple(
            need
            for found in reading.filesystems
            for need in _needs(units[found.uuid], found, disk, old, missing_from, machine)
        )

    def steps(self, need: Need, naming: Naming) -> list[Step]:
        """Replace, balance, scrub."""
        place, uuid = need.unit.mountpoints[-1], need.unit.uuid
        devid, data, metadata = need.words
        steps = [
            Step(
                id=f"start{naming.suffix}",
                role=Role.MEMBER,
                title=f"Start to replace devid {devid} of {need.name} with {naming.new}",
                reason="Copies from the old device if it is there and readable, else from the other copies or from parity.",
                actions=(
                    Run(argv=("mount", "-o", "remount,rw", place), ok=(0, 32)),
                    Run(argv=("btrfs", "replace", "start", devid, naming.device, place)),
                ),
                before=tuple(kind.of(naming.device) for kind in (PRESENT, BLANK, UNCLAIMED)),
                after=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
                undoable=Undo.IMPOSSIBLE,
                holds=(naming.whole,),
            ),
            Step(
                id=f"wait{naming.suffix}",
                role=Role.WAIT,
                title=f"Wait until {naming.new} is a device of {need.name}",
                reason="The kernel continues if raidtui ends, and after a reboot once it is mounted.",
                actions=(
                    Run(
                        argv=("btrfs", "replace", "status", place),
                        timeout_seconds=LONGEST_SECONDS,
                        ok=(0, 1),
                    ),
                ),
                before=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
                after=(DEVICE_IN.of(naming.device, f"{uuid} member"),),
                undoable=Undo.IMPOSSIBLE,
                as_long_as="writing the whole new device",
            ),
        ]
        if need.lacks:  # while a device is missing, nothing gets its copies
            return steps
        return [
            *steps,
            balance(need.name, uuid, place, (data, metadata), suffix=naming.suffix),
            scrub(need.name, place, suffix=naming.suffix),
        ]

    def proof(self, need: Need) -> Check:
        """No device missing, and every chunk redundant."""
        return REDUNDANT.of(need.unit.uuid)

    def left(self, need: Need) -> Check:
        """It is not a device of the filesystem."""
        return DEVICE_OUT.of(need.old, need.unit.uuid)

    def forget(self, need: Need) -> tuple[tuple[Run, ...], Check]:
        """Wipe the old device: it may have its magic again, and would be taken for the new one."""
        return (Run(argv=("wipefs", "--all", need.old), ok=(0, 1)),), FORGOTTEN.of(need.old)


def _needs(
    unit: Unit,
    found: Filesystem,
    disk: str,
    old: Disk | None,
    missing_from: tuple[str, ...],
    machine: Machine,
) -> Iterator[Need]:
    own = set(old.every_path) if old is not None else set()
    inside = [one for one in found.devices if one.path in own]
    known = {path for one in found.devices for path in (one.path, *one.alike)}
    marks = old.every_signature if old is not None else ()
    former = next(
        (
            s.device
            for s in marks
            if s.type == TYPE and same_uuid(s.uuid, found.uuid) and s.device not in known
        ),
        "",
    )
    is_lost_there = bool(former) or any(same_uuid(found.uuid, uuid) for uuid in missing_from)
    gone = found.missing if is_lost_there and not inside else ()
    if not inside and not gone:
        return
    name = harmless(unit.name)
    _check(found, unit, inside, name)
    device = inside[0] if inside else gone[0]
    path = device.path or former
    paths = stable_paths(old) if old is not None else {}
    here = {one.identity: one for one in machine.disks}
    yield Need(
        unit=unit,
        left=left_in(found),
        old=paths.get(path, ""),
        old_path=path,
        copied=bool(inside),
        places=tuple(_places(device, found, machine)),
        present=tuple(
            here[one.disk]
            for one in unit.members
            if one.path and one.path != device.path and one.disk in here
        ),
        least=device.size_bytes,
        lacks=max(0, len(found.missing) - 1),
        partition_type=LINUX_FILESYSTEM,
        words=(str(device.devid), *profiles_of(found)),
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
    kept = [strongest(one) for one in (found.data, (*found.metadata, *found.system)) if one]
    if not all(one in PROFILES and PROFILES[one].survives for one in kept):
        raise Refused(f"not all of {name} is redundant ({' and '.join(kept)}); see btrfs-replace(8)")
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


REPLACER: Final = BtrfsReplacer()
