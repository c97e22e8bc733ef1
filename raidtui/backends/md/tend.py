"""What is done with an array besides a replacement: re-add a former member, remove failed members and spares.

A member is re-added only to an array that runs: in one that has failed, mdadm would make a spare of it for good.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from raidtui.backends.md.array_names import address
from raidtui.backends.md.conditions import ARRAY_WHOLE, MEMBER_GONE, MEMBER_IS
from raidtui.backends.md.diagnosis.care import is_reshaping
from raidtui.backends.md.diagnosis.lost_journal import without_journal
from raidtui.backends.md.diagnosis.no_bitmap import add_bitmap
from raidtui.backends.md.procedures.begin import start, start_forced, start_tried
from raidtui.backends.md.procedures.care_conditions import ARRAY_LACKS, ARRAY_STARTED, ARRAY_WRITABLE
from raidtui.backends.md.procedures.configured import configure, join_group
from raidtui.backends.md.procedures.managing import managed
from raidtui.backends.md.procedures.scrubs import (
    check_steps,
    let_sync,
    refuse_busy,
    refuse_reshaped,
    scrub,
    unhold,
    until_synced,
)
from raidtui.backends.md.procedures.use_spare import taken_out, use_spare
from raidtui.backends.md.procedures.view import put_away, view
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in
from raidtui.backends.tending import Tender, does_not
from raidtui.machine.md.former import Way, way_of
from raidtui.machine.md.health import is_spare, missing
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine, Member
from raidtui.model.nodes import stable_in, stable_paths
from raidtui.model.plan import Hazard, Run, Step, high, member_step, order_step, proof_step, waiting_step
from raidtui.model.procedure import (
    AddBitmap,
    Configure,
    LetSync,
    MakeWritable,
    ReAdd,
    RemoveFailed,
    RemoveSpare,
    Scrub,
    SpareGroup,
    Start,
    StartTried,
    Tended,
    UseSpare,
    WithoutJournal,
)
from raidtui.model.superblock import of_array, only_adds
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.devices import PRESENT, UNCLAIMED
from raidtui.steps.read_only import NO_TRIAL


class MdTender(Tender):
    """mdadm."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        return tuple(_steps(procedure, unit, machine))

    def hazards(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Hazard, ...]:
        """What has to be accepted before a start by force, or a repair."""
        match procedure:
            case Start(forced=True):
                return (
                    _forced(unit, "its files were not looked at: 'raidtui recover' does, without a write"),
                )
            case StartTried(tried=tried, begins=begins):
                looked = f"tried on overlays: {tried}"
                return (_placed(unit, looked) if begins else _forced(unit, looked),)
            case Scrub(repair=True):
                return (overwrites(unit),)
            case ReAdd(failed=True, disk=disk):
                return (_failed_before(unit, disk),)
        return ()

    def view(self, unit: Unit, machine: Machine, called: str) -> tuple[Step, ...]:
        """Assemble it read-only, without its superblocks."""
        return tuple(view(array_in(unit), machine, called))

    def put_away(self, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """Stop it, if it was assembled so."""
        return tuple(put_away(array_in(unit)))


def _forced(unit: Unit, looked: str) -> Hazard:
    return high(
        id="forced-start",
        seen=harmless(f"{unit.shown}: {unit.state}; {looked}"),
        meaning="Members that are not up to date are taken as current. What was written last may be lost or wrong.",
        advice="Copy a disk that fails first (ddrescue). Check the filesystem without changes before you mount it (fsck -n).",
        source="mdadm(8), --assemble --force",
    )


def _placed(unit: Unit, looked: str) -> Hazard:
    return high(
        id="begin-written",
        seen=harmless(f"{unit.shown}: superblocks do not agree on where the data begins; {looked}"),
        meaning="The place is written into superblocks. If it is wrong, what is written to the array later overwrites data.",
        advice="Copy away what you cannot lose first, from the trial. Check the array afterwards: it must find no mismatch.",
        source="super_1_load() in drivers/md/md.c",
    )


def _failed_before(unit: Unit, disk: str) -> Hazard:
    return high(
        id="failed-before",
        seen=harmless(f"{disk} was in {unit.shown} when md recorded it as faulty"),
        meaning="A disk that failed may fail again, and then the array has no more redundancy than now.",
        advice="Find out why first: its cable, its power, whether somebody pulled it, and its SMART (smartctl --xall).",
        source="mdadm(8), --re-add",
    )


def overwrites(unit: Unit) -> Hazard:
    return high(
        id="repair-overwrites",
        seen=f"{harmless(unit.shown)}: {unit.scrubbed or unit.state}",
        meaning="A repair does not know which member is right. Copies are overwritten with the first one, and parity is computed "
        "from the data, so data that is wrong stays wrong.",
        advice="Compare important files with a backup first. If one disk is known to be wrong, replace that disk instead.",
        source="md(4), SCRUBBING AND MISMATCHES",
    )


def _steps(procedure: Tended, unit: Unit, machine: Machine) -> Iterable[Step]:
    array = array_in(unit)
    if isinstance(procedure, (RemoveFailed, RemoveSpare, UseSpare)):
        refuse_reshaped(array)
    match procedure:
        case ReAdd(disk=disk):
            return _re_add(array, disk, machine)
        case Start(degraded=degraded, forced=forced):
            return start_forced(array, machine) if forced else start(array, machine, degraded=degraded)
        case StartTried():
            return start_tried(array, procedure, machine)
        case RemoveFailed():
            return (*unhold(array), _remove_failed(array, machine))
        case RemoveSpare(disk=disk):
            return (*unhold(array), *taken_out(array, _spare_on(array, disk), machine))
        case UseSpare(disk=disk):
            return use_spare(array, _spare_on(array, disk), machine)
        case Scrub(repair=repair):
            return scrub(array, repair=repair)
        case LetSync():
            return let_sync(
                array, machine.system, only_adds=only_adds(of_array(array.uuid, machine.superblocks))
            )
        case MakeWritable():
            if is_reshaping(array, machine):
                raise Refused(
                    f"{shown_name(array)} has a reshape that has not ended: writing would continue it"
                )
            return (_read_write(array),)
        case WithoutJournal():
            return (without_journal(array),)
        case AddBitmap():
            return (add_bitmap(array),)
        case SpareGroup(group=group):
            return join_group(array, group, machine)
        case Configure():
            return configure(array, machine)
    raise does_not(procedure, unit)


def _re_add(array: Array, disk: str, machine: Machine) -> Iterator[Step]:
    name, shown = shown_name(array), harmless(disk)
    refuse_busy(array)
    device = _former(array, disk, machine)
    yield from unhold(array)
    yield member_step(
        id="re-add",
        title=f"Re-add {shown} to {name}",
        reason=f"md copies to {shown} only what was written since it left, as the bitmap has recorded. {name} stays in use.",
        actions=(managed(array, "--re-add", device),),
        before=(PRESENT.of(device), UNCLAIMED.of(device), ARRAY_LACKS.of(array.uuid)),
        after=(MEMBER_IS.of(device, f"{array.uuid} member"),),
    )
    yield waiting_step(
        id="wait",
        title=f"Wait until {shown} is in sync in {name}",
        reason="md continues if raidtui ends, and after a power cut from where it was.",
        actions=until_synced(array),
        before=(MEMBER_IS.of(device, f"{array.uuid} syncing"),),
        after=(MEMBER_IS.of(device, f"{array.uuid} in-sync"),),
        as_long_as="writing the whole member",
    )
    yield from check_steps(array)
    if missing(array) == 1:
        yield proof_step(
            id="prove",
            title=f"Check that {name} has full redundancy",
            reason="Every slot in sync, no member that waits to be replaced, no bad blocks.",
            after=(ARRAY_WHOLE.of(array.uuid),),
        )


def _former(array: Array, disk: str, machine: Machine) -> str:
    """The stable path of the former member on ``disk``.

    Raises:
        Refused: there is none, or it must not be re-added.
    """
    stored, inside = of_array(array.uuid, machine.superblocks), {member.path for member in array.members}
    why = "it has no former member of it"
    for one in machine.disks:
        for path in one.every_path if one.identity == disk else ():
            if path in inside:
                why = "it is a member of it already"
            elif path in stored:
                way = way_of(path, array, stored)
                if way is Way.READD:
                    return stable_paths(one)[path]
                why = _WHY_NOT[way]
    raise Refused(f"{harmless(disk)} cannot be re-added to {shown_name(array)}: {why}")


_WHY_NOT: Final = {
    Way.CLONE: "another device has the same superblock; disconnect the one that does not belong here",
    Way.OF_FAILED: "the array has lost more members than it survives, and a re-add would make a spare of this one for good",
    Way.OUTSIDE: "the array is not started",
    Way.SURPLUS: "the array lacks no member",
    Way.ADD: "the array has changed more than its bitmap has recorded, or the disk was used without it",
    Way.KEEP: "the array has changed more than its bitmap has recorded, or the disk was used without it",
}


def _read_write(array: Array) -> Step:
    name = shown_name(array)
    return order_step(
        id="readwrite",
        title=f"Make {name} writable",
        reason="Until then md takes no write and starts no rebuild or check, and no spare takes over.",
        actions=(Run(argv=("mdadm", "--readwrite", address(array))),),
        before=(ARRAY_STARTED.of(array.uuid), NO_TRIAL.of(address(array))),
        after=(ARRAY_WRITABLE.of(array.uuid),),
        undo_note="it stays writable",
    )


def _remove_failed(array: Array, machine: Machine) -> Step:
    failed = [member for member in array.members if "faulty" in member.state and member.path]
    if not failed:
        raise Refused(f"{shown_name(array)} has no failed member")
    stable = stable_in(machine.disks)
    names = listed([harmless(one.disk) or one.path for one in failed])
    return member_step(
        id="remove",
        title=f"Remove {names} from {shown_name(array)}",
        reason="A failed member keeps its disk in use.",
        # They may have left the array, or the computer, by now; the conditions decide.
        actions=(managed(array, "--remove", "failed", ok=(0, 1, 2)),),
        after=tuple(MEMBER_GONE.of(stable.get(one.path, one.path), array.uuid) for one in failed),
    )


def _spare_on(array: Array, disk: str) -> Member:
    """Its hot spare on the disk with this identity. Raises Refused: it has none there."""
    found = [one for one in array.members if is_spare(one) and one.disk == disk]
    if len(found) != 1:
        spares = listed([harmless(one.disk) or one.path for one in array.members if is_spare(one)])
        raise Refused(
            f"{harmless(disk) or 'no disk'} is not a spare of {shown_name(array)}, which has {spares or 'no spare'}"
        )
    return found[0]


TENDER: Final = MdTender()
