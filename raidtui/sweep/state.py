"""The progress of a sweep from its journal: what is measured, what failed, what is finished. Pure."""

from collections.abc import Sequence

from raidtui.jobs.journal import data_of
from raidtui.model.journal import Entry, Event, seconds_between
from raidtui.model.struct import Record
from raidtui.model.units import about


class Progress(Record, frozen=True, kw_only=True):
    """The progress of a sweep."""

    results: dict[str, str]  # cell → id of its result
    failed: dict[str, str]  # turn → reason, in a sentence
    ended: frozenset[str]  # turns that are finished
    turn: str = ""  # the current turn, or the last one
    doing: str = ""  # what it does there: the last note
    job: str = ""  # id of the part that does it
    turn_seconds: float | None = None  # mean time of a whole turn, of those that were measured


def made_words(progress: Progress, turns: int) -> str:
    """How much of a sweep of ``turns`` turns is done, as a phrase."""
    return f"{len(progress.ended)} of {turns} arrays done"


def left_words(progress: Progress, turns: int) -> str:
    """How long the rest of it takes, as a phrase; empty until a turn was measured."""
    if progress.turn_seconds is None:
        return ""
    return f"{about(progress.turn_seconds * (turns - len(progress.ended)))} left"


def progress_of(entries: Sequence[Entry]) -> Progress:
    """Read the progress from the journal of a sweep."""
    results: dict[str, str] = {}
    failed: dict[str, str] = {}
    ended: set[str] = set()
    turn = doing = job = begin = ""
    took: list[float] = []
    for entry in entries:
        match entry.event:
            case Event.STEP:
                turn, doing, job, begin = entry.step, "", "", entry.at
            case Event.NOTE:
                doing = entry.text
                job = str(data_of(entry).get("job", ""))
            case Event.STARTED:
                begin = ""  # an interrupted turn does not count towards the mean
            case Event.RESULT:
                results[entry.step] = entry.text
            case Event.STEP_DONE:
                ended.add(entry.step)
                if begin:
                    took.append(seconds_between(begin, entry.at))
            case Event.STEP_FAILED:
                failed[entry.step] = entry.text
                ended.add(entry.step)
            case _:
                pass
    return Progress(
        results=results,
        failed=failed,
        ended=frozenset(ended),
        turn=turn,
        doing=doing,
        job=job,
        turn_seconds=sum(took) / len(took) if took else None,
    )
