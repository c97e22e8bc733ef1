"""The arrays under a volume group to be built: each resolved for md, and as a physical volume for LVM.

LVM aligns them to md's full stripe by itself; a condition verifies it.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from raidtui.backends.arithmetic.disks import dealt_out
from raidtui.backends.contract import Resolved
from raidtui.backends.lvm.conditions import PHYSICAL_VOLUME
from raidtui.backends.lvm.create import Holder, erase_device, make_device
from raidtui.backends.lvm_on_md.conditions import DATA_START
from raidtui.backends.lvm_on_md.dealing import dealing_of
from raidtui.backends.lvm_on_md.space import data_start
from raidtui.backends.md.create import array_steps
from raidtui.backends.md.persistence import array_line
from raidtui.backends.resolve import place
from raidtui.model.machine import Machine
from raidtui.model.plan import Role, Step
from raidtui.model.spec import Backend, FilesystemSpec
from raidtui.model.struct import Record
from raidtui.model.system import System
from raidtui.model.text import count_of
from raidtui.model.units import spell_size
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.mkfs import clear_step
from raidtui.steps.seeds import derive


class Base(Record, frozen=True, kw_only=True):
    """One array that becomes a physical volume."""

    resolved: Resolved  # of md
    uuid: str
    path: str
    holder: Holder
    data_start_bytes: int  # of the first extent, aligned to a full stripe


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
        which = () if number == 1 else (str(number),)
        path, facts = f"/dev/md/{name}", array.facts
        found.append(
            Base(
                resolved=array,
                uuid=derive(seed, "array", *which),
                path=path,
                holder=Holder(device=path, uuid=derive(seed, "pv", *which)),
                data_start_bytes=data_start(
                    dealing.level, len(members), chunk=facts.chunk_bytes, width=facts.stripe_width_bytes
                ),
            )
        )
    return tuple(found)


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
