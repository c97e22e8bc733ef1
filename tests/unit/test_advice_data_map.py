"""The drawn map is the real layout: what it says is lost with two disks is what survival counts."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.data_map import Cell, DataMap, data_map, raid0_zones
from raidtui.backends.arithmetic.survival import fatal_pairs, guaranteed_failures
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.md.layouts import PARITY_LAYOUTS
from raidtui.model.units import GIB

PARITY = [(level, layout) for level, layouts in PARITY_LAYOUTS.items() for layout in layouts]
COPIES = st.tuples(st.sampled_from("nfo"), st.integers(2, 4)).map(lambda pair: f"{pair[0]}{pair[1]}")


def homes(drawn: DataMap) -> dict[int, set[int]]:
    """Chunk → the slots that hold a copy of it."""
    found: dict[int, set[int]] = {}
    for zone in drawn.zones:
        for row in zone.rows:
            for slot, cell in enumerate(row):
                if cell.kind == "data":
                    found.setdefault(cell.chunk, set()).add(slot)
    return found


def text(drawn: DataMap) -> list[str]:
    def word(cell: Cell) -> str:
        return str(cell.chunk + 1) if cell.kind == "data" else {"empty": "."}.get(cell.kind, cell.kind)

    return [" ".join(map(word, row)) for zone in drawn.zones for row in zone.rows]


def test_the_usual_raid5_lies_as_the_manual_draws_it() -> None:
    assert text(data_map("raid5", 4, rows=4)) == ["1 2 3 P", "5 6 P 4", "9 P 7 8", "P 10 11 12"]


def test_the_usual_raid6_lies_as_the_kernel_computes_it() -> None:
    assert text(data_map("raid6", 5, rows=3)) == ["Q 1 2 3 P", "4 5 6 P Q", "8 9 P Q 7"]


def test_raid4_keeps_all_parity_on_the_last_disk() -> None:
    assert text(data_map("raid4", 3, rows=2)) == ["1 2 P", "3 4 P"]


def test_far_copies_lie_in_the_second_half_one_disk_further() -> None:
    assert text(data_map("raid10", 3, "f2", rows=2)) == ["1 2 3", "4 5 6", "3 1 2", "6 4 5"]


def test_offset_copies_lie_in_the_next_row_one_disk_further() -> None:
    assert text(data_map("raid10", 3, "o2", rows=4)) == ["1 2 3", "3 1 2", "4 5 6", "6 4 5"]


def test_near_copies_of_an_odd_number_of_disks_wrap_into_the_next_row() -> None:
    assert text(data_map("raid10", 3, "n2", rows=3)) == ["1 1 2", "2 3 3", "4 4 5"]


@pytest.mark.parametrize(("level", "layout"), PARITY)
@pytest.mark.parametrize("disks", [4, 5, 7])
def test_each_row_has_each_parity_once_and_every_chunk_has_one_home(
    level: str, layout: str, disks: int
) -> None:
    drawn = data_map(level, disks, layout, rows=3 * disks)
    parity = guaranteed_failures(level, disks)
    for row in drawn.zones[0].rows:
        kinds = sorted(cell.kind for cell in row)
        assert kinds == sorted([*"PQ"[:parity], *["data"] * (disks - parity)])
    where = homes(drawn)
    assert sorted(where) == list(range(3 * disks * (disks - parity)))
    assert all(len(slots) == 1 for slots in where.values())


@pytest.mark.parametrize(("level", "layout"), PARITY)
def test_rotating_parity_visits_every_disk_and_the_others_stay_where_they_are(
    level: str, layout: str
) -> None:
    disks = 5
    rows = data_map(level, disks, layout, rows=disks * (disks - 1)).zones[0].rows
    at = {slot for row in rows for slot, cell in enumerate(row) if cell.kind == "P"}
    fixed = layout.startswith("parity")
    assert len(at) == (1 if fixed else disks - 1 if layout.endswith("-6") else disks)


@given(disks=st.integers(2, 12), layout=COPIES)
def test_the_pairs_that_hold_all_copies_of_a_chunk_are_the_fatal_pairs(disks: int, layout: str) -> None:
    copies = int(layout[1:])
    if copies > disks:
        return
    # Whole periods only: at the end of the rows a chunk's last copies are cut off.
    rows = copies * disks
    where = homes(data_map("raid10", disks, layout, rows=rows)).values()
    whole = [slots for slots in where if len(slots) == copies]
    lost = [pair for pair in combinations(range(disks), 2) if any(slots <= set(pair) for slots in whole)]
    assert tuple(lost) == fatal_pairs("raid10", disks, layout)
    assert min(map(len, whole)) == guaranteed_failures("raid10", disks, layout) + 1


@given(sizes=st.lists(st.integers(1, 40).map(lambda n: n * GIB), min_size=2, max_size=8))
def test_the_zones_of_a_raid0_hold_all_of_it(sizes: list[int]) -> None:
    made = md_geometry("raid0", sizes)
    zones = raid0_zones([use.used_bytes for use in made.members])
    assert sum((zone.end - zone.start) * len(zone.slots) for zone in zones) == made.array_bytes
    assert zones[0].slots == tuple(range(len(sizes)))
    assert all(set(b.slots) < set(a.slots) for a, b in pairwise(zones))


def test_unequal_disks_of_a_raid0_go_on_without_the_smaller_one() -> None:
    drawn = data_map("raid0", 3, rows=4, used=(10, 30, 30), title=lambda zone: f"{zone.start}-{zone.end}")
    assert text(drawn) == ["1 2 3", "4 5 6", ". 7 8", ". 9 10"]
    assert [zone.title for zone in drawn.zones] == ["0-10", "10-30"]


def test_a_mirror_is_the_same_on_every_disk_and_linear_fills_one_after_the_other() -> None:
    assert text(data_map("raid1", 3, rows=2)) == ["1 1 1", "2 2 2"]
    assert text(data_map("linear", 2, rows=2)) == ["1 3", "2 4"]
