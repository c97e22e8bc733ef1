"""Re-add a former member, start an array that is not started, remove failed members.

A member is re-added only to an array that runs: in one that has failed, mdadm would make a spare of it for good.
An array is started from every member here that is up to date, not from those that md happens to hold.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.md.array_names import address
from raidtui.backends.md.care_conditions import ARRAY_CHECKED, ARRAY_LACKS, ARRAY_STARTED
from raidtui.backends.md.conditions import ARRAY_RUNS, ARRAY_WHOLE, MEMBER_GONE, MEMBER_IS
from raidtui.backends.md.start import doubtful, free_name, up_to_date
from raidtui.backends.md.units import array_in
from raidtui.backends.tending import Tended, Tender
from raidtui.machine.array_health import is_container, missing
from raidtui.machine.former import Way, way_of
from raidtui.machine.newest import of_array
from raidtui.model.errors import Refused
from raidtui.model.machine import STOPPED, Array, Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.procedure import ReAdd, RemoveFailed, Start, word_of
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.unit import Unit
from raidtui.steps.devices import PRESENT, UNCLAIMED

_LONGEST_SECONDS: Final = 60 * 86400  # a check of large disks in use takes days


class MdTender(Tender):
    """mdadm."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """The steps of one procedure."""
        array = array_in(unit)
        match procedure:
            case ReAdd(disk=disk):
                return tuple(_re_add(array, disk, machine))
            case Start(degraded=degraded):
                return tuple(_start(array, machine, degraded=degraded))
            case RemoveFailed():
                return (_remove_failed(array, machine),)
        raise Refused(f"raidtui cannot {word_of(procedure)} an array yet")


def check_steps(array: Array) -> list[Step]:
    """Read all members and compare: only that shows that a member holds what it should."""
    path = address(array)
    return [
        Step(
            id="check",
            role=Role.WAIT,
            title=f"Check {_name(array)}: read every member and compare",
            reason="md trusts the superblock of a member; only a check shows that its data is right. The array can be used meanwhile.",
            # Exit code 1 of the first: a check runs already. Of the second: there was nothing left to wait for.
            actions=(
                Run(argv=("mdadm", "--action=check", path), ok=(0, 1)),
                Run(argv=("mdadm", "--wait", path), timeout_seconds=_LONGEST_SECONDS, ok=(0, 1)),
            ),
            after=(ARRAY_CHECKED.of(array.uuid),),
            undoable=Undo.NOTHING,
            undo_note="a check changes nothing",
            as_long_as="reading a whole member",
        )
    ]


def _re_add(array: Array, disk: str, machine: Machine) -> Iterator[Step]:
    name, shown = _name(array), harmless(disk)
    if array.sync_action != "idle":
        raise Refused(
            f"{name} is busy: {array.sync_action}. Wait until it is over; 'raidtui status' shows it"
        )
    device = _former(array, disk, machine)
    yield Step(
        id="re-add",
        role=Role.MEMBER,
        title=f"Re-add {shown} to {name}",
        reason="md copies to it only what was written since it left: the bitmap has recorded where.",
        actions=(Run(argv=("mdadm", address(array), "--re-add", device)),),
        before=(PRESENT.of(device), UNCLAIMED.of(device), ARRAY_LACKS.of(array.uuid)),
        after=(MEMBER_IS.of(device, f"{array.uuid} member"),),
        undoable=Undo.IMPOSSIBLE,
    )
    yield Step(
        id="wait",
        role=Role.WAIT,
        title=f"Wait until {shown} is in sync in {name}",
        reason="md continues if raidtui ends, and after a power cut from where it was.",
        # Exit code 1: there was nothing left to wait for.
        actions=(Run(argv=("mdadm", "--wait", address(array)), timeout_seconds=_LONGEST_SECONDS, ok=(0, 1)),),
        before=(MEMBER_IS.of(device, f"{array.uuid} syncing"),),
        after=(MEMBER_IS.of(device, f"{array.uuid} in-sync"),),
        undoable=Undo.IMPOSSIBLE,
        repair=(Run(argv=("mdadm", "--readwrite", address(array)), ok=(0, 1)),),
        as_long_as="writing the whole member",
    )
    yield from check_steps(array)
    if missing(array) == 1:
        yield Step(
            id="prove",
            role=Role.WAIT,
            title=f"Check that {name} has full redundancy",
            reason="Every slot in sync, no member that waits to be replaced, no bad blocks.",
            actions=(),
            after=(ARRAY_WHOLE.of(array.uuid),),
            undoable=Undo.NOTHING,
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
    raise Refused(f"{harmless(disk)} cannot be re-added to {_name(array)}: {why}")


_WHY_NOT: Final = {
    Way.CLONE: "another device has the same superblock; disconnect the one that does not belong here",
    Way.OF_FAILED: "the array has lost more members than it survives, and a re-add would make a spare of this one for good",
    Way.OUTSIDE: "the array is not started",
    Way.SURPLUS: "the array lacks no member",
    Way.ADD: "the array has changed more than its bitmap has recorded, or the disk was used without it",
    Way.KEEP: "the array has changed more than its bitmap has recorded, or the disk was used without it",
}


def _start(array: Array, machine: Machine, *, degraded: bool) -> Iterator[Step]:
    name = _name(array)
    if is_container(array):
        raise Refused(
            f"{name} is the container of a firmware RAID; 'raidtui status' shows how its volumes start"
        )
    if array.started:
        raise Refused(f"{name} is started already")
    stored = of_array(array.uuid, machine.superblocks)
    if why := doubtful(stored, machine):
        raise Refused(f"{name} cannot be started safely: {harmless(why[0].text)}")
    found = up_to_date(array, stored)
    if found is None:
        raise Refused(f"{name} cannot be started safely: 'raidtui status' shows what to do")
    stable = {path: link for disk in machine.disks for path, link in stable_paths(disk).items()}
    outside = [stable.get(path, path) for path in found.outside]
    lost = count_of(found.lost, "member")
    if found.lost and not degraded:
        raise Refused(
            f"{name} lacks {lost}; connect it, or choose to start it degraded (--do start-degraded)"
        )
    level = next(iter(stored.values()))
    whole = () if found.lost else (ARRAY_RUNS.of(array.uuid, f"{level.level} {level.raid_disks}"),)
    inside = tuple(MEMBER_IS.of(device, f"{array.uuid} member") for device in outside)
    reassembled = array.state == STOPPED and found.lost > 0
    if outside and not reassembled:
        yield Step(
            id="add",
            role=Role.CREATE,
            title=f"Add {count_of(outside, 'member')} to {name}",
            reason="They are here and up to date. md starts the array when the last of them is in it.",
            # Exit codes 1 and 2: udev was faster; the conditions decide.
            actions=tuple(Run(argv=("mdadm", "--incremental", device), ok=(0, 1, 2)) for device in outside),
            before=tuple(PRESENT.of(device) for device in outside),
            after=(*inside, *whole),
            undoable=Undo.NOTHING,
            undo_note=f"{name} stays started",
        )
    if found.lost or not outside:
        run: tuple[str, ...] = ("mdadm", "--run", array.node)
        if reassembled:
            node = free_name(array, machine)
            if not node:
                raise Refused(
                    f"{name} has the name of another array, or one that is not plain; see mdadm(8), --assemble"
                )
            run = ("mdadm", "--assemble", "--run", node, f"--uuid={array.uuid}", *outside)
        yield Step(
            id="start",
            role=Role.CREATE,
            title=f"Start {name}" + (f" degraded, without {lost}" if found.lost else ""),
            reason=f"{spelled(level.level)} runs without them; what they hold becomes out of date."
            if found.lost
            else "All its members are in it.",
            actions=(Run(argv=run, ok=(0, 1)),),
            after=whole or (ARRAY_STARTED.of(array.uuid),),
            undoable=Undo.NOTHING,
            undo_note=f"{name} stays started",
        )


def _remove_failed(array: Array, machine: Machine) -> Step:
    failed = [member for member in array.members if "faulty" in member.state and member.path]
    if not failed:
        raise Refused(f"{_name(array)} has no failed member")
    stable = {path: link for disk in machine.disks for path, link in stable_paths(disk).items()}
    names = listed([harmless(one.disk) or one.path for one in failed])
    return Step(
        id="remove",
        role=Role.MEMBER,
        title=f"Remove {names} from {_name(array)}",
        reason="A failed member keeps its disk in use.",
        # They may have left the array, or the computer, by now; the conditions decide.
        actions=(Run(argv=("mdadm", address(array), "--remove", "failed"), ok=(0, 1, 2)),),
        after=tuple(MEMBER_GONE.of(stable.get(one.path, one.path), array.uuid) for one in failed),
        undoable=Undo.IMPOSSIBLE,
    )


def _name(array: Array) -> str:
    return harmless(array.name or array.node)


TENDER: Final = MdTender()
