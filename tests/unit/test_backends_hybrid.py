"""Bands of unequal disks: their arithmetic against a model of its own, and what is said of space that waits."""

import random
from typing import Any

import pytest

from raidtui.advice.ranking import gives_more
from raidtui.advice.report import Question, all_reports, one_report
from raidtui.backends.facts import Options
from raidtui.backends.hybrid.bands import bands_of
from raidtui.backends.hybrid.facts import hybrid_facts
from raidtui.backends.registry import backend
from raidtui.model.errors import BadInput, CannotBuild
from raidtui.model.spec import Backend, Spec
from raidtui.model.units import GIB, MIB

TB = 10**12
DISK_4TB = 4000787030016


# A model: disks are peeled from below, and each array is computed from what mdadm and LVM do.


def modelled_offset(sectors: int, chunked: bool) -> int:
    """Sectors before the data on a member: superblock, bitmap and headroom, rounded up to a MiB (super1.c)."""
    bitmap = (
        256 if sectors - 128 >= 419430400 else 128 if sectors - 8 > 16777216 else 8 if sectors >= 128 else 0
    )
    headroom = 262144
    while headroom * 1024 > sectors and (not chunked or headroom // 2 >= 2048):
        headroom //= 2
    return (24 + bitmap + headroom + 2047) // 2048 * 2048


def modelled_array(level: str, disks: int, height: int) -> int:
    """Bytes of LVM's extents on one array of members of ``height`` bytes."""
    sectors = height // 512
    room = sectors - modelled_offset(sectors, level != "raid1")
    if level == "raid1":
        data, width = 1, 0
        room -= room % 128
    else:
        data = disks - (2 if level == "raid6" else 1)
        room -= room % 1024
        width = 1024 * data
    # set_pe_align: 1 MiB, or the chunk, or a full stripe, whichever does not divide what is before
    step = 2048
    for size in (width, 1024 if width else 0, width):
        if size and step % size:
            step = size
    start = (2048 + step - 1) // step * step
    return (room * data - start) // 8192 * 4 * MIB


def modelled(sizes: list[int], redundancy: int) -> int:
    """Bytes of the volume over members of these sizes."""
    left = [size // MIB for size in sizes]
    thin = max(1, min(1024, min(left) // 8))
    total = 0
    while True:
        alive = [size for size in left if size]
        if len(alive) <= redundancy:
            return total
        cut = min(alive)
        level = "raid1" if len(alive) == redundancy + 1 else "raid5" if redundancy == 1 else "raid6"
        total += modelled_array(level, len(alive), cut * MIB)
        left = [size - cut if size and size - cut >= thin else 0 for size in left]


def some_sizes(draw: random.Random) -> tuple[list[int], int]:
    redundancy = draw.choice((1, 2))
    kinds = [draw.randrange(1, 24_000) * GIB // 10 + draw.choice((0, 512, 4096 * 77)) for _ in range(4)]
    count = draw.randrange(redundancy + 1, 13)
    return [draw.choice(kinds) + draw.choice((0, 0, 300 * MIB)) for _ in range(count)], redundancy


def test_three_hundred_random_sets_are_what_a_model_of_its_own_says() -> None:
    draw = random.Random(20261126)
    several = 0
    for _ in range(300):
        sizes, redundancy = some_sizes(draw)
        if min(sizes) < 100 * MIB:
            sizes = [size + GIB for size in sizes]
        facts = hybrid_facts(f"hybrid{redundancy}", sizes, Options())
        assert facts.array_bytes == modelled(sizes, redundancy), (sizes, redundancy)
        assert all(use.used_bytes + use.wasted_bytes == use.size_bytes for use in facts.members)
        assert facts.survival.guaranteed == redundancy
        several += " + " in facts.layout
    assert several > 200


def test_every_set_of_failed_disks_that_it_says_it_survives_leaves_each_array_enough() -> None:
    draw = random.Random(7)
    for _ in range(100):
        sizes, redundancy = some_sizes(draw)
        found = bands_of([size + GIB for size in sizes], redundancy, Options())
        for band in found:
            spare = {"raid1": len(band.disks) - 1, "raid5": 1, "raid6": 2}[band.geometry.level]
            assert spare == redundancy
        assert set(found[0].disks) == set(range(len(sizes)))


@pytest.mark.parametrize(
    ("terabytes", "redundancy", "usable"),
    [
        ([3, 3, 3, 8, 8], 1, 17),
        ([2, 2, 4, 4], 1, 8),
        ([0.5, 1, 1.5, 2, 2], 1, 5),
        ([8, 8, 8, 8, 4, 4], 1, 32),
        ([8, 4, 4, 4], 2, 8),
        ([12, 8, 4, 4], 2, 8),
        ([4, 8], 1, 4),
    ],
)
def test_bands_use_all_but_the_largest_disks(terabytes: list[float], redundancy: int, usable: int) -> None:
    facts = hybrid_facts(f"hybrid{redundancy}", [int(size * TB) for size in terabytes], Options())
    assert facts.array_bytes / TB == pytest.approx(usable, rel=1e-3)


def test_bands_say_which_disks_they_cover() -> None:
    low, high = bands_of([3 * TB, 3 * TB, 3 * TB, 8 * TB, 8 * TB], 1, Options())
    assert (low.geometry.level, low.disks) == ("raid5", (0, 1, 2, 3, 4))
    assert (high.geometry.level, high.disks) == ("raid1", (3, 4))
    assert high.start == low.height


def test_nearly_equal_disks_are_one_band_and_equal_ones_as_large_as_an_array_with_a_volume() -> None:
    assert len(bands_of([DISK_4TB, DISK_4TB + 500 * MIB, DISK_4TB], 1, Options())) == 1
    for level, plain in (("hybrid1", "raid5"), ("hybrid2", "raid6")):
        alike = backend(Backend.LVM_ON_MD).facts(plain, [DISK_4TB // MIB * MIB] * 5, Options())
        facts = hybrid_facts(level, [DISK_4TB // MIB * MIB] * 5, Options())
        assert facts.array_bytes == alike.array_bytes
        assert facts.stripe_width_bytes == alike.stripe_width_bytes


@pytest.mark.parametrize(
    ("level", "sizes", "options", "words"),
    [
        ("hybrid2", [TB, TB], Options(), "hybrid2 takes at least 3 disks to survive 2 failed, not 2"),
        ("hybrid1", [TB, TB, TB], Options(spare_sizes=(TB,)), "no hot spares"),
        ("hybrid1", [TB, 0], Options(), "a size must be positive"),
        ("hybrid1", [2 * MIB, 2 * MIB], Options(), "too small"),
        ("hybrid1", [TB, TB], Options(consistency="ppl"), "for RAID5 only"),
    ],
)
def test_what_cannot_be_built_is_refused_in_a_sentence(
    level: str, sizes: list[int], options: Options, words: str
) -> None:
    with pytest.raises(CannotBuild, match=words):
        hybrid_facts(level, sizes, options)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"partition": False}, "partitions, one for each band"),
        ({"metadata": "1.0"}, "have metadata 1.2"),
        ({"name": "shm"}, "/dev/shm"),
        ({"name": "a" * 26}, "28 characters"),
    ],
)
def test_what_a_spec_may_not_say(changes: dict[str, Any], words: str) -> None:
    spec = Spec(**{"name": "tank", "backend": Backend.HYBRID, "level": "hybrid1"} | changes)
    with pytest.raises(BadInput, match=words):
        backend(Backend.HYBRID).check(spec)


def test_space_that_waits_for_one_more_disk_is_told_with_what_that_disk_gives() -> None:
    report = one_report(Backend.HYBRID, "hybrid1", Question(sizes=(4 * TB, 4 * TB, 8 * TB)))
    assert report.members[2].why.endswith(
        "4.00 TB (3.64 TiB) pending: one more disk of 8.00 TB gives 8.00 TB"
    )
    (waiting,) = [one for one in report.hazards if one.id == "pending-space"]
    assert waiting.seen.startswith("disk 3: 4.00 TB")
    assert "No new space there yet" in waiting.meaning
    alike = one_report(Backend.HYBRID, "hybrid1", Question(sizes=(4 * TB,) * 3))
    assert not [one for one in alike.hazards if one.id == "pending-space"]


def test_it_is_worth_showing_only_where_it_gives_more() -> None:
    def more(*sizes: int) -> list[str]:
        home = tuple(all_reports(Question(sizes=sizes), (Backend.MDADM,)))
        mine = all_reports(Question(sizes=sizes), (Backend.HYBRID,))
        return [one.level for one in mine if gives_more(one, home)]

    assert more(4 * TB, 4 * TB, 8 * TB, 8 * TB) == [
        "hybrid1"
    ]  # RAID6 of 4 gives as much as two mirrors of three
    assert more(4 * TB, 4 * TB, 8 * TB, 8 * TB, 8 * TB) == ["hybrid1", "hybrid2"]
    assert more(4 * TB, 4 * TB, 4 * TB) == []
    assert more(4 * TB, 8 * TB) == []


def test_a_large_single_parity_is_advised_to_have_two_in_its_own_words() -> None:
    report = one_report(Backend.HYBRID, "hybrid1", Question(sizes=(8 * TB, 8 * TB, 12 * TB, 12 * TB)))
    (large,) = [one for one in report.hazards if one.id == "raid5-large"]
    assert 'Set level = "hybrid2"' in large.advice
    pair = one_report(Backend.HYBRID, "hybrid1", Question(sizes=(12 * TB, 12 * TB)))
    assert not {"raid5-large", "two-disk-parity"} & {one.id for one in pair.hazards}
