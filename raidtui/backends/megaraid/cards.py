"""Read the MegaRAID and PERC cards of this computer with their tools."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from raidtui.backends.cards.asking import NoAnswer
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.megaraid.adapters import adapter_in, drives_counted, volumes_counted, volumes_down
from raidtui.backends.megaraid.answer import Reply, whole_number
from raidtui.backends.megaraid.drives import drives_in, drives_listed, progress_of_drives
from raidtui.backends.megaraid.tools import ask_tool
from raidtui.backends.megaraid.volumes import (
    OPERATIONS,
    progress_in,
    volumes_in,
    volumes_listed,
    with_progress,
)
from raidtui.machine.ask import Ask
from raidtui.model.errors import StepFailed
from raidtui.model.text import count_of

# "No VD's have been configured.", "No PD found": reported as a failure, but harmless.
_NOTHING: Final = ("no vd", "no pd", "no drive found", "no virtual drive")
# Incomplete foreign configuration: storcli reports it of one card and then fails even 'show', which is about all.
_ONE_CARD: Final = frozenset({59})
_WRITTEN: Final = {DriveState.REBUILDING: "rebuild", DriveState.COPYING: "copyback"}
"""The states of a drive that the card writes, with the word of ``show`` for the progress."""
_MOST_CARDS: Final = 64  # in one computer; a higher count is no answer


def read_adapters(tool: str, cards: int, ask: Ask) -> list[Adapter]:
    """Read every controller that ``tool`` sees.

    Args:
        cards: how many cards the kernel has for this tool: read where the tool does not say how many it sees.

    Raises:
        StepFailed: it does not answer.
        ToolMissing: it is too old.
    """
    first = ask_tool(tool, ["show"], ask)[0]
    trouble = "" if first.ok else f"{tool} show: {first.why}"
    count = whole_number(first.data.get("Number of Controllers"))
    if count is None and trouble and any(one.code in _ONE_CARD for one in first.faults):
        count = cards
    if count is None:
        raise StepFailed(trouble or f"{tool} show: its answer cannot be understood")
    if not 0 <= count <= _MOST_CARDS:
        raise StepFailed(
            f"{tool} show: {count} controllers cannot be right; run it yourself to see what it says"
        )
    found = [_adapter(tool, number, ask) for number in range(count)]
    return [replace(one, problems=(trouble, *one.problems)) for one in found] if trouble else found


def read_volumes(tool: str, number: int, ask: Ask) -> Adapter:
    """Read the virtual drives of a controller only, and how many it has."""
    listing = _listing(tool, number, ask)
    volumes, problem, unread = _volumes(tool, number, ask, listing)
    problems = tuple(filter(None, (problem, listing.problem)))
    return Adapter(number=number, tool=tool, volumes=volumes, problems=problems, unread=unread)


def read_drives(tool: str, number: int, ask: Ask) -> Adapter:
    """Read the drives of a controller only. A drive that is not understood leaves all unread: it may be foreign."""
    listing = _listing(tool, number, ask)
    drives, no_drives, unread = _drives(tool, number, ask, listing)
    problems = tuple(filter(None, (listing.problem, *no_drives)))
    return Adapter(number=number, tool=tool, drives=drives, problems=problems, unread=unread)


def read_changes(tool: str, number: int, ask: Ask) -> Adapter:
    """Read the virtual drives of a controller, and its migrations from the answer that is only about these."""
    found = read_volumes(tool, number, ask)
    answer = _data(tool, [f"/c{number}/vall", "show", OPERATIONS["migration"]], ask)
    running = progress_in(answer.data)
    volumes = tuple(
        replace(one, operations=(running[one.number],))
        if one.number in running and not any(doing.what == "migration" for doing in one.operations)
        else one
        for one in found.volumes
    )
    # A list without a row for each virtual drive does not say that none is migrated.
    rows = answer.data.get("VD Operation Status")
    listed = len(rows) if isinstance(rows, list) else 0
    lacks = "" if listed >= len(volumes) else f"{answer.command}: its answer cannot be understood"
    return replace(found, volumes=volumes, unread=found.unread or answer.problem or lacks)


def read_states(tool: str, number: int, ask: Ask) -> Adapter:
    """Read the virtual drives of a controller, and the states of its drives from the list that a bad one does not break."""
    listing = _listing(tool, number, ask)
    volumes, problem, unread = _volumes(tool, number, ask, listing)
    drives = tuple(drives_listed(listing.data, number))
    counted = drives_counted(listing.data)
    if not unread and (counted is None or len(drives) < counted):
        unread = listing.problem or (
            f"{listing.command}: the card has {counted or 'an unknown number of'} drives, of which {len(drives)} are understood"
        )
    problems = tuple(filter(None, (problem, listing.problem)))
    return Adapter(number=number, tool=tool, volumes=volumes, drives=drives, problems=problems, unread=unread)


class _Answer(NamedTuple):
    """What a controller answered to one command."""

    command: str
    data: dict[str, Any]
    version: str  # of the tool
    description: str  # in the tool's words
    problem: str  # why it is no valid answer; empty if it is one


def _listing(tool: str, number: int, ask: Ask) -> _Answer:
    return _data(tool, [f"/c{number}", "show", "all"], ask)


def _adapter(tool: str, number: int, ask: Ask) -> Adapter:
    listing = _listing(tool, number, ask)
    found = adapter_in(listing.data, number=number, tool=tool, version=listing.version)
    volumes, no_volumes, unread = _volumes(tool, number, ask, listing)
    drives, no_drives, drives_unread = _drives(tool, number, ask, listing)
    problems = filter(None, (listing.problem, no_volumes, unread, *no_drives, drives_unread))
    return replace(
        found, volumes=volumes, drives=drives, problems=tuple(dict.fromkeys(problems)), unread=unread
    )


def _volumes(tool: str, number: int, ask: Ask, listing: _Answer) -> tuple[tuple[Volume, ...], str, str]:
    """The virtual drives, the error if their answer has one, and why they are not all known, if so."""
    answer = _data(tool, [f"/c{number}/vall", "show", "all"], ask)
    found = tuple(volumes_in(answer.data, number))
    unread = _unread(answer, listing, len(found), volumes_listed(answer.data), volumes_counted(listing.data))
    unread = unread or _misjudged(listing, found)
    active = {one.what for volume in found for one in volume.operations}
    for what, word in OPERATIONS.items():
        if what in active:  # only this answer has the time left
            running = progress_in(_data(tool, [f"/c{number}/vall", "show", word], ask).data)
            found = tuple(with_progress(volume, what, running) for volume in found)
    return found, answer.problem, unread


def _unread(answer: _Answer, listing: _Answer, found: int, listed: int, counted: int | None) -> str:
    """Why the virtual drives in ``answer`` are not all that the card has; empty if they are.

    Args:
        found: how many were understood, of those that the answer has (``listed``) and the card ``counted``.
    """
    if found < max(listed, counted or 0):
        described = f"{count_of(found, 'virtual drive')} of {max(listed, counted or 0)} understood"
        return answer.problem or f"{answer.command}: its answer cannot be understood: {described}"
    if counted is None and (answer.problem or listing.problem):
        return answer.problem or listing.problem
    none = any(word in answer.description.lower() for word in _NOTHING)
    if counted is None and not found and not none:
        return f"{answer.command}: its answer cannot be understood"
    return ""


def _misjudged(listing: _Answer, found: Sequence[Volume]) -> str:
    """The error if the controller counts more degraded or offline virtual drives than were read as such."""
    counted, seen = volumes_down(listing.data), sum(one.state is not VolumeState.OPTIMAL for one in found)
    return (
        f"{listing.command}: the card counts {counted} degraded or offline virtual drives but describes {seen} as such"
        if counted > seen
        else ""
    )


def _drives(
    tool: str, number: int, ask: Ask, listing: _Answer
) -> tuple[tuple[Drive, ...], Iterable[str], str]:
    """Read all drives at once; if a bad drive makes that fail, read the missing ones one by one.

    Also returns the errors, and why the drives are not all known, if so.
    """
    answer = _data(tool, [f"/c{number}/eall/sall", "show", "all"], ask)
    known = {drive.slot: drive for drive in drives_in(answer.data, number)}
    listed = list(drives_listed(listing.data, number))
    problems = [answer.problem]
    for drive in listed:
        if drive.slot in known:
            continue
        alone = _data(tool, [drive.place, "show", "all"], ask)
        known[drive.slot] = next(
            (one for one in drives_in(alone.data, number) if one.slot == drive.slot),
            replace(drive, problem=alone.problem or "its card does not describe it"),
        )
        problems.append(alone.problem)
    for state, word in _WRITTEN.items():
        if any(drive.state is state for drive in known.values()):
            progress = _data(tool, [f"/c{number}/eall/sall", "show", word], ask)
            running = progress_of_drives(progress.data, word)
            known = {
                slot: replace(one, operation=running.get(one.place)) if one.state is state else one
                for slot, one in known.items()
            }
            problems.append(progress.problem)
    order = [drive.slot for drive in listed] or list(known)
    counted = drives_counted(listing.data)
    unread = ""
    if counted is not None and len(known) < counted:
        unread = f"{listing.command}: the card has {counted} drives, of which {len(known)} are understood"
    return tuple(known[slot] for slot in dict.fromkeys([*order, *known])), problems, unread


def _data(tool: str, words: Sequence[str], ask: Ask) -> _Answer:
    command = f"{tool} {' '.join(words)}"
    try:
        replies = ask_tool(tool, words, ask)
    except NoAnswer:
        raise
    except StepFailed as error:
        return _Answer(command, {}, "", "", str(error))
    merged: dict[str, Any] = {}
    for one in replies:
        merged |= one.data
    trouble = (_trouble(command, one) for one in replies)
    said = " ".join(one.description for one in replies)
    return _Answer(command, merged, replies[0].version, said, next(filter(None, trouble), ""))


def _trouble(command: str, reply: Reply) -> str:
    """The error in a reply; empty if it succeeded or there is merely nothing to show."""
    nothing = any(word in reply.description.lower() for word in _NOTHING)
    return "" if reply.ok or nothing else f"{command}: {reply.why}"
