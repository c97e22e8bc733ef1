"""The whole computer is read beside what is shown, one reading after the other, and none is waited for."""

from threading import Event

import pytest

from raidtui.commands.status import Beside
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Machine
from tests.unit.plan_machines import machine


def until_read(beside: Beside) -> None:
    for _ in range(500):
        if not beside.pending:
            return
        Event().wait(0.01)
    raise AssertionError("it does not end")


def test_a_slow_reading_is_not_waited_for_and_the_newest_counts() -> None:
    here, go, read = machine(), Event(), []

    def slow() -> Machine:
        read.append(1)
        assert go.wait(5)
        return here

    beside = Beside(slow)
    assert (beside.begun, beside.pending, beside.machine()) == (False, False, None)
    beside.begin()
    beside.begin()
    assert (beside.begun, beside.pending, beside.machine()) == (True, True, None)
    go.set()
    until_read(beside)
    assert beside.machine() is here
    assert len(read) == 2


def test_what_cannot_be_read_is_said_and_not_taken_for_nothing() -> None:
    def fails() -> Machine:
        raise StepFailed("it cannot be read")

    beside = Beside(fails)
    beside.begin()
    until_read(beside)
    with pytest.raises(StepFailed, match="cannot be read"):
        beside.machine()
