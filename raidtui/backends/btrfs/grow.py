"""Let a mounted Btrfs grow: by devices, into larger ones, or to another profile: btrfs-device(8), btrfs-balance(8)."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.btrfs.conditions import CLEAN, DEVICE_IN, STATE
from raidtui.backends.btrfs.grow_conditions import DEVICE_SIZE, FITS, PROFILE
from raidtui.backends.btrfs.mending import LONGEST_SECONDS, scrub, wait_for_balance
from raidtui.backends.btrfs.replace import BtrfsNeed
from raidtui.backends.btrfs.shapes import (
    Found,
    find,
    larger_sizes,
    metadata_for,
    new_bytes,
    shapes_of,
    space,
    why_no_disks,
    why_no_profile,
)
from raidtui.backends.btrfs.space import PROFILES
from raidtui.backends.growing import Grower, Grown, Shape
from raidtui.backends.replacing import Naming
from raidtui.backends.room import widened, wider_partitions
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Run, Step, member_step, proof_step
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import MIB
from raidtui.steps.partitions import LINUX_FILESYSTEM


class BtrfsGrower(Grower):
    """btrfs-progs."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        return tuple(shapes_of(unit, machine))

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        """What the filesystem becomes. Nothing is on it that would have to grow too."""
        found = _checked(order, unit, machine)
        return Grown(
            need=BtrfsNeed(
                unit=unit,
                places=found.places,
                present=tuple(one.disk for one in found.places),
                least=256 * MIB,
                partition_type=LINUX_FILESYSTEM,
                devid="",
                profiles=(found.profile, found.metadata),
            ),
            unit_bytes=_size(order, found, machine),
            device=unit.path,
            within=True,
            disks=tuple(widened(found.places)) if order.to_largest else (),
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Add the devices and balance; or enlarge them; or convert the chunks."""
        found, name = _checked(order, unit, machine), harmless(unit.name)
        if order.to_largest:
            return [*wider_partitions(found.places), *_resized(found, name)]
        if order.level:
            data, metadata = order.level, metadata_for(found, order.level)
            filters = (f"-dconvert={data},soft", f"-mconvert={metadata},soft")
            return [
                _balance(
                    found,
                    filters,
                    f"Convert the chunks of {name} to {spelled(data)}, metadata to {spelled(metadata)}",
                    PROFILE.of(unit.uuid, f"{data} {metadata}"),
                )
            ]
        steps = [_add(found, naming, name) for naming in new]
        if found.profile != "single":
            size = _size(order, found, machine)
            steps.append(
                _balance(
                    found,
                    ("--full-balance",),
                    f"Spread the data of {name} over all of its devices",
                    _fits(unit, found.profile, size),
                )
            )
        return steps

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """What fits into it, and no device with an error."""
        return (
            _fits(unit, order.level or unit.level, grown.unit_bytes),
            STATE.of(unit.uuid, CLEAN),
        )

    def last(self, unit: Unit) -> list[Step]:
        """A scrub, which must count no error."""
        name = harmless(unit.name)
        return [
            scrub(name, unit.mountpoints[-1]),
            proof_step(
                id="clean",
                title=f"Check that no error was found in {name}",
                reason="The scrub read every copy.",
                after=(STATE.of(unit.uuid, CLEAN),),
            ),
        ]


def _checked(order: Grow, unit: Unit, machine: Machine) -> Found:
    """The filesystem, if it can grow so now. Raises Refused: it cannot."""
    added, name = len(order.add), harmless(unit.name)
    if bool(added) + order.to_largest + bool(order.level) != 1 or len(set(order.add)) != added:
        raise Refused(
            "a Btrfs grows by disks, each named once, or into its larger members, or to another profile"
        )
    try:
        found = find(unit, machine)
    except Refused as error:
        raise Refused(f"{name} cannot grow: {error}") from None
    if order.level and (why := why_no_profile(found, order.level)):
        raise Refused(f"{name} cannot become {spelled(order.level)}: {why}")
    if order.add and (why := why_no_disks(found, added)):
        raise Refused(f"{name} does not take {count_of(added, 'further disk')}: {why}")
    if order.to_largest and space(found, larger_sizes(found)) <= space(found, found.sizes):
        raise Refused(f"{name} already uses all that its members have; replace them by larger disks first")
    return found


def _size(order: Grow, found: Found, machine: Machine) -> int:
    """The capacity afterwards."""
    if order.to_largest:
        return space(found, larger_sizes(found))
    if order.level:
        return space(found, found.sizes, order.level, metadata_for(found, order.level))
    more = (new_bytes(found, machine.disk(one)) for one in order.add)
    return space(found, (*found.sizes, *more))


def _fits(unit: Unit, profile: str, size: int) -> Check:
    return FITS.of(unit.mountpoints[-1], f"{unit.uuid} {PROFILES[profile].copies} {size}")


def _add(found: Found, naming: Naming, name: str) -> Step:
    return member_step(
        id=f"add{naming.suffix}",
        title=f"Add {naming.new} to {name}",
        reason="New chunks use it at once.",
        actions=(Run(argv=("btrfs", "device", "add", naming.device, found.place), timeout_seconds=600),),
        before=naming.ready,
        after=(DEVICE_IN.of(naming.device, f"{found.filesystem.uuid} member"),),
        holds=(naming.whole,),
    )


def _balance(found: Found, filters: Sequence[str], title: str, after: Check) -> Step:
    uuid, place = found.filesystem.uuid, found.place
    return member_step(
        id="balance",
        title=title,
        reason="It can be used meanwhile. The kernel resumes a balance after a power cut, once it is mounted.",
        actions=(Run(argv=("btrfs", "balance", "start", *filters, place), timeout_seconds=LONGEST_SECONDS),),
        after=(after,),
        repair=(wait_for_balance(uuid, place),),
        as_long_as="reading and writing the whole filesystem",
    )


def _resized(found: Found, name: str) -> Iterator[Step]:
    uuid = found.filesystem.uuid
    for device, size in zip(found.filesystem.devices, larger_sizes(found), strict=True):
        if size <= device.size_bytes:
            continue
        yield member_step(
            id=f"resize-{device.devid}",
            title=f"Let {name} use all of devid {device.devid}",
            reason="Nothing moves, and it stays mounted.",
            actions=(Run(argv=("btrfs", "filesystem", "resize", f"{device.devid}:max", found.place)),),
            after=(DEVICE_SIZE.of(found.place, f"{uuid} {device.devid} {size}"),),
        )


GROWER: Final = BtrfsGrower()
