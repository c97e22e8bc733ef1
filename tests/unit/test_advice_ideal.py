"""Ideal speed, against the costs in md's source and against counting blocks stripe by stripe."""

import pytest

from raidtui.advice.ideal import ideal, parity_write_ios, share_of_ideal


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
    assert degraded.rand_write < ideal("raid5", disks).rand_write + 0.34


def test_a_mirror_without_its_partner_is_the_bottleneck_of_raid10() -> None:
    near, odd = ideal("raid10", 6, "n2").degraded, ideal("raid10", 5, "n2").degraded

    assert near is not None
    assert odd is not None
    assert near.rand_read == 3
    assert odd.rand_read == 4


def test_no_degraded_speed_without_redundancy() -> None:
    assert ideal("raid0", 4).degraded is None
    assert ideal("linear", 4).degraded is None


def test_share_of_ideal() -> None:
    best = ideal("raid5", 4)

    assert share_of_ideal(540e6, 200e6, best, direction="read", random=False) == pytest.approx(0.9)
    assert share_of_ideal(100.0, 100.0, best, direction="write", random=True) == pytest.approx(1.0)
    assert share_of_ideal(600e6, 200e6, ideal("raid1", 3), direction="read", random=False, streams=3) == 1.0
