"""Let a volume grow: by further disks, by a further copy, or into all the space that its members have.

LVM writes its metadata of the old and the new size in one go, so a volume has one of them after a power cut; the kernel
syncs the new space by itself and continues after a reboot.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.growing import Grower, Grown, Shape
from raidtui.backends.lvm.care_conditions import EQUAL, VOLUMES
from raidtui.backends.lvm.conditions import LEG_IN_SYNC, USES, VOLUME_WHOLE
from raidtui.backends.lvm.create import ALIGNMENT, Holder, erase_device, make_device
from raidtui.backends.lvm.grow_conditions import VOLUME_IS
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.names import escaped
from raidtui.backends.lvm.replace import LvmNeed
from raidtui.backends.lvm.shapes import (
    Volume,
    counts,
    largest,
    least_member,
    like,
    shapes_of,
    size_with,
    volume_of,
    why_not_larger,
)
from raidtui.backends.lvm.tend import check_step, wait_step
from raidtui.backends.replacing import Naming
from raidtui.backends.room import member_bytes, widened, wider_partitions
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Check, Run, Step, member_step, proof_step
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.unit import Unit
from raidtui.steps.enlarge import FILLS, LVM_READS
from raidtui.steps.enlarge import PHYSICAL_VOLUME as KIND
from raidtui.steps.flush import flushed
from raidtui.steps.partitions import LINUX_LVM

_MINUTES: Final = 1800


class LvmGrower(Grower):
    """lvm2."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        return tuple(shapes_of(unit, machine))

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        """What the volume becomes. Its stripes stay as wide as they are, so nothing changes for the filesystem but its size."""
        found = _checked(order, unit, machine)
        new = [machine.disk(one) for one in order.add]
        return Grown(
            need=LvmNeed(
                unit=unit,
                places=like(found, new),
                present=tuple(one.disk for one in found.places),
                least=least_member(found),
                partition_type=LINUX_LVM,
                volumes=(),
                whole="",
            ),
            unit_bytes=_size(order, found, machine),
            device=found.volume.path,
            disks=tuple(widened(found.places)) if order.to_largest else (),
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Extend the group and the volume; or enlarge the members, then the volume."""
        found, name = _checked(order, unit, machine), harmless(unit.name)
        if order.to_largest:
            steps = [*wider_partitions(found.places), *_wider_members(found, machine)]
        else:
            steps = [_join(found, naming, name, machine) for naming in new]
        if _copies(order, found):
            steps.append(_copy(found, new[0], name, machine))
            after = LEG_IN_SYNC.of(new[0].device, f"{unit.uuid} {found.volume.name}:{found.images + 1}")
        else:
            steps.append(_extend(order, found, new, name, machine))
            after = VOLUME_WHOLE.of(unit.uuid, f"{found.volume.name}:{found.images}")
        if found.redundant:
            wait = wait_step(
                "wait",
                f"Wait until {name} is in sync",
                before=_is(order, found, machine),
                after=after,
                as_long_as="writing the new space of every member",
            )
            size = _size(order, found, machine) - found.volume.size_bytes
            steps.append(
                replace(wait, sync_bytes=size // found.data or found.image * found.group.extent_bytes)
            )
        return steps

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """Its type, images and bytes, no disk with two images, and full redundancy."""
        images = unit.raid_disks + (
            1 if unit.level == "raid1" and len(order.add) == 1 and unit.raid_disks > 1 else 0
        )
        is_it = VOLUME_IS.of(unit.uuid, f"{unit.level} {images} {grown.unit_bytes}")
        return (
            (is_it, VOLUME_WHOLE.of(unit.uuid, f"{unit.path.rpartition('/')[2]}:{images}"))
            if _redundant(unit)
            else (is_it,)
        )

    def last(self, unit: Unit) -> list[Step]:
        """A check, which must find no mismatch."""
        return list(_check(unit)) if _redundant(unit) else []


def _checked(order: Grow, unit: Unit, machine: Machine) -> Volume:
    """The volume, if it can grow so now. Raises Refused: it cannot."""
    added, name = len(order.add), harmless(unit.name)
    if order.level:
        raise Refused(f"{name} keeps its type: another one is not offered for volumes")
    if bool(added) == order.to_largest or len(set(order.add)) != added:
        raise Refused("a volume grows either by disks, each named once, or into its larger members")
    try:
        found = volume_of(unit, machine)
    except Refused as error:
        raise Refused(f"{name} cannot grow: {error}") from None
    if order.to_largest:
        if why := why_not_larger(found):
            raise Refused(f"{name} cannot grow: {why}")
        if largest(found) <= found.volume.size_bytes:
            raise Refused(
                f"{name} already uses all that its smallest member has; replace every member by a larger disk first"
            )
    elif _copies(order, found):
        if found.spans:
            raise Refused(f"{name} cannot grow: its images are on several disks")
    elif found.level != "linear" and added not in counts(found):
        by = count_of(found.images, "disk")
        other = " or by 1 disk as a further copy" if found.level == "raid1" else ""
        raise Refused(
            f"a {spelled(found.level)} volume of {found.images} grows by {by} at once{other}, not by {added}"
        )
    return found


def _copies(order: Grow, found: Volume) -> bool:
    """Whether the new disk holds a further copy."""
    return found.level == "raid1" and len(order.add) == 1


def _size(order: Grow, found: Volume, machine: Machine) -> int:
    """The bytes of the volume afterwards."""
    if order.to_largest:
        return largest(found)
    if _copies(order, found):
        return found.volume.size_bytes
    return size_with(found, [machine.disk(one) for one in order.add])


def _redundant(unit: Unit) -> bool:
    return unit.level in LEVELS and LEVELS[unit.level].redundant


def _is(order: Grow, found: Volume, machine: Machine) -> Check:
    """What it is as soon as LVM has written its metadata."""
    images = found.images + _copies(order, found)
    return VOLUME_IS.of(found.group.uuid, f"{found.level} {images} {_size(order, found, machine)}")


def _flushed(found: Volume, machine: Machine, *new: Naming) -> Run:
    """Flush the metadata of the group on all its disks."""
    stable = stable_in(machine.disks)
    here = (stable.get(one.path, one.path) for one in found.places)
    return flushed(*here, *(one.device for one in new))


def _join(found: Volume, naming: Naming, name: str, machine: Machine) -> Step:
    return member_step(
        id=f"add{naming.suffix}",
        title=f"Add {naming.new} to the volume group {name}",
        reason="It holds no data until the volume is extended onto it.",
        actions=(
            make_device(Holder(device=naming.device, uuid=naming.uuid), ALIGNMENT),
            Run(argv=("vgextend", found.group.name, naming.device)),
            _flushed(found, machine, naming),
        ),
        before=naming.ready,
        after=(USES.of(naming.device, f"{found.group.uuid} group"),),
        # A power cut may leave it marked as used by the group, whose metadata does not name it; no
        # vgextend or pvremove takes such a device.
        repair=erase_device(naming.device),
        holds=(naming.whole,),
    )


def _extend(order: Grow, found: Volume, new: Sequence[Naming], name: str, machine: Machine) -> Step:
    size, whole = _size(order, found, machine), f"{found.group.name}/{found.volume.name}"
    onto = "all of its members" if order.to_largest else count_of(new, "further disk")
    return member_step(
        id="grow",
        title=f"Extend the volume of {name} onto {onto}",
        reason="Nothing moves. The new space is synced, and the volume can be used meanwhile."
        if found.redundant
        else "Nothing moves, and the volume can be used meanwhile.",
        actions=(
            Run(
                argv=(
                    "lvextend",
                    "--yes",
                    "--size",
                    f"{size}b",
                    whole,
                    *(escaped(one.device) for one in new),
                ),
                timeout_seconds=_MINUTES,
            ),
            _flushed(found, machine, *new),
        ),
        before=tuple(USES.of(one.device, f"{found.group.uuid} group") for one in new),
        after=(_is(order, found, machine),),
        holds=tuple(one.whole for one in new),
    )


def _copy(found: Volume, new: Naming, name: str, machine: Machine) -> Step:
    # A power cut in lvconvert leaves the new parts as volumes of their own. No user can give one such a name: lvm(8), VALID NAMES.
    named = found.volume.name.replace(".", "[.]").replace("+", "[+]")
    parts = f'lv_name=~"^{named}_r(image|meta)_[0-9]+$" && lv_role=public'
    whole, images = f"{found.group.name}/{found.volume.name}", found.images + 1
    return member_step(
        id="grow",
        title=f"Let {name} write a copy to {new.new}: {images} copies",
        reason="The kernel copies in the background; the volume can be used meanwhile.",
        actions=(
            Run(
                argv=("lvconvert", "--yes", "--mirrors", str(images - 1), whole, escaped(new.device)),
                timeout_seconds=_MINUTES,
            ),
            _flushed(found, machine, new),
        ),
        before=(USES.of(new.device, f"{found.group.uuid} group"),),
        after=(VOLUME_IS.of(found.group.uuid, f"{found.level} {images} {found.volume.size_bytes}"),),
        repair=(Run(argv=("lvremove", "--yes", "--select", parts, found.group.name), ok=(0, 5)),),
        holds=(new.whole,),
    )


def _wider_members(found: Volume, machine: Machine) -> Iterator[Step]:
    stable = stable_in(machine.disks)
    for number, place in enumerate(found.places, 1):
        device, size = stable.get(place.path, place.path), member_bytes(place)
        yield member_step(
            id=f"resize-{number}",
            title=f"Let LVM use all of {harmless(device.rpartition('/')[2])}",
            reason="The physical volume takes what is new behind it.",
            actions=(Run(argv=("pvresize", device)), _flushed(found, machine)),
            before=(LVM_READS.of(device),),
            after=(FILLS.of(device, f"{KIND} {size}"),),
        )


def _check(unit: Unit) -> Iterator[Step]:
    yield check_step(harmless(unit.name), [unit.path.removeprefix("/dev/")])
    yield proof_step(
        id="compare",
        title=f"Check that {harmless(unit.name)} has no mismatch",
        reason="The check found all copies and parity equal.",
        after=(VOLUMES.of(unit.uuid, EQUAL),),
    )


GROWER: Final = LvmGrower()
