"""Capacity of md arrays against numbers that real kernels printed, and the properties every layout keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.md.geometry import data_offset_sectors, md_geometry
from raidtui.model.errors import CannotBuild
from raidtui.model.units import GIB, KIB, MIB, TIB

DISK_4TB = 7814037168 * 512
DISK_8TB = 15628053168 * 512


def idema(gigabytes: int) -> int:
    """Bytes of a real disk of that name (IDEMA LBA1-03)."""
    return (97_696_368 + 1_953_504 * (gigabytes - 50)) * 512


@pytest.mark.parametrize(
    ("level", "layout", "disks", "size", "array_kib"),
    [
        # /proc/mdstat and mdadm --detail of arrays in use
        ("raid5", None, 3, DISK_4TB, 7813772288),
        ("raid10", "n2", 4, DISK_4TB, 7813772288),
        ("raid5", None, 7, DISK_4TB, 23441316864),
        ("raid6", None, 6, DISK_4TB, 15627544576),
        ("raid6", None, 5, DISK_4TB, 11720658432),
        ("raid5", None, 4, DISK_4TB, 11720658432),
        ("raid5", None, 4, DISK_8TB, 23441682432),
        ("raid6", None, 16, DISK_8TB, 109394518016),
        ("raid10", "n2", 33, DISK_8TB, 128929253376),
        ("raid1", None, 2, DISK_4TB, 3906886464),
        ("raid0", None, 2, 7811891200 * 512, 7811627008),
        # derived with the same rules
        ("raid10", "n2", 5, DISK_4TB, 9767215104),
        ("raid10", "f2", 5, DISK_4TB, 9767214080),
    ],
)
def test_array_sizes_seen_in_the_field(
    level: str, layout: str | None, disks: int, size: int, array_kib: int
) -> None:
    assert md_geometry(level, [size] * disks, layout=layout).array_bytes == array_kib * KIB


@pytest.mark.parametrize(
    ("gigabytes", "component_kib"),
    [
        (500, 488254464),
        (1000, 976630272),
        (2000, 1953382400),
        (3000, 2930134016),
        (4000, 3906886144),
        (6000, 5860390400),
        (8000, 7813894144),
        (10000, 9767398400),
        (12000, 11720902144),
        (14000, 13674406400),
        (16000, 15627910144),
        (18000, 17581414400),
        (20000, 19534918144),
        (22000, 21488422400),
        (24000, 23441926144),
    ],
)
def test_component_of_every_common_disk(gigabytes: int, component_kib: int) -> None:
    assert md_geometry("raid6", [idema(gigabytes)] * 4).component_bytes == component_kib * KIB


@pytest.mark.parametrize(
    ("sectors", "consistency", "offset"),
    [
        (7814037168, "bitmap", 264192),
        (7814037168, "ppl", 266240),
        (234441648, "bitmap", 133120),
        (125045424, "bitmap", 67584),
        (9 * GIB // 512, "bitmap", 18432),
        (1 * GIB // 512, "bitmap", 4096),
        (100 * 10**6 // 512, "bitmap", 4096),
        (128 * GIB // 512, "resync", 264192),
    ],
)
def test_data_offset_of_the_first_member(sectors: int, consistency: str, offset: int) -> None:
    found = data_offset_sectors(sectors, metadata="1.2", chunk_bytes=512 * KIB, consistency=consistency)

    assert found == offset


def test_a_small_mirror_starts_its_data_after_one_mebibyte() -> None:
    assert md_geometry("raid1", [100 * 10**6] * 2).data_offset_bytes == 2048 * 512


def test_the_first_member_decides_the_data_offset_of_all() -> None:
    small_first = md_geometry("raid5", [60 * GIB, 500 * GIB, 500 * GIB])
    small_last = md_geometry("raid5", [500 * GIB, 500 * GIB, 60 * GIB])

    assert small_first.data_offset_bytes < small_last.data_offset_bytes
    assert small_first.array_bytes > small_last.array_bytes


def test_metadata_at_the_end_needs_no_offset() -> None:
    at_end = md_geometry("raid1", [DISK_4TB] * 2, metadata="1.0")

    assert at_end.data_offset_bytes == 0
    assert at_end.array_bytes > md_geometry("raid1", [DISK_4TB] * 2).array_bytes


def test_a_small_spare_bounds_the_array() -> None:
    alone = md_geometry("raid5", [DISK_8TB] * 4)
    with_spare = md_geometry("raid5", [DISK_8TB] * 4, spare_sizes=[DISK_4TB])

    assert with_spare.component_bytes == 3906886144 * KIB < alone.component_bytes
    assert "smallest disk" in with_spare.members[0].why
    assert "spare" in with_spare.spares[0].why


def test_raid0_uses_the_tails_of_unequal_disks() -> None:
    geometry = md_geometry("raid0", [DISK_4TB, DISK_8TB])

    assert geometry.array_bytes == sum(member.used_bytes for member in geometry.members)
    assert geometry.members[1].wasted_bytes < 130 * MIB


def test_raid10_of_three_disks_gives_one_and_a_half() -> None:
    geometry = md_geometry("raid10", [DISK_4TB] * 3, layout="n2")

    assert geometry.data_disks == 1.5
    assert geometry.array_bytes == pytest.approx(1.5 * geometry.component_bytes, rel=1e-6)
    assert (
        geometry.stripe_width_bytes == 3 * 512 * KIB
    )  # as md reports it when copies do not divide the disks


@pytest.mark.parametrize(
    ("level", "sizes", "options", "reason"),
    [
        ("raid5", [], {}, "no disks"),
        ("raid5", [TIB], {}, "at least 2"),
        ("raid6", [TIB] * 3, {}, "at least 4"),
        ("raid6", [TIB] * 257, {}, "at most 256"),
        ("raid55", [TIB] * 3, {}, "did you mean 'raid5'"),
        ("raid5", [TIB, 0, TIB], {}, "disk 2 has 0 bytes"),
        ("raid5", [TIB, -5, TIB], {}, "disk 2 has -5 bytes"),
        ("raid5", [10**30] * 3, {}, "1 EiB"),
        ("raid5", [64 * KIB] * 3, {}, "too small"),
        ("raid1", [3000 * 512] * 2, {"metadata": "1.2"}, None),
        ("raid5", [TIB] * 3, {"chunk": 100 * KIB}, "power of two"),
        ("raid5", [TIB] * 3, {"chunk": 2 * KIB}, "between 4KiB"),
        ("raid5", [TIB] * 3, {"chunk": 2 * GIB}, "between 4KiB"),
        ("raid0", [TIB] * 3, {"chunk": 6 * KIB}, "multiple of 4KiB"),
        ("raid1", [TIB] * 2, {"chunk": 64 * KIB}, "has no chunk"),
        ("raid5", [TIB] * 3, {"layout": "n2"}, "not a layout of RAID5"),
        ("raid10", [TIB] * 4, {"layout": "left-symmetric"}, "not a layout of RAID10"),
        ("raid10", [TIB] * 4, {"layout": "n1"}, "keeps one copy"),
        ("raid10", [TIB] * 3, {"layout": "n4"}, "more than the 3 disks"),
        ("raid5", [TIB] * 3, {"layout": "ddf-N-restart"}, "not a layout of RAID5"),
        ("raid1", [TIB] * 2, {"layout": "n2"}, "has no layout"),
        ("raid0", [TIB] * 2, {"spare_sizes": [TIB]}, "cannot have spares"),
        ("raid0", [TIB] * 2, {"consistency": "bitmap"}, "no redundancy"),
        ("raid5", [TIB] * 3, {"consistency": "none"}, "always kept consistent"),
        ("raid6", [TIB] * 4, {"consistency": "ppl"}, "RAID5 only"),
        ("raid6", [TIB] * 4, {"consistency": "lockless"}, "a lockless bitmap is experimental"),
        ("raid5", [TIB] * 65, {"consistency": "ppl"}, "at most 64"),
        ("raid5", [TIB] * 3, {"consistency": "ppl", "metadata": "0.90"}, "not 0.90"),
        ("raid5", [TIB] * 3, {"consistency": "journal"}, "not a consistency policy"),
        ("raid5", [TIB] * 3, {"metadata": "1.3"}, "not a metadata version"),
        ("raid1", [TIB] * 28, {"metadata": "0.90"}, "at most 27"),
        ("raid5", [5 * TIB] * 3, {"metadata": "0.90"}, "less than 4 TiB"),
        ("raid0", [TIB] * 2, {"metadata": "0.90"}, "refuse RAID0"),
    ],
)
def test_what_cannot_be_built_is_refused_in_one_sentence(
    level: str, sizes: list[int], options: dict[str, object], reason: str | None
) -> None:
    if reason is None:
        assert md_geometry(level, sizes, **options).array_bytes > 0  # type: ignore[arg-type]
        return
    with pytest.raises(CannotBuild) as refusal:
        md_geometry(level, sizes, **options)  # type: ignore[arg-type]
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_newer_mdadm_takes_raid0_with_old_metadata_again() -> None:
    assert md_geometry("raid0", [TIB] * 2, metadata="0.90", mdadm=(4, 5)).array_bytes > 0


def test_linear_with_old_metadata_uses_less_than_four_tebibytes_of_each() -> None:
    # the kernel's own number for two members of 12.8 TB
    assert md_geometry("linear", [12839892012032] * 2, metadata="0.90").array_bytes == 8796093020160


SIZES = st.lists(st.integers(min_value=256 * MIB, max_value=20 * TIB), min_size=4, max_size=12)
CHOICES = st.sampled_from(
    [(level, None) for level in ("raid0", "linear", "raid1", "raid4", "raid5", "raid6")]
    + [("raid10", layout) for layout in ("n2", "n3", "f2", "f3", "o2", "o3")]
)
CHUNKS = st.sampled_from([4 * KIB, 64 * KIB, 512 * KIB, 1 * MIB])
METADATA = st.sampled_from(["1.0", "1.1", "1.2"])


@given(choice=CHOICES, sizes=SIZES, chunk=CHUNKS, metadata=METADATA)
def test_nothing_appears_and_nothing_is_lost(
    choice: tuple[str, str | None], sizes: list[int], chunk: int, metadata: str
) -> None:
    level, layout = choice
    wanted = None if level in {"raid1", "linear"} else chunk
    geometry = md_geometry(level, sizes, layout=layout, metadata=metadata, chunk=wanted)

    assert 0 < geometry.array_bytes <= sum(member.used_bytes for member in geometry.members)
    assert geometry.array_bytes < sum(sizes)
    for member, size in zip(geometry.members, sizes, strict=True):
        assert member.size_bytes == size == member.used_bytes + member.wasted_bytes
        assert member.used_bytes >= geometry.component_bytes
        assert member.wasted_bytes >= 0
        assert member.wasted_bytes == 0 or member.why


@given(choice=CHOICES, sizes=SIZES, position=st.integers(1, 3), extra=st.integers(0, TIB))
def test_a_larger_disk_never_makes_a_smaller_array(
    choice: tuple[str, str | None], sizes: list[int], position: int, extra: int
) -> None:
    # not the first disk: a larger first one moves the data of every member
    level, layout = choice
    larger = [size + extra * (index == position) for index, size in enumerate(sizes)]

    before = md_geometry(level, sizes, layout=layout)
    after = md_geometry(level, larger, layout=layout)

    assert after.array_bytes >= before.array_bytes


@given(choice=CHOICES, sizes=SIZES)
def test_the_order_of_the_other_members_does_not_matter(
    choice: tuple[str, str | None], sizes: list[int]
) -> None:
    level, layout = choice
    turned = [sizes[0], *reversed(sizes[1:])]

    assert (
        md_geometry(level, turned, layout=layout).array_bytes
        == md_geometry(level, sizes, layout=layout).array_bytes
    )
