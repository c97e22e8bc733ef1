"""What filesystems leave, against statfs of real ones (Linux 6.1, e2fsprogs 1.47, xfsprogs 6.1)."""

import pytest

from raidtui.advice.filesystems import filesystem_space
from raidtui.advice.layouts import CannotBuild
from raidtui.model.units import MIB

BLOCK = 4096


@pytest.mark.parametrize(
    ("size", "total", "available"),
    # size of the device; f_blocks and f_bavail of statfs
    [
        (1073741824, 249195, 231986),
        (5368709120, 1268648, 1199010),
        (21474836480, 5116564, 4850318),
        (107374182400, 25656558, 24341736),
        (536870912000, 128734272, 122176569),
        (1610612736000, 386762809, 367097906),
        (4000787030016, 961137874, 912296039),
        (5497558138880, 1331310826, 1264197859),
        (9895604649984, 2396588009, 2275787951),
        (16492674416640, 3994515431, 3793184736),
        (21990232555520, 5347083751, 5078644193),
    ],
)
def test_ext4_to_a_few_blocks(size: int, total: int, available: int) -> None:
    space = filesystem_space("ext4", size)

    assert abs(space.size_bytes // BLOCK - total) <= 16
    assert abs(space.available_bytes // BLOCK - available) <= 16


@pytest.mark.parametrize(
    ("size", "total", "available"),
    [
        (1073741824, 245760, 235783),
        (5368709120, 1294336, 1277047),
        (21474836480, 5226496, 5181793),
        (107374182400, 26198016, 26007102),
        (536870912000, 131008000, 130086337),
    ],
)
def test_xfs_to_a_tenth_of_a_percent(size: int, total: int, available: int) -> None:
    space = filesystem_space("xfs", size, striped=False)

    assert space.size_bytes // BLOCK == total
    assert space.available_bytes // BLOCK == pytest.approx(available, rel=1e-3)


@pytest.mark.parametrize(
    ("size", "available"), [(21474836480, 5107456), (536870912000, 130543360), (4000787030016, 976226000)]
)
def test_btrfs_before_it_holds_data(size: int, available: int) -> None:
    space = filesystem_space("btrfs", size)

    # what its checksums will take is already taken off
    assert 0 <= available * BLOCK - space.available_bytes < size * 0.003


def test_none_leaves_all() -> None:
    assert filesystem_space("none", 12345).available_bytes == 12345


@pytest.mark.parametrize(("kind", "reason"), [("zfs", "no filesystem"), ("xfs", "at least 300 MiB")])
def test_refusals(kind: str, reason: str) -> None:
    with pytest.raises(CannotBuild, match=reason):
        filesystem_space(kind, 100 * MIB)
