"""The table of levels, and all of them on the same disks."""

from raidtui.advice.layouts import LEVEL_NAMES
from raidtui.advice.levels import LEVELS, survey

DISK = 4000787030016


def test_every_level_of_md_is_explained() -> None:
    assert tuple(LEVELS) == LEVEL_NAMES
    for level in LEVELS.values():
        assert level.explains.endswith(".")
        assert level.default_layout in {"", *level.layouts}


def test_four_disks_offer_every_level() -> None:
    offers = {(o.level, o.layout): o for o in survey([DISK] * 4)}

    raid5, raid6 = offers["raid5", "left-symmetric"], offers["raid6", "left-symmetric"]
    mirrors = offers["raid10", "n2"]
    assert not any(o.refused for o in offers.values())
    assert raid5.geometry is not None
    assert raid6.geometry is not None
    assert mirrors.geometry is not None
    assert raid5.geometry.array_bytes > raid6.geometry.array_bytes == mirrors.geometry.array_bytes
    assert 0.25 < raid5.overhead < 0.2501


def test_three_disks_are_too_few_for_raid6_and_it_says_so() -> None:
    raid6 = next(o for o in survey([DISK] * 3) if o.level == "raid6")

    assert raid6.geometry is None
    assert raid6.refused == "raid6 takes at least 4 disks, not 3"


def test_the_last_disks_stand_by_as_spares() -> None:
    offers = {o.level: o for o in survey([DISK] * 5, spares=1)}

    assert "spares" in offers["raid0"].refused
    raid5 = offers["raid5"].geometry
    assert raid5 is not None
    assert (len(raid5.members), len(raid5.spares)) == (4, 1)


def test_a_chunk_is_left_out_where_a_level_has_none() -> None:
    offers = {o.level: o for o in survey([DISK] * 4, chunk=65536, consistency="ppl")}

    assert not offers["raid1"].refused
    raid5, raid6 = offers["raid5"].geometry, offers["raid6"].geometry
    assert raid5 is not None
    assert raid6 is not None
    assert (raid5.chunk_bytes, raid5.consistency) == (65536, "ppl")
    assert raid6.consistency == "bitmap"


def test_no_disks_are_refused_by_every_level() -> None:
    assert all(o.refused for o in survey([]))
