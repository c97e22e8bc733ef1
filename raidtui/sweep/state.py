"""How far a sweep came, as its journal tells: what is measured, what failed, what needs nothing more. Pure."""

from collections.abc import Sequence

from raidtui.model.journal import Entry, Event
from raidtui.model.struct import Record


class Progress(Record, frozen=True, kw_only=True):
    """What a journal adds up to."""

    results: dict[str, str]  # cell → id of its result
    failed: dict[str, str]  # turn → the sentence why
    ended: frozenset[str]  # turns that need nothing more
    turn: str = ""  # the one it is at, or was at last
    doing: str = ""  # what it does there: the last note


def progress_of(entries: Sequence[Entry]) -> Progress:
    """Read a journal of a sweep."""
    results: dict[str, str] = {}
    failed: dict[str, str] = {}
    ended: set[str] = set()
    turn = doing = ""
    for entry in entries:
        match entry.event:
            case Event.STEP:
                turn, doing = entry.step, ""
            case Event.NOTE:
                doing = entry.text
            case Event.RESULT:
                results[entry.step] = entry.text
            case Event.STEP_DONE:
                ended.add(entry.step)
            case Event.STEP_FAILED:
                failed[entry.step] = entry.text
                ended.add(entry.step)
            case _:
                pass
    return Progress(results=results, failed=failed, ended=frozenset(ended), turn=turn, doing=doing)
