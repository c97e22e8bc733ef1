"""What a printed command asks to be accepted stands beside it."""

from pathlib import Path
from typing import Final

import pytest

from raidtui.advice.alert_wrongs import wrongs_of
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.cli import main
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.plan import Severity
from raidtui.model.procedure import Recover, Scrub
from raidtui.plan.asked import with_asked
from raidtui.plan.care import make_care
from tests.unit.plan_machines import SEED

STATES: Final = Path(__file__).parents[1] / "machines" / "states"


@pytest.mark.parametrize(
    ("state", "asked"),
    [
        ("md-two-failed", {("forced-start",)}),
        ("md-mismatches", {("repair-overwrites",)}),
        ("md-rebuild-left-out", {("foreign-array",)}),
        ("btrfs-device-back-mounted", {("without-checksums",)}),
        ("usb-enclosure-member-failed", {("no-identity", "usb")}),
    ],
)
def test_a_command_asks_for_what_its_plan_asks(state: str, asked: set[tuple[str, ...]]) -> None:
    machine = recorded_machine(str(STATES / f"{state}.json"))
    remedies = [
        one
        for finding in with_asked(diagnose(units_of(machine), machine), machine)
        for one in finding.remedies
        if one.procedure is not None and not isinstance(one.procedure, Recover)
    ]
    assert {one.accept for one in remedies if one.accept} == asked
    for one in remedies:
        assert one.procedure is not None
        plan = make_care(one.procedure, machine, seed=SEED)
        assert one.accept == tuple(h.id for h in plan.hazards if h.severity is Severity.HIGH)
        assert all(any(text.startswith(f"HIGH {word}: ") for text in one.warnings) for word in one.accept)


def test_care_prints_it_under_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--machine", str(STATES / "usb-enclosure-member-failed.json"), "care"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    command = next(
        number for number, line in enumerate(lines) if line.startswith("raidtui care tank --erase")
    )
    assert lines[command + 1] == "if you accept these HIGH hazards, add --accept no-identity,usb"


def test_an_alert_says_it_too() -> None:
    machine = recorded_machine(str(STATES / "usb-enclosure-member-failed.json"))
    findings = with_asked(diagnose(units_of(machine), machine), machine)
    wrong = next(one for one in wrongs_of(findings, (), machine) if "raidtui care tank --erase" in one.text)
    lines = wrong.text.splitlines()
    command = next(number for number, line in enumerate(lines) if line.startswith("raidtui care tank"))
    assert lines[command + 1 :] == ["if you accept these HIGH hazards, add --accept no-identity,usb"]
    assert [line[: line.index(":")] for line in lines[:command] if line.startswith("HIGH ")] == [
        "HIGH no-identity",
        "HIGH usb",
    ]


def test_in_an_alert_each_command_stands_under_its_own_sentence() -> None:
    machine = recorded_machine(str(STATES / "usb-enclosure-member-failed.json"))
    finding = Finding(
        name="tank",
        kind=Kind.DEGRADED,
        what="a member is missing",
        remedies=(Remedy(text="look at its cable"), Remedy(text="check it", procedure=Scrub(unit="tank"))),
    )
    (wrong, *_) = wrongs_of([finding], (), machine)
    assert wrong.text.splitlines()[1:4] == [
        "to do: look at its cable",
        "to do: check it",
        "raidtui care tank",
    ]
