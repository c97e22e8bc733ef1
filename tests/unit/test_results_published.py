"""The published figures come with raidtui, with their source, and can be put beside one's own."""

import pytest

from raidtui.model.errors import BadInput
from raidtui.results.compare import compare
from raidtui.results.published import is_published
from raidtui.results.published.reader import all_published, published


@pytest.mark.parametrize(
    ("name", "cell", "direction", "rate"),
    [
        ("megaraid-raid5x3", "SEQ1M Q8T1", "read", 2578.90e6),
        ("megaraid-raid0x4", "RND4K Q1T1", "write", 108.53e6),
        ("streams-mdadm-stripe", "SEQ128K Q1T8", "write", 157 * 2**20),
        ("bonnie-raid5-xfs-software", "rewrite", "write", 109e6),
        ("mkfile-zfs-raidz3", "mkfile", "write", 2**30 / 168.4),
    ],
)
def test_each_study_has_its_figures(name: str, cell: str, direction: str, rate: float) -> None:
    found = published(f"published:{name}").cell(cell, direction)
    assert found is not None
    assert found.bytes_per_second == pytest.approx(rate)


def test_every_one_has_a_source_a_name_of_its_own_and_a_figure() -> None:
    results = all_published()
    assert len({result.id for result in results}) == len(results) == 29
    for result in results:
        assert is_published(result.id)
        assert result.context.origin.startswith("published: ")
        assert result.cells
        assert all(cell.bytes_per_second > 0 for cell in result.cells)


def test_figures_from_the_page_cache_say_so() -> None:
    (flag,) = published("published:streams-single").cells[0].flags
    assert flag.startswith("C ")


def test_a_figure_that_was_not_told_is_not_there() -> None:
    assert published("published:bonnie-raid5-xfs-software").cell("block", "read") is None


def test_the_factor_that_the_study_is_known_for() -> None:
    comparison = compare([published("published:megaraid-raid0x4"), published("published:megaraid-raid5x4")])
    row = next(r for r in comparison.rows if (r.name, r.direction) == ("RND4K Q1T1", "write"))
    assert row.cells[1].factor == pytest.approx(23.18 / 108.53)
    assert row.cells[1].verdict == "", "published figures have no single runs"


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean published:megaraid-raid5x3"):
        published("published:megaraid-raid5x5x3")
    with pytest.raises(BadInput, match="no published result is called"):
        published("published:")
