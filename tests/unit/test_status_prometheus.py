"""`raidtui status --prometheus`: a removed member shows, names are escaped, and the unknown has no sample."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.cli import main
from raidtui.commands._look import Look, look_at
from raidtui.commands.text.prometheus import metrics_text
from raidtui.machine.reader import load_machine
from raidtui.model.history import AlertProven, History, ScrubResult
from raidtui.model.lost import LostMember

MACHINES = Path(__file__).parent.parent / "machines"
_LINE = re.compile(
    r'(?P<name>[a-z_]+)(?:\{(?P<labels>(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*)\})? (?P<value>-?[0-9.e+-]+)'
)


def seen(name: str) -> Look:
    return look_at(load_machine(str(MACHINES / f"{name}.json")), recorded=True)


def samples(text: str) -> dict[str, float]:
    """Each sample by its name and labels; each line must be one of the format."""
    found: dict[str, float] = {}
    described: set[str] = set()
    for one in text.splitlines():
        if one.startswith("# "):
            described.add(one.split()[2])
            continue
        match = _LINE.fullmatch(one)
        assert match, one
        assert match["name"] in described
        key = f"{match['name']}{{{match['labels'] or ''}}}"
        assert key not in found, f"{key} twice"
        found[key] = float(match["value"])
    return found


def named(text: str, name: str) -> list[float]:
    return [value for key, value in samples(text).items() if key.startswith(f"raidtui_{name}{{")]


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_every_line_is_one_of_the_format_and_none_is_there_twice(path: Path) -> None:
    found = samples(metrics_text(seen(path.stem)))
    assert "raidtui_reading_complete{}" in found


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("raid5-clean", [2]),
        ("raid5-degraded", [0]),
        ("raid5-building", [0]),
        ("blank-4", []),
        ("raid5-stopped", []),
    ],
)
def test_the_redundancy_that_is_left_is_one_number(name: str, left: list[float]) -> None:
    assert named(metrics_text(seen(name)), "unit_redundancy") == left


def test_a_member_that_was_removed_shows_with_its_serial_number() -> None:
    whole = seen("raid5-degraded")
    unit = replace(whole.units[0], lost=(LostMember(disk="LAB-0002", path="/dev/ubdb", place="port 2"),))
    text = metrics_text(whole._replace(units=(unit,)))
    assert named(text, "unit_members_lost") == [1]
    assert any(
        'disk="LAB-0002"' in key for key in samples(text) if key.startswith("raidtui_member_lost_info")
    )


def test_the_last_scrub_and_the_last_proof_of_alerts_are_times() -> None:
    whole = seen("raid5-clean")
    (unit,) = whole.units
    old, new = (
        ScrubResult(subject=unit.uuid, at=f"2026-11-{day}T04:00:00+00:00", level="raid5", found=found)
        for day, found in (("01", 0), ("20", 128))
    )
    proof = AlertProven(subject="mail", at="2026-11-03T12:00:00+00:00")
    history = History(scrubs=(old, new), alert_proofs=(proof,))
    text = metrics_text(whole._replace(machine=replace(whole.machine, history=history)))
    assert named(text, "unit_scrub_timestamp_seconds") == [datetime(2026, 11, 20, 4, tzinfo=UTC).timestamp()]
    assert named(text, "unit_scrub_mismatches") == [128]
    assert 'raidtui_alerts_proven_timestamp_seconds{way="mail"}' in text
    assert named(metrics_text(whole), "unit_scrub_mismatches") == [], "no history was read"


def test_names_from_a_disk_cannot_write_another_line() -> None:
    whole = seen("raid5-clean")
    unit = replace(whole.units[0], name='a"\\\nraidtui_unit_redundancy{unit="b"} 2')
    assert named(metrics_text(whole._replace(units=(unit,))), "unit_redundancy") == [2]


def test_the_file_is_readable_by_everybody_and_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "raidtui.prom"
    file.write_text("old")
    assert main(["--machine", str(MACHINES / "raid5-clean.json"), "status", "--prometheus", str(file)]) == 0
    assert file.stat().st_mode & 0o777 == 0o644
    assert file.read_text() == metrics_text(seen("raid5-clean"))
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_node_exporter_would_not_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = str(MACHINES / "blank-4.json")
    assert main(["--machine", machine, "status", "--prometheus", str(tmp_path / "raidtui.txt")]) == 2
    assert main(["--machine", machine, "status", "--prometheus", str(tmp_path / "no" / "raidtui.prom")]) == 3
    said = capsys.readouterr().err
    assert "*.prom" in said
    assert "cannot be written: No such file or directory" in said


def test_every_metric_of_the_rules_exists(capsys: pytest.CaptureFixture[str]) -> None:
    """A rule about a metric that is not written never fires."""
    assert main(["status", "--prometheus-rules"]) == 0
    rules = capsys.readouterr().out
    source = (Path(__file__).parents[2] / "raidtui" / "commands" / "text" / "prometheus.py").read_text()
    for name in set(re.findall(r"raidtui_([a-z_]+)", rules)):
        assert f'"{name}"' in source or f'"{name.removeprefix("disk_")}"' in source, name
