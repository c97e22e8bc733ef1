"""What scrubs found is recorded once, with what it means on that level, and shown by 'raidtui scrub'."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui import cli
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.jobs.regular import RECORDERS, regular
from raidtui.jobs.scrub_records import MOST_POINTS, record_result, record_scrubs, with_point
from raidtui.machine.history import HistoryFile, read_history
from raidtui.model.finding import Kind
from raidtui.model.history import History, ScrubResult, SyncRun
from raidtui.model.machine import Machine, Sync
from raidtui.model.struct import to_json
from tests.unit import plan_machines
from tests.unit.test_scrub_schedules import MDCHECK, nas


def with_array(**changes: Any) -> Machine:
    where = nas(scrub_schedules=(MDCHECK,))
    return msgspec.structs.replace(where, arrays=(plan_machines.array(**changes),))


def checking(done: int, rate: int = 100_000_000) -> Machine:
    sync = Sync(action="check", done_bytes=done, total_bytes=1000, bytes_per_second=rate)
    return with_array(sync=sync, sync_action="check")


def look(machine: Machine) -> None:
    record_scrubs(machine, units_of(machine))


CLEAN = with_array(checked=True, mismatch_sectors=0)
BAD = with_array(checked=True, mismatch_sectors=8)


def test_a_scrub_that_others_started_is_recorded_when_it_has_ended_and_only_once() -> None:
    for machine in (checking(100), checking(500, 50_000_000), BAD, BAD):
        look(machine)
    (result,) = HistoryFile().of(ScrubResult)
    (run,) = HistoryFile().of(SyncRun)
    assert (result.found, result.words) == (8, "last check: mismatches in 8 sectors")
    assert result.begun == run.at
    assert "One place where parity does not fit the data counts 8 sectors" in result.means
    assert run.ended
    assert run.points == ((100, 100_000_000), (500, 50_000_000))


def test_a_scrub_that_was_stopped_before_its_end_has_no_result() -> None:
    for machine in (checking(100), with_array()):
        look(machine)
    assert HistoryFile().of(ScrubResult) == ()
    (run,) = HistoryFile().of(SyncRun)
    assert run.ended


def test_a_scrub_that_ended_hours_too_early_was_stopped_and_has_no_result() -> None:
    """md calls a check that was stopped in its first sixteenth complete, and LVM does not say either."""
    for machine in (checking(10, rate=1), CLEAN, CLEAN):
        look(machine)
    assert HistoryFile().of(ScrubResult) == ()
    (run,) = HistoryFile().of(SyncRun)
    assert (run.left_seconds, run.stopped, bool(run.ended)) == (990, True, True)


def test_an_unseen_scrub_is_noticed_by_its_result() -> None:
    for machine in (CLEAN, CLEAN, BAD):
        look(machine)
    assert [(one.found, one.begun) for one in HistoryFile().of(ScrubResult)] == [(0, ""), (8, "")]


def test_our_own_scrub_is_recorded_at_its_end_and_not_again() -> None:
    (unit,) = units_of(CLEAN)
    record_result(unit, begun="2026-11-01T00:00:00+00:00")
    look(CLEAN)
    (result,) = HistoryFile().of(ScrubResult)
    assert (result.begun, result.found, result.means) == ("2026-11-01T00:00:00+00:00", 0, "")


def test_points_are_thinned_and_keep_their_order() -> None:
    points: tuple[tuple[int, int], ...] = ()
    for place in range(1000):
        points = with_point(points, place, 1)
        assert len(points) <= MOST_POINTS
    assert list(points) == sorted(points)
    assert points[-1][0] == 999


def test_a_history_that_cannot_be_written_is_a_sentence() -> None:
    HistoryFile().path.mkdir(parents=True)
    (text,) = regular(BAD, units_of(BAD), recorders=(record_scrubs,))
    assert text
    assert record_scrubs in RECORDERS


@pytest.mark.parametrize(
    ("counts", "grows"),
    [((8, 16), True), ((16, 8), False), ((0, 8), False), ((8, None), False), ((8,), False)],
)
def test_more_mismatches_each_time_are_a_warning(counts: tuple[int | None, ...], grows: bool) -> None:
    (unit,) = units_of(CLEAN)
    scrubs = tuple(
        ScrubResult(
            subject=unit.uuid, at=f"2026-{month + 1:02}-01T00:00:00+00:00", level="raid5", found=found
        )
        for month, found in enumerate(counts)
    )
    machine = msgspec.structs.replace(CLEAN, history=History(scrubs=scrubs))
    found = [one for one in diagnose([unit], machine) if one.kind is Kind.MORE_MISMATCHES]
    assert bool(found) is grows


def scrub(capsys: pytest.CaptureFixture[str], machine: Machine, folder: Path, *words: str) -> str:
    file = folder / "nas.json"
    file.write_text(to_json(machine))
    assert cli.main(["--machine", str(file), "scrub", *words]) == 0
    return capsys.readouterr().out


def test_the_command_shows_last_next_and_now(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    look(BAD)
    machine = msgspec.structs.replace(BAD, history=read_history())
    out = scrub(capsys, machine, tmp_path)
    assert " UTC: mismatches in 8 sectors" in out
    assert "by mdcheck_start.timer (the first Sunday of each month, 01:00)" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    document = json.loads(scrub(capsys, checking(450), tmp_path, "--json"))
    assert document["units"][0]["running"]["fraction"] == 0.45
    assert document["units"][0]["history"] is None
    assert "check 45 %, 100.0 MB/s" in scrub(capsys, checking(450), tmp_path, "tank")
    assert "not known" in scrub(capsys, nas(scrub_schedules=None), tmp_path)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tank", "--now", "--stop"], "cannot be combined"),
        (["--now"], "needs the UNIT"),
        (["pond"], "no unit is called 'pond'; the units here: "),
    ],
)
def test_wrong_options_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], says: str
) -> None:
    (tmp_path / "nas.json").write_text(to_json(nas()))
    assert cli.main(["--machine", str(tmp_path / "nas.json"), "scrub", *words]) == 2
    assert says in capsys.readouterr().err
