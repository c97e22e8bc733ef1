"""The history file: what was recorded comes back in order, and a file that cannot be read is a problem, not nothing."""

import sqlite3
from pathlib import Path

import pytest

from raidtui.backends.reading import with_history
from raidtui.machine.history import SCHEMA, HistoryFile, read_history
from raidtui.machine.reader import load_machine
from raidtui.model.errors import BadInput, Refused
from raidtui.model.history import History, Recorded

MACHINES = Path(__file__).parent.parent / "machines"


class Warmth(Recorded, frozen=True, kw_only=True):
    """A record of these tests."""

    celsius: int


class Noise(Recorded, frozen=True, kw_only=True):
    """Another kind."""


def warmth(subject: str, day: int, celsius: int = 30) -> Warmth:
    return Warmth(subject=subject, at=f"2026-11-{day:02}T04:00:00+00:00", celsius=celsius)


@pytest.fixture
def file(tmp_path: Path) -> HistoryFile:
    return HistoryFile(tmp_path / "state" / "history.sqlite")


def test_nothing_recorded_is_no_file(file: HistoryFile) -> None:
    assert file.of(Warmth) == ()
    file.add([])
    assert not file.path.exists()


def test_records_come_back_oldest_first_each_kind_alone(file: HistoryFile) -> None:
    file.add([warmth("A", 3), warmth("B", 2), Noise(subject="A", at="2026-11-01T00:00:00+00:00")])
    file.add([warmth("A", 1)])
    assert file.of(Warmth) == (warmth("A", 1), warmth("B", 2), warmth("A", 3))
    assert file.of(Warmth, "A") == (warmth("A", 1), warmth("A", 3))
    assert len(file.of(Noise)) == 1


def test_the_last_ones_of_each_subject(file: HistoryFile) -> None:
    file.add([warmth("A", day) for day in (1, 2, 3)] + [warmth("B", 1)])
    assert file.of(Warmth, last=2) == (warmth("B", 1), warmth("A", 2), warmth("A", 3))
    assert file.of(Warmth, "A", last=1) == (warmth("A", 3),)


def test_a_record_of_the_same_time_takes_its_place(file: HistoryFile) -> None:
    file.add([warmth("A", 1, 30)])
    file.add([warmth("A", 1, 40)])
    assert file.of(Warmth) == (warmth("A", 1, 40),)


def test_old_records_can_be_removed(file: HistoryFile) -> None:
    file.add([warmth("A", 1), warmth("A", 2)])
    file.remove([warmth("A", 1)])
    assert file.of(Warmth) == (warmth("A", 2),)


def test_a_record_that_is_not_as_written_is_an_error_with_the_file(file: HistoryFile) -> None:
    file.add([warmth("A", 1)])
    with sqlite3.connect(file.path) as database:
        database.execute("UPDATE record SET document = '{}'")
    with pytest.raises(BadInput, match=r"history\.sqlite"):
        file.of(Warmth)


def test_the_results_file_is_not_taken_for_it(file: HistoryFile) -> None:
    file.path.parent.mkdir()
    with sqlite3.connect(file.path) as database:
        database.execute("PRAGMA application_id = 1")
        database.execute("CREATE TABLE result (id)")
    with pytest.raises(BadInput, match="another program"):
        read_history(file)


def test_a_file_of_a_newer_raidtui_is_refused(file: HistoryFile) -> None:
    file.add([warmth("A", 1)])
    with sqlite3.connect(file.path) as database:
        database.execute(f"PRAGMA user_version = {len(SCHEMA.migrations) + 1}")
    with pytest.raises(BadInput, match="newer raidtui"):
        read_history(file)


def test_a_machine_carries_it_and_one_that_cannot_be_read_is_a_problem() -> None:
    machine = load_machine(str(MACHINES / "blank-4.json"))
    assert machine.history is None, "a recording from before"
    assert with_history(machine, History).history == History()

    def refuse() -> History:
        raise Refused("the history file /x cannot be read: Permission denied")

    lacking = with_history(machine, refuse)
    assert lacking.history is None
    assert [one.text for one in lacking.problems] == [
        "what raidtui recorded over time cannot be read: the history file /x cannot be read: Permission denied"
    ]
