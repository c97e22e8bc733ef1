"""The commands, conditions and undos of plans are those that were recorded: a change of the code changes none unseen."""

import pytest
from msgspec.structs import replace

from raidtui.machine.tools import never_in_plans
from raidtui.model.plan import Plan
from raidtui.plan.build import make_plan
from tests.unit.plan_machines import SEED, machine
from tests.unit.recorded_plans import FOLDER, as_text, plans, specs

PLANS = dict(plans())


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_says_the_same_commands_as_when_it_was_recorded(name: str) -> None:
    plan: Plan = PLANS[name]
    assert as_text(plan) == (FOLDER / f"{name}.txt").read_text()


def test_every_recording_belongs_to_a_plan() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(PLANS)


@pytest.mark.parametrize("version", ["", "0.1", "99"])
def test_a_version_that_a_reading_does_not_ask_for_changes_no_plan(version: str) -> None:
    there = machine()
    unasked = [name for name in there.tools if name in never_in_plans()]
    assert unasked
    other = replace(there, tools=there.tools | dict.fromkeys(unasked, version))
    for name, spec in specs():
        assert make_plan(spec, other, seed=SEED) == PLANS[name]


def test_only_a_step_that_waits_for_udev_is_one_that_only_waits() -> None:
    waits = {step.id for plan in PLANS.values() for step in plan.steps if step.only_waits}
    assert {one.partition("-")[0] for one in waits} == {"settle"}
