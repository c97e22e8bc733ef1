"""Every order of up to three operations of care, with each failure put in once: no job is stuck, none is lost.

``--long`` plays all; ``RAIDTUI_SEQUENCE=NUMBER`` plays one alone.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from raidtui.jobs.journal import read_journal
from raidtui.jobs.store import write_job
from raidtui.model.journal import Event, Outcome
from raidtui.model.plan import Check
from raidtui.model.procedure import Grow
from raidtui.plan.care import make_care
from tests.unit.care_sequences import (
    OPERATIONS,
    ORDERS,
    SEQUENCES,
    Array,
    CareComputer,
    Failure,
    play,
    request_of,
    run,
)
from tests.unit.plan_machines import ARRAY_UUID, SEED

QUICK, STRIDE = 120, 37  # sequences, and the distance between two
TIMES_IN_LONG = 1


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_sequences_are_carried_on_after_any_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    alone = os.environ.get("RAIDTUI_SEQUENCE")
    numbers = range(0, QUICK * STRIDE, STRIDE)
    if request.config.getoption("--long"):
        numbers = range(SEQUENCES * TIMES_IN_LONG)
    struck: Counter[Failure] = Counter()
    told: Counter[str] = Counter()
    for number in [int(alone)] if alone else numbers:
        folder = tmp_path / str(number)
        monkeypatch.setenv("RAIDTUI_STATE", str(folder))
        try:
            course = play(number, folder)
        except BaseException as error:
            error.add_note(f"RAIDTUI_SEQUENCE={number}")
            raise
        struck[course.failure] += course.struck
        told.update(one.partition(": ")[0] + ": " + one.split(": ")[1] for one in course.told)
    if not alone:
        assert min(struck[failure] for failure in Failure) > 5, struck
        assert {word for word in OPERATIONS if told[f"{word}: done"]} == set(OPERATIONS), told
        assert len(ORDERS) == 8 + 8**2 + 8**3


@pytest.mark.parametrize(("grown", "end"), [(True, Outcome.DONE), (False, Outcome.FAILED)])
def test_a_reshape_that_is_over_before_it_is_waited_for_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grown: bool, end: Outcome
) -> None:
    """md reshapes a small array in less time than the job takes from one step to the next."""
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    machine, order = Array().machine(), Grow(unit=ARRAY_UUID, add=("S-0004",))
    plan = make_care(order, machine, seed=SEED)
    (wait,) = (step for step in plan.steps if step.id == "wait")

    class Fast(CareComputer):
        over = False

        def _holds(self, check: Check) -> bool:
            if check in wait.before:
                self.over = True
                return False
            return grown and self.over if check in wait.after else super()._holds(check)

    job = write_job(request_of(order, plan, "j"), machine=machine, plan=plan)
    assert run(job, Fast(plan, machine)) is end
    ended = [
        entry.text for entry in read_journal(job) if entry.event is Event.STEP_DONE and entry.step == "wait"
    ]
    assert ended == ["over before it was waited for"] * grown
