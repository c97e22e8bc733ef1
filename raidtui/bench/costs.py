"""Time that a benchmark takes besides the measured seconds, learned from an earlier one on the same target."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Final

from raidtui.jobs.journal import read_journal
from raidtui.jobs.store import list_jobs
from raidtui.model.journal import Entry, Event, JobState, Outcome, seconds_between
from raidtui.model.struct import Record

FILL: Final = "fill"  # the journal step that writes the test file


class Costs(Record, frozen=True, kw_only=True):
    """Rates and overhead on a target; the defaults are guesses for one that was never measured."""

    fill_bytes_per_second: float = 150e6  # at which the test file is written and synced
    through_bytes_per_second: float = 150e6  # at which a run goes through the whole file
    overhead_seconds: float = 0.8  # per run: starting and ending fio, reading counters


def costs_of(entries: Sequence[Entry]) -> Costs:
    """The costs found in the journal of a benchmark; guesses for what it did not do."""
    filled, fill_rates, rates, overheads = 0.0, [], [], []
    begin, step = "", ""
    for entry in entries:
        if entry.event is Event.STEP:
            begin, step = entry.at, entry.step
        elif entry.event is Event.STEP_DONE and step == FILL and filled:
            fill_rates.append(filled / max(0.01, seconds_between(begin, entry.at)))
        elif entry.event is Event.COMMAND and entry.argv[:1] == ("fio",) and entry.returncode == 0:
            words = dict(word.removeprefix("--").partition("=")[::2] for word in entry.argv)
            size, took = float(words.get("size", 0)), seconds_between(begin, entry.at)
            if step == FILL:
                filled = size
            elif "time_based" in words:
                overheads.append(max(0.0, took - float(words["runtime"]) - float(words.get("ramp_time", 0))))
            elif "runtime" not in words and size and took > 0:
                rates.append(size / took)
            begin = begin if step == FILL else entry.at
    usual = Costs()
    return Costs(
        fill_bytes_per_second=median(fill_rates) if fill_rates else usual.fill_bytes_per_second,
        through_bytes_per_second=median(rates) if rates else usual.through_bytes_per_second,
        overhead_seconds=fmean(overheads) if overheads else usual.overhead_seconds,
    )


def file_bytes(entries: Sequence[Entry]) -> int:
    """Bytes of the test file of the benchmark with this journal; 0 if it has not been begun."""
    step = ""
    for entry in entries:
        step = entry.step if entry.event is Event.STEP else step
        if entry.event is Event.COMMAND and step == FILL and entry.argv[:1] == ("fio",):
            return next(
                (int(word.removeprefix("--size=")) for word in entry.argv if word.startswith("--size=")), 0
            )
    return 0


def known_costs(
    target: str, jobs: Iterable[JobState], journal_of: Callable[[JobState], Sequence[Entry]]
) -> Costs:
    """The costs of the newest finished benchmark of ``target``, else only the overhead of one of another target."""
    done = [job for job in jobs if job.request.bench is not None and job.outcome is Outcome.DONE]
    done.sort(key=lambda job: job.request.created, reverse=True)
    same = [job for job in done if job.request.bench is not None and job.request.bench.target == target]
    for job in (same or done)[:1]:
        found = costs_of(journal_of(job))
        return found if same else Costs(overhead_seconds=found.overhead_seconds)
    return Costs()


def read_costs(target: str) -> Costs:
    """The costs known for ``target`` on this computer. Raises BadInput: a journal is damaged."""
    return known_costs(target, list_jobs(), lambda state: read_journal(Path(state.folder)))
