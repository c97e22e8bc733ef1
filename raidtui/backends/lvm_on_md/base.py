"""The arrays under a volume group to be built: each resolved for md, and as a physical volume for LVM.

LVM aligns them to md's full stripe by itself; a condition verifies it.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from raidtui.backends.arithmetic.disks import dealt_out
from raidtui.backends.contract import Builder, Built, Resolved
from raidtui.backends.lvm.builder import BUILDER as LVM
from raidtui.backends.lvm.conditions import PHYSICAL_VOLUME
from raidtui.backends.lvm.create import Holder, erase_device, make_device
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm_on_md import conditions
from raidtui.backends.lvm_on_md.conditions import DATA_START
from raidtui.backends.lvm_on_md.levels import dealing_of
from raidtui.backends.lvm_on_md.space import data_start
from raidtui.backends.md.builder import BUILDER as MD
from raidtui.backends.md.create import array_steps, release_members
from raidtui.backends.md.persistence import array_line, boot_steps
from raidtui.backends.resolve import place
from raidtui.model.machine import Machine
from raidtui.model.plan import Role, Step
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.system import System
from raidtui.model.text import count_of
from raidtui.model.units import spell_size
from raidtui.steps.condition import conditions_in
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.ids import unique_ids
from raidtui.steps.mkfs import clear_step
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


class Base(Record, frozen=True, kw_only=True):
    """One array that becomes a physical volume."""

    resolved: Resolved  # of md
    uuid: str
    path: str
    holder: Holder
    data_start_bytes: int  # of the first extent, aligned to a full stripe


def base_of(array: Resolved, *which: str, seed: str) -> Base:
    """An array as a physical volume; its UUIDs are derived from the seed and ``which`` of the arrays it is."""
    path, facts = f"/dev/md/{array.spec.name}", array.facts
    return Base(
        resolved=array,
        uuid=derive(seed, "array", *which),
        path=path,
        holder=Holder(device=path, uuid=derive(seed, "pv", *which)),
        data_start_bytes=data_start(
            array.spec.level,
            len(array.spec.members),
            chunk=facts.chunk_bytes,
            width=facts.stripe_width_bytes,
        ),
    )


def bases_of(resolved: Resolved, machine: Machine, *, seed: str) -> tuple[Base, ...]:
    """The arrays of ``resolved``, in the order of its members, each with an md spec without filesystem."""
    spec = resolved.spec
    dealing = dealing_of(spec.level, len(spec.members), spec.options)
    shares = zip(
        dealing.names(spec.name),
        dealt_out(spec.members, dealing.arrays, "arrays"),
        dealt_out(spec.spares, dealing.arrays, "arrays", of="spare"),
        strict=True,
    )
    found = []
    for number, (name, members, spares) in enumerate(shares, 1):
        array = place(
            replace(
                spec,
                name=name,
                backend=Backend.MDADM,
                level=dealing.level,
                members=tuple(members),
                spares=tuple(spares),
                filesystem=FilesystemSpec(),
                options={},
            ),
            machine,
        )
        found.append(base_of(array, *(() if number == 1 else (str(number),)), seed=seed))
    return tuple(found)


def built_on(
    bases: Sequence[Base], group: Sequence[Step], resolved: Resolved, system: System, *, mark: str, until: str
) -> Built:
    """What is built: the arrays ``bases``, then what LVM makes of them in the steps ``group``.

    Args:
        mark: the mark of the volume group.
        until: until when a disk can be put back as it was.
    """
    spec = resolved.spec
    # Users get the volume, not the arrays.
    arrays = (replace(step, role=Role.PREPARE) for step in arrays_steps(bases, system))
    return Built(
        core=(*unique_ids(arrays), devices_step(bases), *group),
        what="volume group",
        device="volume",
        uuid=mark,
        path=f"/dev/{spec.name}/{VOLUME}",
        uuids=tuple(uuid for one in bases for uuid in (one.uuid, one.holder.uuid)),
        release=tuple(release_members(one.uuid) for one in bases),
        partition_type=LINUX_RAID,
        until=until,
        boot=boot_steps(lines_of(bases, spec.metadata or ""), system),
    )


def builder_of(
    build: Callable[[Resolved, Machine, str], Built],
    *,
    check_free: Callable[[Resolved, Machine], None],
    removal: Callable[[str, Machine], Removal | None],
    boot_note: Callable[[Spec, System], str],
) -> Builder:
    """The builder of volume groups on arrays; the controls are those of the arrays below.

    Args:
        boot_note: what md says of its arrays.
    """
    return Builder(
        tools=(*MD.tools, *LVM.tools),
        claims=MD.claims | LVM.claims,
        conditions=conditions_in(conditions),
        check_free=check_free,
        build=build,
        removal=removal,
        boot_note=lambda spec, system: f"{boot_note(spec, system)} udev then activates the volume group.",
        node_of=LVM.node_of,
        disks_under=lambda plan: {*MD.disks_under(plan), *LVM.disks_under(plan)},
    )


def arrays_steps(bases: Sequence[Base], system: System) -> Iterator[Step]:
    """Create each array and wipe stale signatures from it; their ids are not unique yet."""
    for one in bases:
        yield from array_steps(one.resolved, system, uuid=one.uuid, path=one.path)
        yield replace(clear_step(one.path), id="clear-array")


def lines_of(bases: Sequence[Base], metadata: str) -> list[str]:
    """The ARRAY line of each array."""
    return [array_line(one.path, uuid=one.uuid, metadata=metadata) for one in bases]


def devices_step(bases: Sequence[Base]) -> Step:
    """Make each array a physical volume; never a member, which would bypass md."""
    devices = [one.holder for one in bases]
    erase = tuple(run for one in devices for run in erase_device(one.device))
    starts = " and ".join(dict.fromkeys(spell_size(one.data_start_bytes) for one in bases))
    widths = [one.resolved.facts.stripe_width_bytes for one in bases if one.resolved.facts.stripe_width_bytes]
    stripes = " and ".join(dict.fromkeys(spell_size(width) for width in widths))
    aligned = f", at the start of a full stripe of {stripes}" if stripes else ""
    return Step(
        id="physical-volumes",
        role=Role.PREPARE,
        title=f"Make {count_of(devices, 'physical volume')} on {', '.join(one.path for one in bases)}",
        reason=f"The data begins at {starts}{aligned}, so stripes of the filesystem match those of md. "
        "pvcreate follows the array's hints.",
        actions=tuple(make_device(one) for one in devices),
        before=tuple(kind.of(one.device) for one in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        after=(
            *(PHYSICAL_VOLUME.of(one.device, one.uuid) for one in devices),
            *(DATA_START.of(one.path, str(one.data_start_bytes)) for one in bases),
        ),
        undo=erase,
        undo_note="the array is blank again" if len(bases) == 1 else "the arrays are blank again",
        repair=erase,
    )
