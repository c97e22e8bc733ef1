"""The commands, conditions and undos of plans are those that were recorded: a change of the code changes none unseen."""

import pytest

from raidtui.model.plan import Plan
from tests.unit.recorded_plans import FOLDER, as_text, plans

PLANS = dict(plans())


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_says_the_same_commands_as_when_it_was_recorded(name: str) -> None:
    plan: Plan = PLANS[name]
    assert as_text(plan) == (FOLDER / f"{name}.txt").read_text()


def test_every_recording_belongs_to_a_plan() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(PLANS)
