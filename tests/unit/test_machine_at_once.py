"""Several devices are asked at the same time."""

import threading

import pytest

from raidtui.machine.at_once import at_once


def test_what_is_found_keeps_the_order_and_eight_wait_for_each_other() -> None:
    all_here = threading.Barrier(8, timeout=30)

    def met(number: int) -> int:
        all_here.wait()
        return number * 2

    assert at_once(met, range(24)) == [number * 2 for number in range(24)]
    assert at_once(met, ()) == []


def test_an_error_is_raised_after_the_others_were_asked() -> None:
    asked = []

    def fail(number: int) -> None:
        asked.append(number)
        if number in {3, 7}:
            raise ValueError(number)

    with pytest.raises(ValueError, match=r"^3$"):
        at_once(fail, range(12))
    assert sorted(asked) == list(range(12))
