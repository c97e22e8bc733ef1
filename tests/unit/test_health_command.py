"""`raidtui health`: one line a disk, the verdict first; what reports nothing is UNKNOWN, not well."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.advice.disk_health import Verdict, health_of, history_lines, long_test_words
from raidtui.cli import main
from raidtui.commands.health import table_lines
from raidtui.machine.reader import load_machine
from raidtui.model.history import History
from raidtui.model.machine import Machine
from raidtui.model.problem import Problem
from raidtui.model.smart import Smart
from raidtui.model.struct import to_json
from tests.unit.test_smart_trends import series

CLEAN = load_machine(str(Path(__file__).parent.parent / "machines" / "raid5-clean.json"))
WELL = Smart(passed=True, temperature_celsius=31, power_on_hours=20_000, reallocated_sectors=0)


def computer() -> Machine:
    """Four disks: one well, one with a count that grows, one that fails, one that says nothing."""
    a, b, c, d = CLEAN.disks[:4]
    grows = series(*({"reallocated_sectors": 8 * day} for day in range(9)), disk=b)
    return replace(
        CLEAN,
        disks=(
            replace(a, smart=WELL),
            replace(b, smart=replace(WELL, reallocated_sectors=64)),
            replace(c, smart=replace(WELL, passed=False)),
            replace(d, smart=None),
        ),
        history=History(smart=tuple(grows)),
    )


def test_each_disk_has_a_verdict_and_the_reason() -> None:
    found = health_of(computer())
    assert [one.verdict for one in found] == [Verdict.OK, Verdict.WATCH, Verdict.REPLACE, Verdict.UNKNOWN]
    assert found[1].words == "64 reallocated (+64)"
    lines = "\n".join(table_lines(list(found)))
    assert "   !  reallocated sectors 0 → 64 since 1 Jan" in lines
    assert "   !  SMART overall health: FAILED" in lines
    assert "1 disk UNKNOWN" in lines


def test_the_history_of_a_disk_has_a_line_for_each_day_and_only_what_it_reports() -> None:
    lines = history_lines(health_of(computer())[1])
    assert lines[2].split() == ["day", "reallocated"]
    assert lines[-1].split() == ["2026-01-09", "64"]
    assert "nothing is recorded yet" in history_lines(health_of(computer())[0])[-1]


@pytest.mark.parametrize(
    ("smart", "words"),
    [
        (None, ""),
        (Smart(), ""),
        (Smart(power_on_hours=1000, self_tests_logged=0), "never"),
        (Smart(power_on_hours=1000, self_tests_logged=2, long_test_hours=900), "4 d ago"),
        (Smart(power_on_hours=65_600, self_tests_logged=2, long_test_hours=30), "1 d ago"),  # 16 bits
        (Smart(failed_test="extended: read failure at 900 h"), "FAILED"),
    ],
)
def test_the_last_long_test(smart: Smart | None, words: str) -> None:
    assert long_test_words(smart) == words


def test_a_recorded_machine_has_its_history_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machine.json"
    file.write_text(to_json(computer()))
    assert main(["--machine", str(file), "health"]) == 0
    assert "WATCH" in capsys.readouterr().out
    assert main(["--machine", str(file), "health", CLEAN.disks[1].identity, "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["disks"]
    assert (one["verdict"], one["worst"], len(one["rows"])) == ("WATCH", "reallocated_sectors", 9)
    assert main(["--machine", str(file), "health", "nonsense"]) == 2
    assert "no disk of this machine is called 'nonsense'" in capsys.readouterr().err


def test_what_could_not_be_read_is_said_in_lines_of_80(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machine.json"
    why = "storcli64, which reads the RAID card at 0000:00:09.0, is not installed; " * 2
    file.write_text(to_json(replace(computer(), problems=(Problem(what="megaraid", text=why),))))
    assert main(["--machine", str(file), "health"]) == 0
    out = capsys.readouterr().out
    assert "unknown: storcli64" in out
    assert max(map(len, out.splitlines())) <= 80
