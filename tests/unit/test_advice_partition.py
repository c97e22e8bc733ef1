"""Where a member lies on its disk."""

import pytest

from raidtui.model.errors import CannotBuild
from raidtui.model.units import MIB
from raidtui.steps.pieces import member_extent

DISK_4TB = 4000787030016


def test_a_whole_disk_is_the_member() -> None:
    extent = member_extent(DISK_4TB, 512, partition=False, reserve=100 * MIB)

    assert (extent.offset, extent.length) == (0, DISK_4TB)


@pytest.mark.parametrize("sector", [512, 4096])
@pytest.mark.parametrize("disk", [DISK_4TB, 2**31, 10**9 // 4096 * 4096, 3 * MIB + 4096 * 5])
def test_a_partition_is_aligned_and_keeps_clear_of_the_backup_table(disk: int, sector: int) -> None:
    extent = member_extent(disk, sector, partition=True, reserve=0)

    end = extent.offset + extent.length
    last_usable = disk // sector - (34 if sector == 512 else 6)
    assert extent.offset == MIB
    assert extent.length % MIB == 0
    assert end // sector - 1 <= last_usable
    assert end // sector - 1 + MIB // sector > last_usable


def test_the_reserve_stays_free_at_the_end() -> None:
    full = member_extent(DISK_4TB, 512, partition=True, reserve=0)
    slack = member_extent(DISK_4TB, 512, partition=True, reserve=100 * MIB)

    assert full.length - slack.length == 100 * MIB


def test_a_disk_without_room_is_refused() -> None:
    with pytest.raises(CannotBuild, match="no room"):
        member_extent(2 * MIB, 512, partition=True, reserve=0)
    with pytest.raises(CannotBuild, match="no room"):
        member_extent(50 * MIB, 512, partition=True, reserve=100 * MIB)
    with pytest.raises(CannotBuild, match="is negative"):
        member_extent(DISK_4TB, 512, partition=True, reserve=-1)
