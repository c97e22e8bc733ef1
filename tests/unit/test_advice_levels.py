"""The table of levels, and what one of them gives."""

from raidtui.advice.layouts import LEVEL_NAMES
from raidtui.advice.levels import LEVELS, offer

DISK = 4000787030016


def test_every_level_of_md_is_explained() -> None:
    assert tuple(LEVELS) == LEVEL_NAMES
    for level in LEVELS.values():
        assert level.explains.endswith(".")
        assert level.default_layout in {"", *level.layouts}


def test_what_a_level_gives_is_its_geometry_and_what_it_survives() -> None:
    raid5, raid6 = offer("raid5", [DISK] * 4), offer("raid6", [DISK] * 4)
    assert raid5.geometry is not None
    assert raid6.geometry is not None
    assert raid5.geometry.array_bytes > raid6.geometry.array_bytes
    assert 0.25 < raid5.overhead < 0.2501
    assert raid6.survival is not None
    assert raid6.survival.guaranteed == 2


def test_what_cannot_be_made_says_why() -> None:
    raid6 = offer("raid6", [DISK] * 3)
    assert raid6.geometry is None
    assert raid6.refused == "raid6 takes at least 4 disks, not 3"
    assert "spares" in offer("raid0", [DISK] * 4, spare_sizes=[DISK]).refused
