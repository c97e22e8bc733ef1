"""For how long a disk has done nothing: what tells a slow benchmark from one whose disk does not answer."""

from raidtui.bench.observer import Silence


def test_a_silence_lasts_from_the_last_sign_of_life() -> None:
    silence = Silence(100.0)
    assert silence.seconds(100.25, iops=800.0) == 0.0
    assert silence.seconds(130.25, iops=0.0) == 30.0
    assert silence.seconds(130.5, iops=1.0) == 0.0
    assert silence.seconds(131.5, iops=0.0) == 1.0
