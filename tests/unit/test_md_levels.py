"""The levels of md as everybody asks for them: copies, parity, chunks."""

import pytest

from raidtui.backends.arithmetic.disks import data_disks
from raidtui.backends.facts import Options
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.registry import FOLDERS, OF_CARDS, backend
from raidtui.model.md_levels import (
    MD_LEVELS,
    Left,
    left,
    loses_all_with_one,
    may_lose,
    parity_of,
    raid10_layout,
    runs_with,
)
from raidtui.model.spec import Backend

TB = 10**12


@pytest.mark.parametrize(
    ("level", "members", "most"),
    [("raid0", 4, 0), ("linear", 4, 0), ("raid1", 3, 2), ("raid4", 3, 1), ("raid5", 4, 1), ("raid6", 6, 2)],
)
def test_how_many_members_may_fail(level: str, members: int, most: int) -> None:
    assert may_lose(level, members) == most


@pytest.mark.parametrize("level", ["raid10", "container", "multipath"])
def test_where_the_level_alone_does_not_say_it(level: str) -> None:
    assert may_lose(level, 4) is None
    assert not loses_all_with_one(level)
    assert parity_of(level) == 0


@pytest.mark.parametrize("level", MD_LEVELS)
def test_what_is_not_data_in_a_stripe_is_what_may_fail(level: str) -> None:
    """On 6 members: parity and copies are worth as many of them as the geometry of equal disks leaves out."""
    geometry = md_geometry(level, [TB] * 6)

    assert geometry.array_bytes == int(geometry.component_bytes * data_disks(level, 6))


@pytest.mark.parametrize("name", FOLDERS)
def test_what_a_level_says_of_itself_is_what_it_gives(name: Backend) -> None:
    """Whether it is redundant, and whether it has a chunk."""
    known = backend(name)
    for level in known.levels.values():
        pair = name in OF_CARDS and level.name == "raid1"  # which takes two, and no more
        disks = 1 if name is Backend.DISK else 2 if pair else max(6, level.min_disks)
        facts = known.facts(level.name, [TB] * disks, Options())

        assert level.redundant is (facts.survival.guaranteed > 0), level.name
        if level.has_chunk:
            assert facts.chunk_bytes, level.name


@pytest.mark.parametrize(
    ("level", "layout", "disks", "lost", "words"),
    [
        ("raid1", "", 2, (0,), Left.NOTHING),
        ("raid1", "", 3, (0,), Left.SOME),
        ("raid5", "", 4, (2,), Left.NOTHING),
        ("raid6", "", 5, (2,), Left.SOME),
        ("raid6", "", 5, (2, 3), Left.NOTHING),
        ("raid10", "n2", 2, (1,), Left.NOTHING),
        ("raid10", "n2", 14, (3,), Left.CHANCE),  # only its mirror partner is missed
        ("raid10", "n2", 4, (0, 2), Left.NOTHING),
        ("raid10", "n3", 6, (0,), Left.SOME),
        ("raid10", "f2", 4, (0,), Left.CHANCE),
        ("raid10", "o2", 3, (0,), Left.NOTHING),
    ],
)
def test_what_one_more_failure_does(
    level: str, layout: str, disks: int, lost: tuple[int, ...], words: Left
) -> None:
    number = raid10_layout(layout)
    here = [slot for slot in range(disks) if slot not in lost]
    assert left(here, lambda some: runs_with(level, number, disks, some)) is words
