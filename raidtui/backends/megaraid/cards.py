"""Read the MegaRAID and PERC cards of this computer with their tools."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from raidtui.backends.cards.asking import NoAnswer, read_each
from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState, Volume
from raidtui.backends.megaraid.adapters import adapter_in
from raidtui.backends.megaraid.answer import Reply
from raidtui.backends.megaraid.drives import drives_in, drives_listed, rebuilds_in
from raidtui.backends.megaraid.tools import ask_tool, tool_for
from raidtui.backends.megaraid.volumes import OPERATIONS, progress_in, volumes_in, with_progress
from raidtui.machine.ask import Ask
from raidtui.machine.cards import MEGARAID
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Card

# "No VD's have been configured.", "No PD found": reported as a failure, but harmless.
_NOTHING: Final = ("no vd", "no pd", "no drive found", "no virtual drive")


def read_cards(cards: Sequence[Card], ask: Ask) -> CardReading | None:
    """Read those of ``cards`` that are of this family; None if none is."""
    ours = [card for card in cards if card.driver in MEGARAID]
    return read_each(ours, tool_for, read_adapters, ask) if ours else None


def read_adapters(tool: str, ask: Ask) -> list[Adapter]:
    """Read every controller that ``tool`` sees.

    Raises:
        StepFailed: it does not answer.
        ToolMissing: it is too old.
    """
    replies = ask_tool(tool, ["show"], ask)
    first = replies[0]
    if not first.ok:
        raise StepFailed(f"{tool} show: {first.why}")
    count = first.data.get("Number of Controllers")
    return [_adapter(tool, number, ask) for number in range(count if isinstance(count, int) else 0)]


def read_volumes(tool: str, number: int, ask: Ask) -> Adapter:
    """Read the virtual drives of a controller only, which takes a single answer."""
    volumes, no_volumes = _volumes(tool, number, ask)
    return Adapter(number=number, tool=tool, volumes=volumes, unread=no_volumes)


def read_drives(tool: str, number: int, ask: Ask) -> Adapter:
    """Read the drives of a controller only."""
    listing, _, problem = _data(tool, [f"/c{number}", "show", "all"], ask)
    drives, no_drives = _drives(tool, number, ask, listing)
    problems = tuple(filter(None, (problem, *no_drives)))
    return Adapter(number=number, tool=tool, drives=drives, problems=problems)


def _adapter(tool: str, number: int, ask: Ask) -> Adapter:
    data, version, problem = _data(tool, [f"/c{number}", "show", "all"], ask)
    found = adapter_in(data, number=number, tool=tool, version=version)
    volumes, no_volumes = _volumes(tool, number, ask)
    drives, no_drives = _drives(tool, number, ask, data)
    return replace(
        found,
        volumes=volumes,
        drives=drives,
        problems=tuple(filter(None, (problem, no_volumes, *no_drives))),
        unread=no_volumes,
    )


def _volumes(tool: str, number: int, ask: Ask) -> tuple[tuple[Volume, ...], str]:
    data, _, problem = _data(tool, [f"/c{number}/vall", "show", "all"], ask)
    found = tuple(volumes_in(data, number))
    active = {one.what for volume in found for one in volume.operations}
    for what, word in OPERATIONS.items():
        if what in active:  # only this answer has the time left
            data, _, _ = _data(tool, [f"/c{number}/vall", "show", word], ask)
            found = tuple(with_progress(volume, what, progress_in(data)) for volume in found)
    return found, problem


def _drives(
    tool: str, number: int, ask: Ask, listing: dict[str, Any]
) -> tuple[tuple[Drive, ...], Iterable[str]]:
    """Read all drives at once; if a bad drive makes that fail, read the missing ones one by one."""
    data, _, problem = _data(tool, [f"/c{number}/eall/sall", "show", "all"], ask)
    known = {drive.slot: drive for drive in drives_in(data, number)}
    listed = list(drives_listed(listing, number))
    problems = [problem]
    for drive in listed:
        if drive.slot in known:
            continue
        alone, _, trouble = _data(tool, [drive.place, "show", "all"], ask)
        known[drive.slot] = next(
            (one for one in drives_in(alone, number) if one.slot == drive.slot),
            replace(drive, problem=trouble or "its card does not describe it"),
        )
        problems.append(trouble)
    if any(drive.state is DriveState.REBUILDING for drive in known.values()):
        data, _, trouble = _data(tool, [f"/c{number}/eall/sall", "show", "rebuild"], ask)
        running = rebuilds_in(data)
        known = {slot: replace(one, operation=running.get(one.place)) for slot, one in known.items()}
        problems.append(trouble)
    order = [drive.slot for drive in listed] or list(known)
    return tuple(known[slot] for slot in dict.fromkeys([*order, *known])), problems


def _data(tool: str, words: Sequence[str], ask: Ask) -> tuple[dict[str, Any], str, str]:
    """The data of an answer, the version of the tool, and the error if there is no valid answer."""
    try:
        replies = ask_tool(tool, words, ask)
    except NoAnswer:
        raise
    except StepFailed as error:
        return {}, "", str(error)
    merged: dict[str, Any] = {}
    for one in replies:
        merged |= one.data
    command = f"{tool} {' '.join(words)}"
    trouble = (_trouble(command, one) for one in replies)
    return merged, replies[0].version, next(filter(None, trouble), "")


def _trouble(command: str, reply: Reply) -> str:
    """The error in a reply; empty if it succeeded or there is merely nothing to show."""
    nothing = any(word in reply.description.lower() for word in _NOTHING)
    return "" if reply.ok or nothing else f"{command}: {reply.why}"
