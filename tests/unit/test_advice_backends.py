"""Capacity of Btrfs, ZFS, LVM and mixed-size layouts, against what real ones said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.report import Question, one_report
from raidtui.backends.btrfs.space import PROFILES, btrfs_space
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.space import EXTENT, first_extent, lvm_space
from raidtui.backends.lvm_on_md.space import on_md
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.zfs.space import allocated, efficiency, pool_space
from raidtui.model.errors import CannotBuild
from raidtui.model.spec import Backend
from raidtui.model.text import spelled
from raidtui.model.units import GIB, KIB, MIB, TIB

TB = 10**12
DISK_4TB = 4000787030016


@pytest.mark.parametrize(
    ("profile", "gibibytes", "data"),
    [
        # filled to the last byte on Linux 6.1 with btrfs-progs 6.2
        ("raid1", [60, 20, 10], 28972154880),
        ("raid1", [40, 30, 20, 10], 52602863616),
        ("raid1", [10, 20, 30, 40], 52602863616),
        ("raid1", [10, 5, 5], 9107931136),
        ("raid1", [2, 2], 1869611008),
        ("raid1c3", [40, 30, 20, 10], 28972154880),
        ("raid1c4", [40, 30, 20, 20, 10], 24677187584),
        ("raid5", [40, 30, 20, 10], 62257102848),
        ("raid6", [40, 30, 20, 10], 30045896704),
        ("raid10", [30, 30, 30], 47234154496),
        ("raid10", [9, 7, 5, 3], 12605980672),
        ("raid0", [40, 30, 20], 94469357568),
        ("single", [10, 20, 30], 62257102848),
    ],
)
def test_btrfs_filled_to_the_last_byte(profile: str, gibibytes: list[int], data: int) -> None:
    sizes = [size * GIB for size in gibibytes]

    assert btrfs_space(profile, sizes, checksums=False).data_bytes == data


@pytest.mark.parametrize(
    ("profile", "metadata", "mebibytes", "data"),
    # Filled on Linux 6.1 with btrfs-progs 6.2, on disks where the chunks of mkfs are much of the space.
    [
        ("raid1", "raid1", [1024, 1024], 956956672),
        ("raid1c3", "raid1c3", [600, 700, 900, 650], 705691648),
        ("raid10", "raid1", [1818, 1818], 1628438528),
        ("raid1c3", "raid1c3", [3382, 3110, 3215], 2983198720),
        ("raid1", "raid1", [264, 455], 229703680),
        ("raid10", "raid1", [320, 891, 1519], 990904320),
        ("raid6", "raid1c3", [461, 461, 461], 425656320),
        ("raid5", "raid1", [353, 8656, 8758], 9167699968),
        ("raid1c4", "raid1c4", [268, 268, 268, 268, 268, 268], 347078656),
        ("single", "raid1", [1537, 1537, 1537], 4278190080),
        ("raid6", "raid1", [278, 342, 519], 289472512),
        ("raid0", "raid1", [481, 481, 481], 1341915136),
        ("raid0", "raid1", [671, 671, 671], 1879834624),
        ("raid1c4", "raid1c4", [569, 569, 569, 569, 569], 318767104),
        ("single", "raid1", [281, 281], 503316480),
        ("raid5", "raid1", [4001, 4001, 4001], 7834959872),
    ],
)
def test_a_btrfs_of_small_disks_filled_to_the_last_byte(
    profile: str, metadata: str, mebibytes: list[int], data: int
) -> None:
    sizes = [size * MIB for size in mebibytes]

    assert btrfs_space(profile, sizes, metadata=metadata, checksums=False).data_bytes == data
    assert btrfs_space(profile, sizes, metadata=metadata).data_bytes == data, "with room for their checksums"


def test_btrfs_metadata_chunks_become_larger_above_50_gib_of_whole_sectors() -> None:
    """Tried with mkfs 6.2: up to 50 GiB in whole sectors it succeeds, with one sector more it refuses these disks."""
    small = [2 * GIB] * 3

    assert btrfs_space("raid1c4", [*small, 44 * GIB + 4095]).metadata_bytes == 256 * MIB
    with pytest.raises(CannotBuild, match="too small"):
        btrfs_space("raid1c4", [*small, 44 * GIB + 4096])


def test_btrfs_raid1_uses_nearly_all_of_mixed_disks() -> None:
    space = btrfs_space("raid1", [4 * TB, 3 * TB, 2 * TB, TB])

    assert 4.98 * TB < space.data_bytes < 5 * TB


@given(
    profile=st.sampled_from(sorted(PROFILES)),
    sizes=st.lists(st.integers(min_value=GIB, max_value=20 * TIB), min_size=4, max_size=10),
)
def test_btrfs_never_uses_more_than_there_is(profile: str, sizes: list[int]) -> None:
    try:
        space = btrfs_space(profile, sizes)
    except CannotBuild:
        # As mkfs 6.2 does: of the first disk, 1 GiB of metadata and its own 29 MiB leave less than 1 GiB for data.
        assert min(sizes) < 2 * GIB + 29 * MIB
        return

    assert all(0 <= used <= size for used, size in zip(space.used, sizes, strict=True))
    # the copies and parities of all data lie on the disks
    assert space.data_bytes * PROFILES[profile].copies <= sum(space.used)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "sizes",
    [
        [10 * TB, TB, TB, TB],
        [2 * TB, 2 * TB, TB // 4, 8 * TB],
        [TB // 2, 2 * TB, 4 * TB, 2 * TB, 4 * TB],
        [3 * TB, 3 * TB, 2 * TB, 3 * TB, 8 * TB],
        [8 * TB, 6 * TB, 3 * TB, TB],
        # When the others are full, the largest has no room for more metadata.
        [12 * TB, 16 * TB, 8 * TB, 20 * TB, 16 * TB],
        [4 * TB] * 6,
        [30 * GIB + 300 * MIB * number for number in range(72)],
    ],
)
def test_a_large_btrfs_is_filled_in_larger_steps_with_the_same_result(
    profile: str, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = btrfs_space(profile, sizes)
    monkeypatch.setattr("raidtui.backends.btrfs.space.EXACT_UP_TO", sum(sizes))
    replayed = btrfs_space(profile, sizes)

    assert quick.data_bytes == pytest.approx(replayed.data_bytes, rel=1e-3)
    assert sum(quick.used) == pytest.approx(sum(replayed.used), rel=1e-3)


@pytest.mark.parametrize(
    ("level", "disks", "most"),
    [("striped", 129, 128), ("raid1", 65, 64), ("raid4", 65, 64), ("raid5", 65, 64), ("raid10", 66, 64)],
)
def test_lvm_takes_no_more_disks_than_lvm2_does(level: str, disks: int, most: int) -> None:
    with pytest.raises(CannotBuild, match=f"LVM {spelled(level)} takes at most {most} disks, not {disks}"):
        lvm_space(level, [TB] * disks)
    lvm_space(level, [TB] * most)


@pytest.mark.parametrize(
    ("profile", "sizes", "reason"),
    [
        ("raid2", [TB] * 3, "not a profile of Btrfs"),
        ("raid1", [TB], "at least 2"),
        ("raid1c3", [TB] * 2, "at least 3"),
        ("raid6", [TB] * 2, "at least 3"),
        ("raid1", [TB, 64 * MIB], "too small"),
        # mkfs.btrfs: "not enough free space to allocate chunk"
        ("raid1c3", [GIB, GIB, GIB, 7 * GIB], "too small"),
        ("raid1c4", [GIB, GIB, GIB, 47 * GIB], "too small"),
    ],
)
def test_btrfs_refusals(profile: str, sizes: list[int], reason: str) -> None:
    with pytest.raises(CannotBuild, match=reason):
        btrfs_space(profile, sizes)


@pytest.mark.parametrize(
    ("disks", "parity", "sectors"), [(4, 1, 44), (4, 2, 66), (6, 2, 48), (8, 2, 45), (8, 3, 56), (11, 3, 44)]
)
def test_a_record_on_raidz_in_sectors(disks: int, parity: int, sectors: int) -> None:
    assert allocated(128 * KIB, disks, parity, 12) == sectors * 4096


@pytest.mark.parametrize(
    ("disks", "parity", "percent"),
    [
        (3, 1, 66.67),
        (4, 1, 72.73),
        (5, 1, 80.0),
        (8, 1, 84.21),
        (4, 2, 48.48),
        (5, 2, 59.26),
        (9, 2, 76.19),
        (5, 3, 40.0),
    ],
)
def test_raidz_efficiency(disks: int, parity: int, percent: float) -> None:
    assert efficiency(128 * KIB, disks, parity) * 100 == pytest.approx(percent, abs=0.005)


def test_large_records_save_the_padding_and_small_ones_waste_half() -> None:
    assert efficiency(MIB, 8, 2) == pytest.approx(0.7485, abs=1e-4)
    assert efficiency(8 * KIB, 4, 1) == 0.5


def test_a_single_disk_pool_is_what_everybody_sees() -> None:
    pool = pool_space("stripe", [[DISK_4TB]])

    assert pool.size_bytes / TIB == 3.625  # zpool list: 3.62T
    assert pool.available_bytes / TIB == pytest.approx(3.51, abs=0.005)  # zfs list: 3.51T


def test_mirrors_add_up_and_raidz_shares_the_smallest() -> None:
    one = pool_space("mirror", [[DISK_4TB] * 2])
    two = pool_space("mirror", [[DISK_4TB] * 2] * 2)
    mixed = pool_space("raidz1", [[DISK_4TB, DISK_4TB, 2 * DISK_4TB]])

    assert two.size_bytes == 2 * one.size_bytes
    assert mixed.leaves == pool_space("raidz1", [[DISK_4TB] * 3]).leaves


def test_slop_is_never_more_than_128_gibibytes() -> None:
    big = pool_space("raidz2", [[24 * TB] * 12])
    raw = big.size_bytes * efficiency(128 * KIB, 12, 2)

    # the ratio has 17 binary digits, which costs a little more
    assert raw - big.available_bytes < 200 * GIB


@pytest.mark.parametrize(
    ("kind", "sizes", "reason"),
    [
        ("raidz4", [TB] * 6, "not a layout of ZFS"),
        ("raidz2", [TB] * 2, "at least 3"),
        ("mirror", [TB], "at least 2"),
        ("mirror", [MIB] * 2, "too small"),
    ],
)
def test_zfs_refusals(kind: str, sizes: list[int], reason: str) -> None:
    with pytest.raises(CannotBuild, match=reason):
        pool_space(kind, [sizes])


@pytest.mark.parametrize(
    ("level", "disks", "chunk", "sectors"),
    # pvs -o pe_start of physical volumes on such arrays
    [
        ("raid5", 4, 512, 3072),
        ("raid5", 5, 512, 4096),
        ("raid6", 4, 64, 2048),
        ("raid0", 3, 64, 2304),
        ("raid5", 3, 4096, 16384),
    ],
)
def test_where_extents_start_on_an_array(level: str, disks: int, chunk: int, sectors: int) -> None:
    array = md_geometry(level, [TB] * disks, chunk=chunk * KIB)

    assert (
        first_extent(
            stripe_width=array.stripe_width_bytes, io_min=array.chunk_bytes, io_opt=array.stripe_width_bytes
        )
        == sectors * 512
    )


def test_lvm_on_an_array_loses_less_than_an_extent_and_its_header() -> None:
    array = md_geometry("raid5", [DISK_4TB] * 4)

    assert 0 < array.array_bytes - on_md(array) < 2 * EXTENT
    assert on_md(array) % EXTENT == 0


def test_lvm_raid_keeps_an_extent_of_metadata_on_each_disk() -> None:
    plain, mirror = lvm_space("striped", [DISK_4TB] * 2), lvm_space("raid1", [DISK_4TB] * 2)

    assert plain.data_bytes == 2 * (mirror.data_bytes + EXTENT)


# lvs -o lv_size of lvcreate -l 100%FREE, lvm2 2.03.16; what one disk has more than the smallest stays free.
LVS_SIZES = [
    ("linear", (100, 140), 243269632),
    ("striped", (100, 200, 300), 301989888),
    ("raid0", (100, 200, 300), 301989888),
    ("raid1", (100, 200, 300), 96468992),
    ("raid4", (100, 200, 300), 192937984),
    ("raid5", (300, 300, 300, 300), 918552576),
    ("raid6", (300, 300, 300, 300, 300), 918552576),
    ("raid10", (300, 300, 300, 300), 612368384),
]


@pytest.mark.parametrize(("level", "mebibytes", "size"), LVS_SIZES)
def test_a_logical_volume_is_as_large_as_lvs_says(level: str, mebibytes: tuple[int, ...], size: int) -> None:
    assert lvm_space(level, [part * MIB for part in mebibytes]).data_bytes == size


@pytest.mark.parametrize("level", sorted(name for name, one in LEVELS.items() if one.has_chunk))
def test_the_stripe_size_does_not_change_the_space_of_a_logical_volume(level: str) -> None:
    disks = [DISK_4TB] * 6
    usual = lvm_space(level, disks)

    assert usual.stripe_bytes == 64 * KIB
    for power in range(12, 23):
        other = lvm_space(level, disks, stripe=1 << power)
        assert (other.data_bytes, other.used) == (usual.data_bytes, usual.used)
        assert other.stripe_width_bytes % other.stripe_bytes == 0
        assert usual.data_bytes % other.stripe_width_bytes == 0


@pytest.mark.parametrize(
    ("level", "stripe", "reason"),
    [
        ("striped", 96 * KIB, "96.0 KiB. is not possible"),
        ("raid5", 2 * KIB, "from 4 KiB"),
        ("raid5", 8 * MIB, "to 4 MiB, the extent"),
        ("raid5", 0, "power of two"),
        ("raid1", 64 * KIB, "no stripe size"),
        ("linear", 64 * KIB, "no stripe size"),
    ],
)
def test_lvm_stripe_sizes_that_lvcreate_refuses_or_ignores_or_that_do_not_divide_an_extent(
    level: str, stripe: int, reason: str
) -> None:
    with pytest.raises(CannotBuild, match=reason):
        lvm_space(level, [TB] * 4, stripe=stripe)


@given(
    st.sampled_from(["linear", "striped", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"]),
    st.lists(st.integers(16 * MIB, 30 * TB), min_size=6, max_size=6),
)
def test_a_logical_volume_takes_no_more_of_a_disk_than_there_is(level: str, sizes: list[int]) -> None:
    space = lvm_space(level, sizes)

    assert all(0 < used <= size - MIB for used, size in zip(space.used, sizes, strict=True))
    assert space.data_bytes <= sum(space.used)
    assert space.data_bytes % EXTENT == 0


@pytest.mark.parametrize(
    ("level", "disks", "reason"),
    [
        ("raid6", 4, "at least 5"),
        ("raid5", 2, "at least 3"),
        ("raid4", 2, "at least 3"),
        ("raid10", 5, "even number"),
        ("raid7", 4, "not a type"),
        ("stripe", 4, "not a type of logical volume: linear, striped"),
    ],
)
def test_lvm_refusals(level: str, disks: int, reason: str) -> None:
    with pytest.raises(CannotBuild, match=reason):
        lvm_space(level, [TB] * disks)


def test_an_incomplete_volume_group_stays_inactive_at_boot() -> None:
    report = one_report(Backend.LVM, "raid5", Question(sizes=(10**12,) * 3))

    # Measured: event activation waits for every physical volume of the group.
    assert report.missing_disk_at_boot.startswith("stays inactive")
    assert "vgchange -ay" in report.missing_disk_at_boot


@pytest.mark.parametrize(
    ("name", "level", "paced"),
    [
        (Backend.MDADM, "raid5", True),
        (Backend.LVM, "raid5", True),
        (Backend.LVM_ON_MD, "raid50", True),
        (Backend.ZFS, "raidz1", False),
        (Backend.BTRFS, "raid1", False),
        (Backend.MEGARAID, "raid5", False),
    ],
)
def test_only_what_md_syncs_keeps_to_its_speed_limit(name: Backend, level: str, paced: bool) -> None:
    """A fast disk is rebuilt as fast with a limit for md as without, unless md or dm-raid does it."""

    def rebuild(limit: int) -> float:
        question = Question(sizes=(4 * TB,) * 6, rotational=False, speed=3e9, speed_limit=limit)
        found = one_report(name, level, question).rebuild_seconds
        assert found is not None
        return found.low

    assert (rebuild(50_000_000) > 2 * rebuild(10_000_000_000)) is paced
