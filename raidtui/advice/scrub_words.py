"""The scrubs of a unit in words: the last one, the next one, and the one that runs. Pure."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from raidtui.machine.scrub import OWN
from raidtui.model.chance import in_percent
from raidtui.model.history import ScrubResult
from raidtui.model.system import ScrubSchedule
from raidtui.model.unit import Activity
from raidtui.model.units import duration, rate

_MONTHLY: Final = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \*-\*-(\d{1,2}\.\.\d{1,2}) (\d{1,2}):(\d\d)(?::00)?"
)
_WEEKS: Final = {"1..7": "first", "8..14": "second", "15..21": "third", "22..28": "fourth"}
_DAYS: Final = {
    "Mon": "Monday",
    "Tue": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}


def moment(at: str) -> str:
    """A moment in ISO 8601, UTC, to the minute."""
    return f"{at[:16].replace('T', ' ')} UTC"


def result_words(words: str) -> str:
    """The result of a scrub, in its backend's words, where it is said already whose it is."""
    return words.removeprefix("last check: ").removeprefix("last scrub: ")


def last_words(
    history: Sequence[ScrubResult] | None, reported: str, *, shown: Callable[[str], str] = moment
) -> str:
    """The last scrub and its result.

    Args:
        history: what is recorded, oldest first; None: not read.
        reported: what the unit itself reports now; empty: nothing.
        shown: shows a moment.
    """
    if history:
        return f"{shown(history[-1].at)}: {result_words(history[-1].words)}"
    if reported:
        return f"{result_words(reported)}; raidtui did not record it"
    return "not known, its records cannot be read" if history is None else "none recorded"


def next_words(schedules: Sequence[ScrubSchedule] | None) -> str:
    """What starts the next one; None: not known."""
    if schedules is None:
        return "not known"
    found = []
    for one in schedules:
        when = (
            f"once a month, in the nights {one.hours.shown}"
            if one.hours is not None
            else calendar_words(one.when)
        )
        by = "raidtui's timer" if one.by.startswith(f"{OWN}@") else one.by
        found.append(f"by {by}{f' ({when})' if when else ''}")
    return ", and ".join(found) or "nothing starts one"


def calendar_words(when: str) -> str:
    """A monthly ``OnCalendar`` of systemd.time(7) as people say it; anything else as it is.

    "Sun *-*-1..7 1:00:00" is the first Sunday of each month, 01:00.
    """
    found = _MONTHLY.fullmatch(when)
    if found is None or (week := _WEEKS.get(found[2])) is None:
        return when
    return f"the {week} {_DAYS[found[1]]} of each month, {int(found[3]):02}:{found[4]}"


def now_words(doing: Activity | None) -> str:
    """The scrub that runs: how far, how fast, how long; empty if there is none."""
    if doing is None:
        return ""
    words = [f"{doing.what} {in_percent(doing.fraction)}{' paused' if doing.paused else ''}"]
    if doing.bytes_per_second:
        words.append(rate(doing.bytes_per_second))
    if doing.seconds_left is not None and not doing.paused:
        words.append(f"{duration(doing.seconds_left)} left")
    return ", ".join(words)
