"""What filesystems leave, against statfs of real ones (Linux 6.1, e2fsprogs 1.47, xfsprogs 6.1)."""

import pytest

from raidtui.advice.filesystems import filesystem_space
from raidtui.model.errors import CannotBuild
from raidtui.model.units import GIB, KIB, MIB

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
    ("blocks", "total", "available"),
    # blocks of the device; as mke2fs 1.47 makes it
    [
        (4 * 32768 + 256, 124721, 115541),
        (4 * 32768 + 520, 125228, 116012),
        (81 * 32768 + 570, 2586866, 2450055),
        (81 * 32768 + 1200, 2586866, 2450054),  # this group would have a backup of the superblock
        (100 * 32768 + 570, 3199206, 3031236),
    ],
)
def test_ext4_leaves_out_a_last_group_without_room_for_files(blocks: int, total: int, available: int) -> None:
    space = filesystem_space("ext4", blocks * BLOCK)

    assert abs(space.size_bytes // BLOCK - total) <= 16
    assert abs(space.available_bytes // BLOCK - available) <= 16


@pytest.mark.parametrize(
    ("mebibytes", "blocks"), [(64, 32), (511, 32), (600, 37), (4096, 256), (8191, 511), (102400, 512)]
)
def test_ext4_of_debian_13_has_an_orphan_file(mebibytes: int, blocks: int) -> None:
    """As dumpe2fs counts them after mke2fs 1.47.2, with the feature and without."""
    size = mebibytes * MIB
    before, since = (filesystem_space("ext4", size, mke2fs=version) for version in ("1.47.0", "1.47.2"))
    assert before == filesystem_space("ext4", size)

    assert before.available_bytes - since.available_bytes == blocks * BLOCK


@pytest.mark.parametrize(
    ("size", "striped", "total", "available"),
    [
        (314572800, False, 60416, 56087),
        (536870912, False, 114688, 107269),
        (670040064, False, 147200, 137931),
        (1000000000, False, 227756, 217906),
        (1073741824, False, 245760, 235783),
        (1073741824, True, 245760, 235730),
        (1610612736, False, 376832, 365943),
        (1610612736, True, 375808, 364867),
        (3000000000, False, 716037, 702787),
        (3000000000, True, 716037, 702725),
        (3221225472, False, 770048, 756419),
        (3221225472, True, 769024, 755339),
        (8589934592, False, 2080768, 2057996),
        (8589934592, True, 2080768, 2057926),
        (10737418240, False, 2605056, 2578630),
        (10737418240, True, 2605056, 2578458),
        (138512695296, False, 33800064, 33556144),
        (138512695296, True, 33798016, 33553930),
        (549755813888, False, 134152192, 133208601),
        (549755813888, True, 134152192, 133208402),
        (644245094400, False, 157209600, 156105256),
        (644245094400, True, 157209600, 156104772),
        (1649267441664, False, 402456576, 399642335),
        (1649267441664, True, 402456576, 399641863),
        (4398046511104, False, 1073220092, 1065729210),
        (4398046511104, True, 1073220096, 1065728749),
        (4507997671424, False, 1100063641, 1092385586),
        (4507997671424, True, 1100061184, 1092382702),
        (5497558138880, False, 1341655547, 1332293085),
        (5497558138880, True, 1341655552, 1332292685),
        (8796093022208, False, 2146961912, 2131984710),
        (8796093022208, True, 2146961920, 2131984271),
        (15393162788864, False, 3757574642, 3731367960),
        (15393162788864, True, 3757574656, 3731367663),
    ],
)
def test_xfs_to_the_block(size: int, striped: bool, total: int, available: int) -> None:
    space = filesystem_space("xfs", size, chunk=512 * KIB * striped, stripe=3 * 512 * KIB * striped)

    assert space.size_bytes // BLOCK == total
    assert space.available_bytes // BLOCK == available


def test_xfs_has_no_stripes_below_a_gibibyte() -> None:
    striped = filesystem_space("xfs", GIB - MIB, chunk=512 * KIB, stripe=3 * 512 * KIB)

    assert striped == filesystem_space("xfs", GIB - MIB)


def test_a_chunk_without_a_full_stripe_is_no_stripe() -> None:
    """As on hybrid1, whose bands have different widths."""
    assert filesystem_space("xfs", 5 * GIB, chunk=512 * KIB, stripe=0) == filesystem_space("xfs", 5 * GIB)


@pytest.mark.parametrize(
    ("size", "available"),
    [
        (134217728, 12032),
        (268435456, 44800),
        (536870912, 110336),
        (734003200, 156928),
        (1000000000, 215392),
        (1073741824, 231584),
        (1610612736, 349568),
        (2147483648, 467520),
        (3221225472, 651008),
        (5368709120, 1175296),
        (54760833024, 12840704),
        (107374182400, 25685760),
        (375809638400, 91221760),
        (858993459200, 209186560),
    ],
)
def test_btrfs_to_a_few_blocks(size: int, available: int) -> None:
    assert abs(filesystem_space("btrfs", size).available_bytes // BLOCK - available) <= 32


@pytest.mark.parametrize(
    ("size", "available"),
    [
        (1099511627776, 267906816),
        (2199023255552, 536342272),
        (4398046511104, 1073213184),
        (8796093022208, 2146955008),
    ],
)
def test_btrfs_before_it_holds_data(size: int, available: int) -> None:
    space = filesystem_space("btrfs", size)

    # what its checksums will take is already taken off
    assert 0 <= available * BLOCK - space.available_bytes < size * 0.002
    assert "df shows up to 0.2 % more" in space.accuracy


def test_none_leaves_all() -> None:
    assert filesystem_space("none", 12345).available_bytes == 12345


@pytest.mark.parametrize(("kind", "reason"), [("zfs", "unknown filesystem"), ("xfs", "at least 300 MiB")])
def test_refusals(kind: str, reason: str) -> None:
    with pytest.raises(CannotBuild, match=reason):
        filesystem_space(kind, 100 * MIB)
