"""`raidtui status --once`: one line and an exit code, which is never 0 where something is unknown."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.cli import main
from raidtui.commands import status
from raidtui.commands._look import Look, look_at
from raidtui.commands.text.once import Grade, graded, line
from raidtui.machine.reader import load_machine
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.problem import Problem

MACHINES = Path(__file__).parent.parent / "machines"


def seen(name: str) -> Look:
    return look_at(load_machine(str(MACHINES / f"{name}.json")), recorded=True)


@pytest.mark.parametrize(
    ("name", "grade"),
    [
        ("blank-4", Grade.OK),
        ("raid5-clean", Grade.OK),
        ("raid5-building", Grade.WARNING),
        ("raid1-spare-rebuilding", Grade.WARNING),
        ("raid5-degraded", Grade.CRITICAL),
        ("raid5-one-outside", Grade.WARNING),
        ("raid5-stopped", Grade.WARNING),
    ],
)
def test_the_exit_code_is_that_of_a_monitoring_plugin(name: str, grade: Grade) -> None:
    assert graded(seen(name), (), ()).code is grade


def test_the_line_names_the_array_and_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--machine", str(MACHINES / "raid5-degraded.json"), "status", "--once"]) == 2
    assert capsys.readouterr().out == (
        "RAIDTUI CRITICAL - array tank: degraded, not redundant: 1 of 4 members missing (ubdb faulty); "
        "see 'raidtui care' | units=1 degraded=1 failed=0 findings=1 unknown=0\n"
    )


def test_a_bar_in_a_name_does_not_begin_the_figures() -> None:
    well = seen("blank-4")
    odd = Finding(name="a|b", kind=Kind.FAILED, what="array a|b: FAILED\x1b[2J")
    text = line(graded(well._replace(findings=(odd,)), (), ()))
    assert text.startswith("RAIDTUI CRITICAL - array a/b: FAILED?[2J; see")
    assert text.count("|") == 1


def test_a_note_does_not_wake_anybody() -> None:
    noted = seen("blank-4")._replace(findings=(Finding(name="tank", kind=Kind.WAITING, what="not mounted"),))
    done = graded(noted, (), ())
    assert (done.code, done.text) == (
        Grade.OK,
        "no arrays, pools or volume groups here; 1 note, see 'raidtui care'",
    )


def test_what_cannot_be_read_is_unknown_and_not_well() -> None:
    well = seen("raid5-clean")
    lacking = replace(well.machine, problems=(Problem(what="lvm", text="LVM cannot be read: vgs hangs"),))
    assert graded(well._replace(machine=lacking), (), ()).code is Grade.UNKNOWN
    assert graded(well._replace(machine=replace(well.machine, complete=False)), (), ()).code is Grade.UNKNOWN
    assert graded(well, (), ("job x is damaged",)).code is Grade.UNKNOWN
    odd = replace(well.units[0], level="raid7")
    assert graded(well._replace(units=(odd,)), (), ()).code is Grade.UNKNOWN


def test_a_reading_that_contradicts_itself_is_unknown() -> None:
    well = seen("raid5-clean")
    (array,) = well.machine.arrays
    empty = look_at(replace(well.machine, arrays=(replace(array, members=()),)), recorded=True)
    assert graded(empty, (), ()).code is Grade.UNKNOWN


def test_danger_is_not_hidden_by_what_is_unknown() -> None:
    bad = seen("raid5-degraded")
    assert graded(bad._replace(machine=replace(bad.machine, complete=False)), (), ()).code is Grade.CRITICAL


def test_a_computer_that_cannot_be_read_at_all_is_unknown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(recorded: str | None) -> Look:
        raise Refused("the state folder cannot be used")

    monkeypatch.setattr(status, "look", refuse)
    assert main(["status", "--once"]) == 3
    assert capsys.readouterr().out.startswith("RAIDTUI UNKNOWN - the state folder cannot be used | ")


def test_the_same_as_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--machine", str(MACHINES / "raid5-degraded.json"), "status", "--once", "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert (document["code"], document["state"], document["unknown"]) == (2, "CRITICAL", [])
    assert document["findings"][0]["kind"] == "no-redundancy"


def test_two_ways_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--once", "--watch"]) == 2
    assert "--watch and --once cannot be combined" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--alert"], ["--prometheus", "some.prom"], ["--prometheus-rules"], ["--acknowledge", "tank"]]
)
def test_what_prints_no_json_refuses_it(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", *words, "--json"]) == 2
    assert f"{words[0]} and --json cannot be combined" in capsys.readouterr().err
