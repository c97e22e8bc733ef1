"""How long a benchmark takes is learned from the one before it on the same target."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from raidtui.bench.costs import Costs, costs_of, file_bytes, known_costs
from raidtui.bench.schedule import expected_seconds
from raidtui.bench.settings import settle
from raidtui.model.journal import BenchRequest, Entry, Event, JobKind, JobRequest, JobState, Outcome

MB = 1_000_000


def at(seconds: float) -> str:
    return (datetime(2026, 11, 21, 5, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat()


def fio(seconds: float, *words: str) -> Entry:
    return Entry(
        seq=0, at=at(seconds), event=Event.COMMAND, argv=("fio", f"--size={600 * MB}", *words), returncode=0
    )


def step(seconds: float, name: str, event: Event = Event.STEP) -> Entry:
    return Entry(seq=0, at=at(seconds), event=event, step=name)


TIMED = ("--time_based=1", "--runtime=5", "--ramp_time=1")
JOURNAL = (
    step(0, "fill"),
    fio(8, "--rw=write"),
    step(10, "fill", Event.STEP_DONE),  # two seconds of which were the sync
    step(10, "run-1"),
    fio(17, *TIMED),
    fio(26, *TIMED),
    fio(32, "--rw=read"),  # through the file, 100 MB/s
    step(32.1, "run-1", Event.STEP_DONE),
)


def test_what_a_benchmark_took_is_read_from_its_journal() -> None:
    assert costs_of(JOURNAL) == Costs(
        fill_bytes_per_second=60 * MB, through_bytes_per_second=100 * MB, overhead_seconds=2.0
    )


def test_the_size_of_the_test_file_is_in_the_journal_once_it_is_written() -> None:
    assert file_bytes(JOURNAL) == 600 * MB
    assert file_bytes(JOURNAL[:1]) == file_bytes((step(0, "run-1"), fio(7, *TIMED))) == 0


def test_what_it_did_not_do_is_guessed_and_what_failed_does_not_count() -> None:
    failed = replace(fio(100, *TIMED), returncode=1)
    assert costs_of(()) == costs_of((step(0, "run-1"), failed)) == Costs()


def bench(number: int, target: str, outcome: Outcome = Outcome.DONE) -> JobState:
    request = JobRequest(
        id=str(number), kind=JobKind.BENCH, title="", created=at(number), bench=BenchRequest(target=target)
    )
    return JobState(request=request, outcome=outcome)


def test_the_newest_finished_benchmark_of_the_target_is_what_the_next_one_goes_by() -> None:
    other = (step(0, "run-1"), fio(9, *TIMED))
    journals = {"1": JOURNAL, "2": other, "3": other, "4": other}
    jobs = [
        bench(1, "/a"),
        bench(2, "/b"),
        bench(3, "/a", Outcome.CANCELLED),
        bench(4, "/a", Outcome.RUNNING),
    ]

    def journal_of(state: JobState) -> tuple[Entry, ...]:
        return journals[state.request.id]

    assert known_costs("/a", jobs, journal_of) == costs_of(JOURNAL)
    elsewhere = known_costs("/c", jobs, journal_of)
    assert elsewhere == Costs(overhead_seconds=3.0), "another target's disks say nothing about this one's"
    assert known_costs("/a", (), journal_of) == Costs()


def test_the_time_that_is_announced_has_all_of_it() -> None:
    settings = settle(BenchRequest(target="/a", runs=3, size_bytes=600 * 2**20))
    learned = replace(settings, costs=costs_of(JOURNAL))
    # 8 warm-ups of 2 s, 24 runs of 1 + 5 s, 32 times 2 s around them, and the test file at 60 MB/s.
    assert expected_seconds(learned) == pytest.approx(16 + 144 + 64 + 600 * 2**20 / 60e6)
    assert expected_seconds(settings) < expected_seconds(learned)
