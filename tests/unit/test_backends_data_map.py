"""The drawn map is the real layout: what it says is lost with two disks is what survival counts."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.arithmetic.survival import fatal_pairs, guaranteed_failures
from raidtui.backends.data_map import Arrangement, Cell, DataMap
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.md.layouts import PARITY_LAYOUTS
from raidtui.backends.md.placement import data_map, raid0_zones
from raidtui.backends.registry import FOLDERS, backend
from raidtui.model.spec import Backend
from raidtui.model.units import GIB

PARITY = [(level, layout) for level, layouts in PARITY_LAYOUTS.items() for layout in layouts]
COPIES = st.tuples(st.sampled_from("nfo"), st.integers(2, 4)).map(lambda pair: f"{pair[0]}{pair[1]}")


NAMES = ("sda", "sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh", "sdi", "sdj", "sdk", "sdl")


def drawn(level: str, disks: int, layout: str = "", *, rows: int, used: tuple[int, ...] = ()) -> DataMap:
    return data_map(Arrangement(level=level, layout=layout, names=NAMES[:disks], used=used), rows)


def homes(found: DataMap) -> dict[int, set[int]]:
    """Chunk → the slots that hold a copy of it."""
    where: dict[int, set[int]] = {}
    for zone in found.zones:
        for row in zone.rows:
            for slot, cell in enumerate(row):
                if cell.kind == "data":
                    where.setdefault(cell.chunk, set()).add(slot)
    return where


def text(found: DataMap) -> list[str]:
    def word(cell: Cell) -> str:
        return str(cell.chunk + 1) if cell.kind == "data" else {"empty": "."}.get(cell.kind, cell.kind)

    return [" ".join(map(word, row)) for zone in found.zones for row in zone.rows]


def test_the_usual_raid5_lies_as_the_manual_draws_it() -> None:
    assert text(drawn("raid5", 4, rows=4)) == ["1 2 3 P", "5 6 P 4", "9 P 7 8", "P 10 11 12"]


def test_the_usual_raid6_lies_as_the_kernel_computes_it() -> None:
    assert text(drawn("raid6", 5, rows=3)) == ["Q 1 2 3 P", "4 5 6 P Q", "8 9 P Q 7"]


def test_raid4_keeps_all_parity_on_the_last_disk() -> None:
    assert text(drawn("raid4", 3, rows=2)) == ["1 2 P", "3 4 P"]


def test_far_copies_lie_in_the_second_half_one_disk_further() -> None:
    assert text(drawn("raid10", 3, "f2", rows=2)) == ["1 2 3", "4 5 6", "3 1 2", "6 4 5"]


def test_offset_copies_lie_in_the_next_row_one_disk_further() -> None:
    assert text(drawn("raid10", 3, "o2", rows=4)) == ["1 2 3", "3 1 2", "4 5 6", "6 4 5"]


def test_near_copies_of_an_odd_number_of_disks_wrap_into_the_next_row() -> None:
    assert text(drawn("raid10", 3, "n2", rows=3)) == ["1 1 2", "2 3 3", "4 4 5"]


@pytest.mark.parametrize(("level", "layout"), PARITY)
@pytest.mark.parametrize("disks", [4, 5, 7])
def test_each_row_has_each_parity_once_and_every_chunk_has_one_home(
    level: str, layout: str, disks: int
) -> None:
    found = drawn(level, disks, layout, rows=3 * disks)
    parity = guaranteed_failures(level, disks)
    for row in found.zones[0].rows:
        kinds = sorted(cell.kind for cell in row)
        assert kinds == sorted([*"PQ"[:parity], *["data"] * (disks - parity)])
    where = homes(found)
    assert sorted(where) == list(range(3 * disks * (disks - parity)))
    assert all(len(slots) == 1 for slots in where.values())


@pytest.mark.parametrize(("level", "layout"), PARITY)
def test_rotating_parity_visits_every_disk_and_the_others_stay_where_they_are(
    level: str, layout: str
) -> None:
    disks = 5
    rows = drawn(level, disks, layout, rows=disks * (disks - 1)).zones[0].rows
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
    where = homes(drawn("raid10", disks, layout, rows=rows)).values()
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
    found = drawn("raid0", 3, rows=4, used=(10, 30, 30))
    assert text(found) == ["1 2 3", "4 5 6", ". 7 8", ". 9 10"]
    assert [zone.title for zone in found.zones] == ["0 B to 10 B: sda sdb sdc", "10 B to 30 B: sdb sdc"]


def test_a_mirror_is_the_same_on_every_disk_and_linear_fills_one_after_the_other() -> None:
    assert text(drawn("raid1", 3, rows=2)) == ["1 1 1", "2 2 2"]
    assert text(drawn("linear", 2, rows=2)) == ["1 3", "2 4"]


# Of every backend.


def drawn_by(name: Backend, level: str, disks: int = 8, **more: object) -> DataMap:
    return backend(name).data_map(Arrangement(level=level, names=NAMES[:disks], **more), 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "level"), [(name, level) for name in FOLDERS for level in backend(name).levels]
)
def test_every_level_of_every_backend_says_where_its_data_lies(name: Backend, level: str) -> None:
    found = drawn_by(name, level)
    assert found.words
    assert bool(found.zones) is not bool(backend(name).levels[level].placed)
    assert all(len(row) == 8 for zone in found.zones for row in zone.rows)


def test_the_raid6_of_lvm_lies_in_its_own_layout_of_md() -> None:
    assert text(drawn_by(Backend.LVM, "raid6", 5)) == text(drawn("raid6", 5, "ddf-zero-restart", rows=3))
    assert text(drawn_by(Backend.LVM, "striped", 3)) == text(drawn("raid0", 3, rows=3))
    assert text(drawn_by(Backend.MEGARAID, "raid5", 3)) == text(drawn("raid5", 3, rows=3))


def test_far_copies_in_several_arrays_have_their_halves_over_all_of_them() -> None:
    found = drawn_by(Backend.LVM_ON_MD, "raid10", 4, layout="f2", groups=2)
    assert text(found) == ["1 2 7 8", "3 4 9 10", "5 6 11 12", "2 1 8 7", "4 3 10 9", "6 5 12 11"]
    assert [zone.title for zone in found.zones] == [
        "first half of the disks",
        "second half: the copies, shifted",
    ]


def test_unequal_disks_of_a_raid0_in_several_arrays_are_told_and_not_drawn() -> None:
    found = drawn_by(Backend.LVM_ON_MD, "raid0", 4, used=(10, 30, 10, 30), groups=2)
    assert found.zones == ()
    assert found.words.startswith(
        "2 arrays, disks 1 to 2, 3 to 4: one after the other. Chunks go to the disks in turn"
    )
