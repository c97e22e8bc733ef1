"""Ideal speed, against the costs in md's source and against counting blocks stripe by stripe."""

import msgspec
import pytest

from raidtui.backends.arithmetic.ideal import degraded_write_ios, ideal, parity_write_ios
from raidtui.backends.facts import Options
from raidtui.backends.registry import backend
from raidtui.model.spec import Backend


@pytest.mark.parametrize(
    ("level", "disks", "ios"),
    [
        ("raid5", 3, 3),
        ("raid5", 4, 4),
        ("raid5", 8, 4),
        ("raid6", 4, 4),
        ("raid6", 5, 5),
        ("raid6", 6, 6),
        ("raid6", 10, 6),
    ],
)
def test_md_reads_less_than_the_textbook_says(level: str, disks: int, ios: int) -> None:
    assert parity_write_ios(level, disks) == ios


@pytest.mark.parametrize(
    ("level", "factors"),
    [
        ("raid5", {3: 1.00, 4: 1.00, 5: 1.25, 6: 1.50, 7: 1.75, 8: 2.00}),
        ("raid6", {4: 1.00, 5: 1.00, 6: 1.00, 7: 1.17, 8: 1.33, 9: 1.50, 10: 1.67}),
    ],
)
def test_small_random_writes(level: str, factors: dict[int, float]) -> None:
    for disks, factor in factors.items():
        assert ideal(level, disks).rand_write == pytest.approx(factor, abs=0.005)


def test_raid6_without_the_instruction_never_gains_from_more_disks() -> None:
    assert [ideal("raid6", disks, xor_syndrome=False).rand_write for disks in (4, 6, 12)] == [1, 1, 1]


def test_the_shapes_of_the_levels() -> None:
    striped, mirror, parity = ideal("raid0", 4), ideal("raid1", 4), ideal("raid5", 4)
    near, far = ideal("raid10", 4, "n2"), ideal("raid10", 4, "f2")

    assert (striped.seq_read, striped.seq_write, striped.rand_read, striped.rand_write) == (4, 4, 4, 4)
    assert (mirror.seq_read, mirror.seq_read_many, mirror.rand_write) == (1, 4, 1)
    assert (parity.seq_read, parity.seq_write, parity.rand_read) == (3, 3, 4)
    assert (near.seq_read, near.seq_write, near.rand_read, near.rand_write) == (2, 2, 4, 2)
    assert (far.seq_read, far.seq_write) == (4, 2)


def test_parity_on_one_disk_is_waited_for() -> None:
    assert ideal("raid4", 8).rand_write < ideal("raid5", 8).rand_write
    assert ideal("raid4", 8).rand_read == 7


def test_a_parity_log_costs_writes_only() -> None:
    plain, logged = ideal("raid5", 5), ideal("raid5", 5, consistency="ppl")

    assert logged.seq_read == plain.seq_read
    assert logged.seq_write < 0.7 * plain.seq_write


@pytest.mark.parametrize("disks", [3, 4, 6, 9])
def test_a_degraded_raid5_reads_at_half(disks: int) -> None:
    degraded = ideal("raid5", disks).degraded

    assert degraded is not None
    assert degraded.rand_read == pytest.approx(disks / 2)
    assert degraded.rand_write < ideal("raid5", disks).rand_write


@pytest.mark.parametrize(
    ("layout", "disks", "rotating", "flash"),
    # Reads with one disk missing, in disks: the reads of all divided by those of the busiest (Linux 6.1, members with
    # 4 ms of delay, 64 requests at once). Flash comes close to what is given here, the others, all but one.
    [
        ("f2", 4, 2.03, 2.89),
        ("f2", 5, 2.48, 3.68),
        ("f3", 5, 2.54, 3.99),
        ("o2", 4, 2.00, None),
        ("o2", 5, 2.53, 3.68),
        ("o3", 5, 2.54, None),
        ("n2", 4, 2.00, 1.99),
        ("n2", 5, None, 3.77),
        ("n3", 4, None, 2.95),
        ("n3", 5, None, 3.98),
    ],
)
def test_reads_of_a_degraded_raid10(
    layout: str, disks: int, rotating: float | None, flash: float | None
) -> None:
    """Of far and offset copies a rotating disk reads the lowest: the next disk alone reads for the missing one."""
    for measured, kind in ((rotating, True), (flash, False)):
        degraded = ideal("raid10", disks, layout, rotational=kind).degraded
        assert degraded is not None
        if measured is not None:
            assert 0.91 * degraded.rand_read < measured < 1.03 * degraded.rand_read


@pytest.mark.parametrize("disks", range(2, 9))
@pytest.mark.parametrize("layout", ["f2", "o2"])
def test_a_stream_from_a_degraded_raid10_waits_for_the_disk_that_reads_twice(layout: str, disks: int) -> None:
    """Measured: exactly half, in one stream and in four."""
    degraded = ideal("raid10", disks, layout).degraded

    assert degraded is not None
    assert degraded.seq_read == disks / 2


def test_a_mirror_without_its_partner_is_the_bottleneck_of_raid10() -> None:
    near, odd = ideal("raid10", 6, "n2").degraded, ideal("raid10", 5, "n2").degraded

    assert near is not None
    assert odd is not None
    assert near.rand_read == 3
    assert odd.rand_read == 4


def test_no_degraded_speed_without_redundancy() -> None:
    assert ideal("raid0", 4).degraded is None
    assert ideal("linear", 4).degraded is None


@pytest.mark.parametrize(
    ("level", "disks", "ios"),
    # Counted at the disks of arrays of real md with one disk missing (Linux 6.1).
    [
        ("raid5", 3, 2.66),
        ("raid5", 4, 3.50),
        ("raid5", 5, 4.02),
        ("raid5", 7, 4.63),
        ("raid6", 4, 3.81),
        ("raid6", 5, 4.91),
        ("raid6", 6, 5.58),
        ("raid6", 8, 6.44),
        ("raid4", 5, 4.04),
    ],
)
def test_a_small_write_to_a_degraded_array(level: str, disks: int, ios: float) -> None:
    assert degraded_write_ios(level, disks) == pytest.approx(ios, rel=0.03)


@pytest.mark.parametrize(
    ("disks", "reads"),
    # measured on RAID6 with one disk missing
    [(4, 1.50), (5, 1.61), (6, 1.68), (8, 1.77)],
)
def test_a_lost_block_of_raid6_reads_all_other_disks(disks: int, reads: float) -> None:
    degraded = ideal("raid6", disks).degraded

    assert degraded is not None
    assert (disks - 1) / degraded.rand_read == pytest.approx(reads, rel=0.015)


def chosen_by_md(blocks: int, parities: int, lost: int, *, xor_syndrome: bool) -> int:
    """I/Os of a write to block 0 of a stripe: what md adds up for both ways, and the lesser.

    Blocks come first, then the parities; ``lost`` is the one that cannot be read.
    """
    never = 2 * (blocks + parities)
    modify: int = sum(never if place == lost else 1 for place in (0, *range(blocks, blocks + parities)))
    reconstruct: int = sum(never if place == lost else 1 for place in range(1, blocks))
    if parities == 2 and not xor_syndrome:
        modify = 2 * never
        if reconstruct >= never:
            reconstruct = blocks + parities - 1
    written: int = sum(place != lost for place in (0, *range(blocks, blocks + parities)))
    return min(modify, reconstruct) + written


@pytest.mark.parametrize("xor_syndrome", [True, False])
@pytest.mark.parametrize(("level", "parities"), [("raid5", 1), ("raid6", 2)])
@pytest.mark.parametrize("disks", range(4, 12))
def test_the_mean_over_every_block_that_can_be_lost(
    level: str, parities: int, disks: int, xor_syndrome: bool
) -> None:
    every = [
        chosen_by_md(disks - parities, parities, lost, xor_syndrome=xor_syndrome) for lost in range(disks)
    ]

    assert degraded_write_ios(level, disks, xor_syndrome=xor_syndrome) == pytest.approx(sum(every) / disks)


def test_all_disks_of_flash_serve_a_stream() -> None:
    def reads(level: str, disks: int, layout: str = "") -> tuple[float, float]:
        rotating, flash = (ideal(level, disks, layout, rotational=kind) for kind in (True, False))
        assert flash.seq_write == rotating.seq_write
        return rotating.seq_read, flash.seq_read

    assert reads("raid5", 4) == (3, 4)
    assert reads("raid6", 6) == (4, 6)
    assert reads("raid10", 4, "n2") == (2, 4)
    assert reads("raid10", 6, "n3") == (2, 6)
    assert reads("raid10", 4, "f2") == (4, 4)
    assert reads("raid4", 4) == (3, 3)  # its parity disk has no data
    assert reads("raid1", 4) == (1, 1)  # md keeps a stream on one disk


FLASH, ROTATING = Options(rotational=False), Options(rotational=True)


def reads_of(name: Backend, level: str, disks: int, options: Options, **own: str) -> tuple[float, ...]:
    options = msgspec.structs.replace(options, own=tuple(own.items()))
    best = backend(name).facts(level, (4 * 10**12,) * disks, options).ideal
    return best.seq_read, best.seq_read_many


# What one stream, and several, read at once: by placement, whichever backend has it.
PARITY = [
    (Backend.MDADM, "raid5", 1),
    (Backend.MDADM, "raid6", 2),
    (Backend.LVM, "raid5", 1),
    (Backend.LVM, "raid6", 2),
    (Backend.LVM_ON_MD, "raid6", 2),
    (Backend.BTRFS, "raid5", 1),
    (Backend.BTRFS, "raid6", 2),
    (Backend.ZFS, "raidz1", 1),
    (Backend.ZFS, "raidz2", 2),
    (Backend.ZFS, "raidz3", 3),
    (Backend.MEGARAID, "raid5", 1),
    (Backend.MEGARAID, "raid6", 2),
    (Backend.ADAPTEC, "raid6", 2),
]


@pytest.mark.parametrize(("name", "level", "parity"), PARITY)
@pytest.mark.parametrize("disks", [5, 6, 8, 12])
def test_rotating_parity_is_skipped_by_flash_for_every_backend(
    name: Backend, level: str, parity: int, disks: int
) -> None:
    assert reads_of(name, level, disks, FLASH) == (disks, disks)
    assert reads_of(name, level, disks, ROTATING) == (disks - parity, disks - parity)


@pytest.mark.parametrize("record", ["4KiB", "128KiB", "1MiB"])
@pytest.mark.parametrize(
    ("level", "vdevs", "disks", "parity"),
    [("raidz1", 1, 4, 1), ("raidz2", 1, 6, 2), ("raidz2", 2, 12, 2), ("raidz3", 1, 8, 3)],
)
def test_a_record_of_raidz_is_read_from_the_disks_of_its_data(
    level: str, vdevs: int, disks: int, parity: int, record: str
) -> None:
    """Measured on raidz2 of 6 disks: 1.02 bytes read for each, from all six; a record is read from four."""
    options = Options(own=(("vdevs", str(vdevs)), ("recordsize", record)), rotational=False)
    best = backend(Backend.ZFS).facts(level, (10**12,) * disks, options).ideal

    columns = 1 if record == "4KiB" else disks // vdevs - parity
    assert best.rand_read == pytest.approx(disks / columns)
    assert best.degraded is not None
    assert best.degraded.rand_read == pytest.approx((disks - vdevs) / columns)
    assert best.degraded.seq_read == disks - vdevs


@pytest.mark.parametrize(
    ("level", "disks", "one", "many"),
    # Disks that served the reads of a file (Linux 6.1), for one process and for four.
    [
        ("raid5", 4, 4.00, 3.98),
        ("raid6", 6, 6.00, 5.95),
        ("raid10", 4, 2.00, 3.98),
        ("raid10", 6, 3.00, 5.72),
    ],
)
def test_reads_of_btrfs_as_measured(level: str, disks: int, one: float, many: float) -> None:
    assert reads_of(Backend.BTRFS, level, disks, FLASH) == pytest.approx((one, many), rel=0.06)


@pytest.mark.parametrize(
    ("level", "disks", "measured"),
    [("raid5", 4, 2.00), ("raid5", 6, 3.00), ("raid6", 6, 3.00), ("raid6", 4, 2.00)],
)
def test_a_degraded_stream_of_btrfs_reads_every_lost_block_from_all_other_disks(
    level: str, disks: int, measured: float
) -> None:
    degraded = backend(Backend.BTRFS).facts(level, (10**12,) * disks, FLASH).ideal.degraded

    assert degraded is not None
    assert degraded.seq_read == pytest.approx(measured)


def test_a_degraded_stream_of_raid6_on_flash_reads_both_parities() -> None:
    degraded = ideal("raid6", 6, rotational=False).degraded

    assert degraded is not None
    # Measured: 299 MiB read from five disks for 256 MiB.
    assert degraded.seq_read == pytest.approx(5 * 256 / 299, rel=0.01)


def test_a_small_write_to_raid4_waits_for_its_parity_disk_degraded_too() -> None:
    degraded = ideal("raid4", 5).degraded

    assert degraded is not None
    # Measured: 0.753 reads and 1.0 writes of the parity disk for each write.
    assert degraded.rand_write == pytest.approx(1 / 1.753, rel=0.01)
