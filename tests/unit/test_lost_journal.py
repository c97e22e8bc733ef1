"""An array whose write journal failed, or is gone: it takes no write until it runs without one."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.md.procedures.care_conditions import ARRAY_AT, ARRAY_CONSISTENCY
from raidtui.backends.units import units_of
from raidtui.model.answer import Truth
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.procedure import RemoveFailed, WithoutJournal
from tests.ui.machines import running_array
from tests.unit.test_md_care_plans import UUID, whole
from tests.unit.test_md_tend import lines, made

ARRAY = running_array(consistency="journal")
POLICY = f"tee /sys/block/{ARRAY.node.removeprefix('/dev/')}/md/consistency_policy"


def with_journal(*state: str) -> Machine:
    journal = msgspec.structs.replace(
        ARRAY.members[0], path="/dev/sdk1", slot=None, state=("journal", *state)
    )
    return whole(msgspec.structs.replace(ARRAY, members=(*ARRAY.members, journal)))


@pytest.mark.parametrize(
    ("machine", "procedure"),
    [(with_journal("faulty"), RemoveFailed(unit=UUID)), (whole(ARRAY), WithoutJournal(unit=UUID))],
    ids=["failed", "gone"],
)
def test_a_failed_journal_is_removed_and_then_the_policy_is_taken_back(
    machine: Machine, procedure: Any
) -> None:
    (finding,) = diagnose(units_of(machine), machine)
    assert finding.first is not None
    assert (finding.first.procedure, finding.first.commands) == (procedure, ())
    made(procedure, machine)


def test_the_policy_is_taken_back_of_this_array_while_it_is_not_mounted() -> None:
    plan = made(WithoutJournal(unit=UUID), whole(ARRAY))
    assert lines(plan) == [POLICY]
    (step,) = plan.steps
    assert {one.kind for one in step.before} == {"array-at", "not-mounted"}
    assert ARRAY_AT.of(UUID, ARRAY.node) in step.before
    assert step.after == (ARRAY_CONSISTENCY.of(UUID, "resync"),)


@pytest.mark.parametrize(
    ("machine", "why"),
    [
        (with_journal(), "has not lost a write journal"),
        (whole(running_array()), "has not lost a write journal"),
        (with_journal("faulty"), "has failed and is still in"),
    ],
    ids=["works", "never", "failed"],
)
def test_nothing_is_changed_of_an_array_with_its_journal(machine: Machine, why: str) -> None:
    with pytest.raises(Refused, match=why):
        made(WithoutJournal(unit=UUID), machine)


def test_a_policy_that_md_does_not_say_is_unknown() -> None:
    asked = ARRAY_CONSISTENCY.of(UUID, "resync")
    truths = [
        ARRAY_CONSISTENCY.judge(asked, running_array(consistency=policy)).truth
        for policy in ("", "journal", "resync")
    ]
    assert truths == [Truth.UNKNOWN, Truth.NO, Truth.YES]
