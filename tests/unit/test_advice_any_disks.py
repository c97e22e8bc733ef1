"""Every level of every backend on any disks, equal or not, with each filesystem: a figure or a sentence, never an error."""

from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui.advice.filesystems import FILESYSTEMS
from raidtui.advice.report import Question, Report, all_reports
from raidtui.model.units import MIB

SECTORS = st.integers(128 * MIB // 512, 30 * 10**12 // 512)
SIZES = st.lists(SECTORS.map(lambda count: count * 512), min_size=2, max_size=9)
EQUAL = st.tuples(SECTORS.map(lambda count: count * 512), st.integers(2, 9)).map(
    lambda one: [one[0]] * one[1]
)


@settings(max_examples=60, deadline=None)
@given(SIZES | EQUAL, st.sampled_from(FILESYSTEMS), st.booleans())
def test_each_layout_has_figures_or_a_reason(sizes: list[int], filesystem: str, rotational: bool) -> None:
    question = Question(sizes=tuple(sizes), filesystem=filesystem, rotational=rotational)

    for report in all_reports(question):
        if report.refused is not None:
            assert report.refused
            assert report.array_bytes == 0
        else:
            assert 0 <= report.usable_bytes <= report.array_bytes <= sum(sizes)
            assert 0 <= report.overhead <= 1
            check_speed(report, len(sizes))
            check_chances(report)


def check_speed(report: Report, disks: int) -> None:
    """No layout is faster than all of its disks together, and none gains from a missing disk."""
    best = report.ideal
    assert best is not None
    assert 0 < best.seq_read <= best.seq_read_many <= disks
    assert 0 < best.seq_write <= disks
    assert 0 < best.rand_write <= best.rand_read <= disks
    weak = best.degraded
    assert (weak is None) == (report.survives is None or not report.survives.guaranteed)
    if weak is not None:
        assert 0 < weak.seq_read <= best.seq_read
        assert 0 < weak.rand_read <= min(best.rand_read, disks - 1)


def check_chances(report: Report) -> None:
    """Probabilities, growing with time and correlation; dropped disks never make an array safer."""
    risk = report.risk
    assert risk is not None
    one, five = risk.loss_probability_1y, risk.loss_probability_5y
    assert 0 <= one["1"] <= one["3"] <= one["10"] <= 1
    assert all(one[key] <= five[key] <= 1 for key in one)
    assert one["1"] <= risk.timeout_loss_probability_1y * (1 + 1e-6)
    assert risk.timeout_loss_probability_1y <= 1
    if report.rebuild_seconds is not None:
        assert 0 < report.rebuild_seconds.low <= report.rebuild_seconds.high


@settings(max_examples=60, deadline=None)
@given(SIZES | EQUAL)
def test_flash_reads_at_least_as_many_disks_at_once(sizes: list[int]) -> None:
    rotating, flash = (
        list(all_reports(Question(sizes=tuple(sizes), rotational=kind))) for kind in (True, False)
    )
    for one, other in zip(rotating, flash, strict=True):
        if one.ideal is None or other.ideal is None:
            continue
        assert (one.backend, one.level) == (other.backend, other.level)
        assert one.ideal.seq_read <= other.ideal.seq_read
        assert one.ideal.rand_read == other.ideal.rand_read
        assert one.ideal.seq_write == other.ideal.seq_write
        if one.ideal.degraded is not None and other.ideal.degraded is not None:
            assert one.ideal.degraded.seq_read <= other.ideal.degraded.seq_read
            assert one.ideal.degraded.rand_read <= other.ideal.degraded.rand_read
