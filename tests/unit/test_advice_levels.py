"""The table of levels, and what one of them gives."""

import pytest

from raidtui.backends.facts import Options
from raidtui.backends.md.facts import md_facts
from raidtui.backends.md.levels import LEVELS
from raidtui.backends.registry import FOLDERS, backend, find_builder
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.spec import Backend

DISK = 4000787030016


def test_every_level_of_md_is_explained() -> None:
    assert tuple(LEVELS) == tuple(MD_LEVELS)
    for level in LEVELS.values():
        assert level.explains.endswith(".")
        assert level.default_layout in {"", *level.layouts}


def test_every_level_that_is_built_says_what_it_suits_in_lines_that_fit_beside_its_map() -> None:
    for name in FOLDERS:
        its = backend(name)
        for level in (
            its.levels.values() if find_builder(name) is not None and name is not Backend.DISK else ()
        ):
            assert level.title, (name, level.name)
            assert level.explains.rstrip().endswith("."), (name, level.name)
            assert 0 < len(level.suits) <= 36, (name, level.name)
            assert level.cons, (name, level.name)
            assert all(len(line) <= 44 for line in (*level.pros, *level.cons)), (name, level.name)


def test_what_a_level_gives_is_its_geometry_and_what_it_survives() -> None:
    raid5, raid6 = md_facts("raid5", [DISK] * 4, Options()), md_facts("raid6", [DISK] * 4, Options())
    assert raid5.array_bytes > raid6.array_bytes
    assert 0.25 < 1 - raid5.array_bytes / (4 * DISK) < 0.2501
    assert raid6.survival.guaranteed == 2


def test_what_cannot_be_made_says_why() -> None:
    with pytest.raises(CannotBuild, match=r"^RAID6 takes at least 4 disks, not 3$"):
        md_facts("raid6", [DISK] * 3, Options())
    with pytest.raises(CannotBuild, match="spares"):
        md_facts("raid0", [DISK] * 4, Options(spare_sizes=(DISK,)))
