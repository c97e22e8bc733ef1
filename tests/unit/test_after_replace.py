"""When a replacement ends it says what is left to do: what names the unit, and what watches it."""

import pytest
from msgspec.structs import replace

from raidtui.commands._look import Look
from raidtui.commands.terminal import after_replace
from raidtui.commands.terminal.after_replace import left_to_do
from raidtui.model.alerts import AlertsHere
from raidtui.model.machine import Machine
from raidtui.plan.words import replaced_disk
from tests.unit.test_plan_replace import NEW, OLD, nas, whole
from tests.unit.test_plan_replace import plan as replacement
from tests.unit.test_recorded_states import found_in, state


def told(machine: Machine, uuid: str) -> list[str]:
    return list(left_to_do([uuid], Look(machine, (), found_in(machine))))


def test_what_is_wrong_with_the_units_and_the_alerts_is_left_to_do_and_else_nothing() -> None:
    machine = state("container-open")  # its array has no ARRAY line
    (finding,) = found_in(machine)
    watched = replace(machine, alerts=AlertsHere(ways=("ntfy",), exists=True, timer="active"))
    assert told(watched, finding.unit)[0] == f"Left to do, see 'raidtui care': {finding.what}"
    failing = replace(watched, alerts=AlertsHere(ways=("ntfy",), exists=True, timer="failed"))
    assert any(one.startswith("Left to do, see 'raidtui alerts': ") for one in told(failing, "other"))
    assert not told(replace(machine, alerts=None), "other"), "what watches it is not known"
    none_wanted = replace(machine, alerts=AlertsHere(ways=(), exists=True))
    assert not told(none_wanted, "other"), "the file says that there are none"


def test_the_disk_that_may_leave_is_named_with_where_it_is_connected() -> None:
    made = nas(whole(), NEW)
    plan = replacement(made)
    assert replaced_disk(plan, made) == replaced_disk(plan, None) == OLD.serial
    moved = tuple(replace(one, port="ata3") if one.serial == OLD.serial else one for one in made.disks)
    assert replaced_disk(plan, replace(made, disks=moved)) == f"{OLD.serial} at ata3"
    assert replaced_disk(replace(plan, disks=()), made) == ""


def test_nothing_is_left_to_do_only_where_alerts_are_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = replace(state("container-open"), alerts=AlertsHere(ways=("ntfy",), exists=True))
    monkeypatch.setattr(after_replace, "alert_findings", lambda machine, units: ())
    assert told(machine, "other") == [
        "Nothing is left to do: /etc names what it should, and alerts are set and proven."
    ]
    assert not told(replace(machine, complete=False), "other")
