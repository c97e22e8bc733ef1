"""Let a sync run that is held up or slowed to a crawl, check an array, repair what differs."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.md.array_names import address
from raidtui.backends.md.growing.easing import let_go
from raidtui.backends.md.procedures.care_conditions import (
    ARRAY_AT,
    ARRAY_AWAKE,
    ARRAY_CHECKED,
    ARRAY_PACED,
    ARRAY_SYNCED,
    ARRAY_UNHELD,
)
from raidtui.backends.md.procedures.managing import LONGEST_SECONDS
from raidtui.backends.md.states import (
    has_copies,
    is_held,
    is_paused,
    is_reshaped,
    is_slowed,
    shown_name,
    slowed_words,
    sync_name,
)
from raidtui.machine.md.health import missing, rebuilding
from raidtui.machine.md.sync_limits import LEAST
from raidtui.model.errors import Refused
from raidtui.model.machine import Array
from raidtui.model.md_levels import parity_of
from raidtui.model.plan import Role, Run, Step, Undo, member_step, order_step
from raidtui.model.system import System
from raidtui.model.text import spelled
from raidtui.model.units import KIB
from raidtui.steps.filesystems import NOT_MOUNTED


def waited(array: Array) -> Run:
    """Wait until its sync has ended."""
    # Exit code 1: there was nothing left to wait for.
    return Run(argv=("mdadm", "--wait", address(array)), timeout_seconds=LONGEST_SECONDS, ok=(0, 1))


def until_synced(array: Array) -> tuple[Run, Run]:
    """Resume a sync that waits for the first write after a boot, and wait until it has ended."""
    return writable(array), waited(array)


def writable(array: Array) -> Run:
    """End its wait for the first write, in which md syncs nothing after a boot."""
    # Exit code 1: it is writable already.
    return Run(argv=("mdadm", "--readwrite", address(array)), ok=(0, 1))


def refuse_reshaped(array: Array) -> None:
    """Check that ``array`` is not being reshaped. Raises Refused: it is."""
    if is_reshaped(array):
        raise Refused(f"{shown_name(array)} is being reshaped; nothing else is changed until that is over")


def refuse_busy(array: Array) -> None:
    """Check that no sync of ``array`` runs or waits. Raises Refused: what it is doing."""
    refuse_reshaped(array)
    name = shown_name(array)
    doing = array.sync.action if array.sync is not None else array.sync_action
    if doing not in {"idle", "frozen"}:
        raise Refused(f"{name} is busy: {sync_name(array)}. Wait until it is over; 'raidtui status' shows it")
    if is_paused(array) and rebuilding(array):
        raise Refused(f"the rebuild of {name} is paused; let it end first (--do let-sync)")


def let_sync(array: Array, system: System, *, only_adds: bool = False) -> Iterator[Step]:
    """Let a sync run that is paused, or waits for the first write, and every later one to its end.

    Args:
        only_adds: whether it is a reshape that only adds members.
    """
    waits = array.sync is not None and array.sync.waiting == "pending"
    if is_slowed(array) and not is_held(array) and not waits:
        yield from unslow(array, system)
        return
    if is_reshaped(array) and not only_adds:
        raise Refused(
            f"{shown_name(array)} has an interrupted reshape. Only one that adds a disk continues safely; copy the "
            "data away first if it changes the chunk or the level"
        )
    if not is_held(array) and not waits:
        raise Refused(f"no sync of {shown_name(array)} is held up")
    yield from unslow(array, system)
    yield from unhold(array)
    if waits:
        yield order_step(
            id="readwrite",
            title=f"Make {shown_name(array)} writable, so that its sync starts",
            reason="After a boot md waits for the first write before it syncs.",
            actions=(writable(array),),
            # Until its reshape has ended, a RAID10 that was cut off reads wrong data (measured).
            before=(NOT_MOUNTED.of(address(array)),)
            if is_reshaped(array) and array.level == "raid10"
            else (),
            after=(ARRAY_AWAKE.of(array.uuid),),
            undo_note="it stays writable",
        )


def unhold(array: Array, suffix: str = "") -> Iterator[Step]:
    """Undo what an interrupted check or program left: frozen, or limited to a part of the members; else no step."""
    first, last = array.sync_part
    if not is_held(array) and not first:
        return
    actions = []
    if is_paused(array):
        actions.append(Run(argv=("mdadm", "--action=idle", address(array))))
    if last is not None and is_reshaped(array) and parity_of(array.level):
        actions += [writable(array), let_go(array)]
    elif last is not None:
        actions.append(Run(argv=("tee", f"{array.md_folder}/sync_max"), input="max\n"))
    if first:
        # Exit code 1: a sync runs, which sets it.
        actions.append(Run(argv=("tee", f"{array.md_folder}/sync_min"), input="0\n", ok=(0, 1)))
    yield order_step(
        id=f"unhold{suffix}",
        title=f"Let every sync of {shown_name(array)} run, from the start to the end",
        reason="Otherwise no spare takes over, a rebuild stops halfway, or a check leaves out a part.",
        actions=tuple(actions),
        before=(ARRAY_AT.of(array.uuid, array.node),),
        after=(ARRAY_UNHELD.of(array.uuid),),
        undo_note="what held a sync up is not set again",
    )


def scrub(array: Array, *, repair: bool) -> Iterator[Step]:
    """Check it; with ``repair`` write again what differs first."""
    name = shown_name(array)
    refuse_busy(array)
    if array.degraded is None:
        raise Refused(f"{name} is {spelled(array.level)}, which has nothing to compare")
    if missing(array):
        raise Refused(f"{name} lacks a member; a check needs all of them")
    if array.state == "readonly":
        raise Refused(f"{name} is set read-only, and md starts no check then")
    yield from unhold(array)
    if repair:
        yield _repair(array)
    yield from check_steps(array)


def _repair(array: Array) -> Step:
    path = address(array)
    how = (
        "Where the copies differ, that of the first member is written to the others."
        if has_copies(array)
        else "Where parity does not fit the data, it is computed again from the data."
    )
    return member_step(
        id="repair",
        title=f"Repair {shown_name(array)}: make its members agree",
        reason=how,
        # Exit code 1 of the first: it runs already. Of the second: there was nothing left to wait for.
        actions=(
            Run(argv=("mdadm", "--action=repair", path), ok=(0, 1)),
            waited(array),
        ),
        after=(ARRAY_SYNCED.of(array.uuid, "repair"),),
        as_long_as="reading a whole member",
    )


def check_steps(array: Array) -> Iterator[Step]:
    """Read all members and compare: only that shows that a member holds what it should."""
    path = address(array)
    yield Step(
        id="check",
        role=Role.WAIT,
        title=f"Check {shown_name(array)}: read every member and compare",
        reason="md trusts the superblock of a member; only a check shows that its data is right. The array can be used meanwhile.",
        # Exit code 1 of the first: a check runs already. Of the second: there was nothing left to wait for.
        actions=(
            Run(argv=("mdadm", "--action=check", path), ok=(0, 1)),
            waited(array),
        ),
        after=(ARRAY_CHECKED.of(array.uuid),),
        undoable=Undo.NOTHING,
        undo_note="a check changes nothing",
        as_long_as="reading a whole member",
    )


_USUAL: Final = {"min": LEAST // KIB, "max": 200_000}  # md's defaults, KiB/s
_SYSTEM: Final = "/proc/sys/dev/raid/speed_limit_{}"


def unslow(array: Array, system: System) -> Iterator[Step]:
    """Take back the array's own limits, and give the computer's their defaults where they are lower; else no step."""
    if not is_slowed(array):
        return
    usual = {"min": system.raid_speed_min, "max": system.raid_speed_max}
    actions = [
        Run(argv=("tee", f"{array.md_folder}/sync_speed_{which}"), input="system\n")
        for which in ("max", "min")
    ]
    for which, value in usual.items():
        if value is not None and value < _USUAL[which] * KIB and max(filter(None, usual.values())) < LEAST:
            actions.append(Run(argv=("tee", _SYSTEM.format(which)), input=f"{_USUAL[which]}\n"))
    yield order_step(
        id="unslow",
        title=f"Let the syncs of {shown_name(array)} run at md's usual speed",
        reason=f"They may run at {slowed_words(array)}. If a file in /etc/sysctl.d sets that, the next boot sets it again.",
        actions=tuple(actions),
        before=(ARRAY_AT.of(array.uuid, array.node),),
        after=(ARRAY_PACED.of(array.uuid, str(LEAST // KIB)),),
        undo_note="the lower limits are not set again",
    )
