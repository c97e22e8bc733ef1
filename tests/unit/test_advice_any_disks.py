"""Every level of every backend on any disks, equal or not, with each filesystem: a figure or a sentence, never an error."""

from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui.advice.filesystems import FILESYSTEMS
from raidtui.advice.report import Question, all_reports
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
