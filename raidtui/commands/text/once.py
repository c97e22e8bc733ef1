"""One line and an exit code about the whole computer, by the convention of monitoring plugins.

0 is well, 1 something to look at, 2 danger, 3 unknown. The words are those that monitoring systems show for them.
Danger comes before a warning, and a warning before what is unknown; nothing that is unknown counts as well.
"""

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum

from raidtui.advice.findings.pages import PAGES
from raidtui.advice.redundancy import Redundancy, redundancy
from raidtui.commands._look import Look
from raidtui.model.finding import Finding, Urgency
from raidtui.model.journal import JobState, Outcome
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Health, Unit


class Grade(IntEnum):
    """The exit code of a monitoring plugin."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


_WORST_LAST = (Grade.OK, Grade.UNKNOWN, Grade.WARNING, Grade.CRITICAL)
_OF_FINDING = {
    Urgency.NOTE: Grade.OK,
    Urgency.WARNING: Grade.WARNING,
    Urgency.DANGER: Grade.CRITICAL,
}


class OnceDocument(Record, frozen=True, kw_only=True):
    """The document of ``--once --json``."""

    code: int  # the exit code
    state: str  # OK, WARNING, CRITICAL or UNKNOWN
    text: str  # what is worst, in a sentence
    findings: tuple[Finding, ...] = ()
    units: tuple[Unit, ...] = ()
    unknown: tuple[str, ...] = ()  # what could not be read


def graded(seen: Look, jobs: Sequence[JobState], damaged: Sequence[str]) -> OnceDocument:
    """Grade a computer.

    Args:
        jobs: those that run or were interrupted.
        damaged: about jobs that cannot be read.
    """
    unknown = [one.text for one in seen.machine.problems] + list(damaged)
    if not seen.machine.complete:
        unknown.append("without root not everything can be read")
    named = {finding.unit for finding in seen.findings}
    reasons = [
        *((_OF_FINDING[PAGES[one.kind].urgency], one.what) for one in seen.findings),
        *((grade, text) for unit in seen.units if unit.uuid not in named for grade, text in _of_unit(unit)),
        *(
            (Grade.WARNING, f"job {job.request.id} ({job.request.title}) was interrupted")
            for job in jobs
            if job.outcome is Outcome.INTERRUPTED
        ),
        *((Grade.UNKNOWN, text) for text in unknown),
    ]
    grade = max((one for one, _ in reasons), key=_WORST_LAST.index, default=Grade.OK)
    worst = [text for one, text in reasons if one is grade]
    if grade is Grade.OK:
        text = _well(seen.units, notes=len(worst))
    else:
        more = len(reasons) - 1
        see = "care" if seen.findings else "status"
        text = f"{worst[0]}{f'; {more} more' if more else ''}; see 'raidtui {see}'"
    return OnceDocument(
        code=grade,
        state=grade.name,
        text=text,
        findings=seen.findings,
        units=tuple(unit.document for unit in seen.units),
        unknown=tuple(unknown),
    )


def not_known(sentence: str) -> OnceDocument:
    """The document if nothing could be read at all."""
    return OnceDocument(code=Grade.UNKNOWN, state=Grade.UNKNOWN.name, text=sentence, unknown=(sentence,))


def line(document: OnceDocument) -> str:
    """The line of a plugin: the state, the sentence, and figures for graphs behind a bar."""
    text = harmless(document.text).replace("|", "/")  # the bar begins the figures
    by_health = Counter(unit.health for unit in document.units)
    figures = {
        "units": len(document.units),
        "degraded": by_health[Health.DEGRADED],
        "failed": by_health[Health.FAILED],
        "findings": len(document.findings),
        "unknown": len(document.unknown),
    }
    return (
        f"RAIDTUI {document.state} - {text} | {' '.join(f'{key}={value}' for key, value in figures.items())}"
    )


def _of_unit(unit: Unit) -> Sequence[tuple[Grade, str]]:
    """What is not a finding, since nothing is to be done about it: a rebuild, a first sync."""
    if unit.health in {Health.BUILDING, Health.DEGRADED}:
        return ((Grade.WARNING, f"{unit.shown}: {unit.state}"),)
    left = redundancy(unit)
    if left is Redundancy.LOST:
        return ((Grade.CRITICAL, f"{unit.shown}: {unit.state}"),)
    if any(member.role == "missing" for member in unit.members):
        return ((Grade.UNKNOWN, f"{unit.shown}: {unit.state}, but members are missing from its reading"),)
    if left is None and not unit.stopped and unit.level != "container":
        return ((Grade.UNKNOWN, f"{unit.shown}: whether it is redundant is not known"),)
    return ()


def _well(units: Sequence[Unit], *, notes: int) -> str:
    text = f"{count_of(units, 'unit')}, none degraded" if units else "no arrays, pools or volume groups here"
    doing = [f"{unit.shown}: {unit.state}" for unit in units if unit.activity is not None]
    noted = [f"{count_of(notes, 'note')}, see 'raidtui care'"] if notes else []
    return "; ".join([text, *doing, *noted])
