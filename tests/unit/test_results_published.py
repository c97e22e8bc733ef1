"""The published figures come with raidtui, with their source, and can be put beside one's own."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from raidtui.commands.text.sweep_table import tables_of
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, MeasuredDisk, MeasuredUnit, Result
from raidtui.model.spec import Backend
from raidtui.results.compare import compare
from raidtui.results.published import is_published
from raidtui.results.published.beside import published_like, ranks_beside, with_published
from raidtui.results.published.reader import all_published, published

WAYS: Final = ("read", "write")


@pytest.mark.parametrize(
    ("name", "cell", "direction", "rate"),
    [
        ("megaraid-raid5x3", "SEQ1M Q8T1", "read", 2578.90e6),
        ("megaraid-raid0x4", "RND4K Q1T1", "write", 108.53e6),
        ("streams-mdadm-stripe", "SEQ128K Q1T8", "write", 157 * 2**20),
        ("bonnie-raid5-xfs-software", "rewrite", "write", 109e6),
        ("mkfile-zfs-raidz1x3", "mkfile", "write", 2**30 / 168.4),
    ],
)
def test_each_study_has_its_figures(name: str, cell: str, direction: str, rate: float) -> None:
    found = published(f"published:{name}").cell(cell, direction)
    assert found is not None
    assert found.bytes_per_second == pytest.approx(rate)


def test_a_former_name_is_still_taken() -> None:
    assert published("published:mkfile-zfs-raidz3").id == "published:mkfile-zfs-raidz1x3"


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
    with pytest.raises(BadInput, match="did you mean 'published:megaraid-raid5x3'"):
        published("published:megaraid-raid5x5x3")
    with pytest.raises(BadInput, match="no published result is called"):
        published("published:")


def own(level: str, disks: int, *cells: Cell, profile: str = "cdm", **unit: Any) -> Result:
    """A result of one's own on an array of md, or with no level on one disk."""
    made = MeasuredUnit(level=level, raid_disks=disks, **unit) if level else None
    return Result(
        id=f"{level or 'single'}-{disks}-{profile}",
        label=f"{level or 'single'} of {disks}",
        created="2026-11-21T04:00:00+00:00",
        version="0.1.0",
        profile=profile,
        context=Context(
            unit=made,
            filesystem="xfs",
            disks=tuple(
                MeasuredDisk(identity=f"d{n}", model="D", size_bytes=10**12, rotational=True)
                for n in range(disks)
            ),
        ),
        cells=cells,
    )


def cell(name: str, direction: str, megabytes: float) -> Cell:
    return Cell(
        name=name,
        direction=direction,
        bytes_per_second=megabytes * 1e6,
        iops=1.0,
        latency_mean_seconds=0.001,
    )


@pytest.mark.parametrize(
    ("result", "names"),
    [
        (own("raid5", 4), ["megaraid-raid5x4"]),
        (own("", 1), ["megaraid-single"]),
        (own("raid5", 5), []),
        (own("raid5", 4, profile="latency"), []),
        (own("raid5", 4, backend=Backend.LVM), []),
        (own("striped", 2, profile="streams", backend=Backend.LVM), ["streams-lvm-stripe"]),
        (own("stripe", 3, profile="mkfile", backend=Backend.ZFS), []),  # those were on zfs, this is on xfs
        (
            own("raid5", 6, profile="bonnie", chunk_bytes=256 * 1024),
            ["bonnie-raid5-xfs-hardware", "bonnie-raid5-xfs-software"],
        ),
        (own("raid5", 6, profile="bonnie", chunk_bytes=64 * 1024), []),
    ],
)
def test_what_belongs_beside_a_result_is_of_the_same_profile_and_laid_out_alike(
    result: Result, names: list[str]
) -> None:
    assert [one.id for one in published_like(result)] == [f"published:{name}" for name in names]


@pytest.mark.parametrize("backend", [Backend.MEGARAID, Backend.ADAPTEC])
def test_figures_of_cards_belong_beside_those_of_ones_own_card(backend: Backend) -> None:
    found = own("raid5", 4, backend=backend)
    found = replace(found, context=replace(found.context, card="LSI MegaRAID SAS 9270CV-8i"))
    assert [one.id for one in published_like(found)] == ["published:megaraid-raid5x4"]


def test_each_published_result_comes_once_after_ones_own() -> None:
    both = [own("raid5", 4), own("raid5", 4, profile="latency"), published("published:megaraid-raid5x4")]
    assert with_published(both) == both
    assert [one.id for one in with_published(both[:2])] == [one.id for one in both]


def test_ranks_stand_beside_the_published_ones_among_results_with_the_same_filesystem() -> None:
    one = [
        own("", 1, cell("SEQ1M Q8T1", "read", 100), profile="cached"),
        own("raid0", 3, cell("SEQ1M Q8T1", "read", 300), profile="cached"),
        own("raid5", 3, cell("SEQ1M Q8T1", "read", 350), profile="cached"),
        own("raid6", 4, cell("SEQ1M Q8T1", "read", 900), profile="cached"),  # the study has none
    ]
    places = {cell.result: (cell.own, cell.published) for cell in ranks_beside(one)}
    assert places == {"single-1-cached": (3, 4), "raid0-3-cached": (2, 1), "raid5-3-cached": (1, 3)}
    assert ranks_beside(one[:1]) == ()


def test_the_table_of_a_sweep_has_the_published_figures_below_ones_own_and_fits_a_console() -> None:
    grid = [cell(f"{row} Q{q}T1", way, 123.4) for row in ("SEQ1M", "RND4K") for q in (1, 8) for way in WAYS]
    results = [own("raid5", 4, *grid), own("raid0", 2, *grid), own("", 1, *grid, profile="cached"),
               own("raid0", 2, *grid, profile="cached")]  # fmt: skip
    lines = list(tables_of(results))
    assert max(map(len, lines)) < 80
    at = next(number for number, line in enumerate(lines) if line.startswith("raid5 of 4 "))
    assert lines[at + 1].startswith("  published: MegaRAID RAID5 of 4")
    assert "3,406.1" in "".join(lines)
    assert "Rank within its filesystem, 1 fastest; in brackets as published" in lines
    assert any("1 (4)" in line for line in lines)


def test_the_table_of_a_sweep_leaves_its_name_out_and_counts_operations() -> None:
    seeks = replace(cell("seeks", "mix", 0), iops=1234.4)
    names = ("mdadm raid5 of 3, 64KiB, ext4", "mdadm raid5 of 3, 64KiB, ext4, cached", "single disk, xfs")
    results = [
        replace(
            own("raid5", 3, cell("block", "write", 80), seeks, profile="bonnie"),
            id=name,
            label=f"mine: {name}",
        )
        for name in names
    ]
    lines = list(tables_of(results))
    assert "bonnie, MB/s or operations a second (/s), medians" in lines
    for name in names:
        assert any(line.startswith(f"{name} ") and line.endswith("80.0   1,234/s") for line in lines), name
    assert max(map(len, lines)) < 80
