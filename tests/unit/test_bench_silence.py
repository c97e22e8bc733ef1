"""For how long a disk has done nothing: what tells a slow benchmark from one whose disk does not answer."""

import pytest

from raidtui.bench.observer import LONGEST_SILENCE, Silence
from raidtui.model.errors import StepFailed


def test_a_silence_lasts_from_the_last_sign_of_life() -> None:
    silence = Silence("/dev/md127", 100.0)
    assert silence.seconds(100.25, active=True) == 0.0
    assert silence.seconds(130.25, active=False) == 30.0
    assert silence.seconds(130.5, active=True) == 0.0
    assert silence.seconds(131.5, active=False) == 1.0


def test_what_stays_silent_ends_the_benchmark_so_that_a_sweep_can_go_on() -> None:
    silence = Silence("/dev/md127", 0.0)
    assert silence.seconds(LONGEST_SILENCE, active=False) == LONGEST_SILENCE
    with pytest.raises(StepFailed, match="no I/O completed on /dev/md127 for 10 min 1 s"):
        silence.seconds(LONGEST_SILENCE + 1, active=False)
