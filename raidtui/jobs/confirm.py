"""Check the user's confirmations before a job starts: each disk by serial number, each HIGH hazard by id."""

from collections.abc import Sequence

from raidtui.model.disk_names import SHORTEST, find_called, is_called
from raidtui.model.errors import Refused
from raidtui.model.finding import to_accept
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Plan, PlannedDisk, Severity


def check_erase(plan: Plan, erase: Sequence[str], machine: Machine | None = None) -> None:
    """Check that ``erase`` names each disk that ``plan`` erases exactly once, and no other; see `check_named`."""
    check_named(plan.erased, erase, machine)


def check_named(disks: Sequence[PlannedDisk], erase: Sequence[str], machine: Machine | None = None) -> None:
    """Check that ``erase`` names each of ``disks`` exactly once, and no other.

    A disk is named by its full serial number, or by at least its last four characters if no other disk of the plan
    (or of ``machine``) ends with them; a disk without a serial number by its WWN or by-id name, or the end of that.

    Raises:
        Refused: a disk is missing, not in the plan, named twice, or ambiguous.
    """
    left = list(disks)
    for word in erase:
        disk = _named(word, disks, machine)
        if disk not in left:
            raise Refused(f"{disk.identity} is named twice among the disks to be erased")
        left.remove(disk)
    if left:
        unnamed = ", ".join(
            f"{'a part of ' if disk.shares else ''}{disk.named} ({disk.model or disk.path})" for disk in left
        )
        too = " too" if erase else ""
        raise Refused(
            f"this erases {unnamed}{too}; to do it, name every disk: "
            f"--erase {','.join(disk.named for disk in disks)}"
        )


def check_hazards(plan: Plan, accepted: Sequence[str]) -> None:
    """Check that no hazard blocks the plan and that each HIGH one was acknowledged; see `check_accepted`."""
    check_accepted(plan.hazards, accepted)


def check_accepted(hazards: Sequence[Hazard], accepted: Sequence[str]) -> None:
    """Check that none of ``hazards`` is a BLOCK and that each HIGH one was acknowledged.

    Raises:
        Refused: the message names the hazards and what to do.
    """
    blocking = [hazard for hazard in hazards if hazard.severity is Severity.BLOCK]
    if blocking:
        raise Refused(f"this cannot be done safely: {_spell(blocking)}")
    unseen = [h for h in hazards if h.severity is Severity.HIGH and h.id not in accepted]
    if unseen:
        ids = tuple(dict.fromkeys(hazard.id for hazard in unseen))
        raise Refused(f"this must be acknowledged first: {_spell(unseen)}; {to_accept(ids)}")


def _spell(hazards: Sequence[Hazard]) -> str:
    return "; ".join(f"{hazard.id}: {hazard.meaning.rstrip('.')} ({hazard.seen})" for hazard in hazards)


def _named(word: str, disks: Sequence[PlannedDisk], machine: Machine | None) -> PlannedDisk:
    whole = [disk for disk in disks if is_called(disk, word)]
    if len(whole) == 1:
        return whole[0]
    if not disks:
        raise Refused(f"this plan erases no disk, so it has no {word!r}; leave --erase out")
    wanted = ", ".join(disk.named for disk in disks)
    if len(word) < SHORTEST:
        raise Refused(
            f"{word!r} is too short to name a disk; type at least the last {SHORTEST} characters of its serial "
            f"number. The disks to be erased are {wanted}"
        )
    ends = find_called(word, disks)
    if not ends:
        raise Refused(f"{word!r} is not the end of a serial number of this plan; its disks are {wanted}")
    planned = {disk.named for disk in disks}
    others = find_called(word, machine.disks if machine else ())
    alike = [disk.named for disk in ends]
    alike += [name for disk in others if (name := disk.serial or disk.identity) not in planned]
    if len(alike) > 1:
        raise Refused(f"{word!r} is the end of several serial numbers: {', '.join(alike)}; write more of it")
    return ends[0]
