"""How fast an array can be at best, as multiples of one of its disks at the same place on the platters.

The costs of small writes are md's own (raid5.c, handle_stripe_dirtying): it reads the old data and parity
(read-modify-write) only where that is strictly less reading than the rest of the stripe (reconstruct-write), so
three disks need 3 I/Os rather than the textbook's 4, and RAID6 of four needs 4 rather than 6.
"""

from collections.abc import Mapping
from typing import Final

from raidtui.advice.layouts import copies_of, default_layout
from raidtui.model.struct import Record

PPL_SHARE: Final = (
    0.65  # of the write speed that is left with a partial parity log (raid5-ppl.rst: 30 to 40 % less)
)


class Factors(Record, frozen=True, kw_only=True):
    """Multiples of one disk: sequential ones of its rate, random ones of its I/Os a second at many in flight."""

    seq_read: float  # one stream
    seq_write: float  # whole stripes
    rand_read: float
    rand_write: float  # blocks smaller than a chunk


class Ideal(Record, frozen=True, kw_only=True):
    """The best an array can do, healthy and with one disk missing (null where it does not survive that)."""

    seq_read: float
    seq_write: float
    rand_read: float
    rand_write: float
    seq_read_many: float  # several streams at once
    ios_per_random_write: float
    degraded: Factors | None = None


def parity_write_ios(level: str, disks: int, *, xor_syndrome: bool = True) -> int:
    """I/Os that md issues for one small random write, reads and writes together.

    ``xor_syndrome``: whether the processor can update RAID6's second parity; without, md always reconstructs.
    """
    parity = 2 if level == "raid6" else 1
    reconstruct = disks - parity - 1
    modify = parity + 1
    rmw_possible = level != "raid6" or xor_syndrome
    return (modify if modify < reconstruct and rmw_possible else reconstruct) + parity + 1


def _parity_degraded_write(level: str, disks: int) -> float:
    """Mean I/Os of one small write with one disk missing, over all places that disk can have in the stripe."""
    parity = 2 if level == "raid6" else 1
    others = disks - parity - 1  # data members beside the one that is written
    lost_target = others + parity  # the rest is read, the parity written
    lost_parity = 1 if parity == 1 else min(2, others) + 2
    lost_other = 2 * (parity + 1)  # only read-modify-write does without the lost block
    return (lost_target + parity * lost_parity + others * lost_other) / disks


def ideal(
    level: str, disks: int, layout: str = "", *, consistency: str = "", xor_syndrome: bool = True
) -> Ideal:
    """The best that ``disks`` equal disks can do in this level of md."""
    n = float(disks)
    if level == "raid0":
        return Ideal(
            seq_read=n, seq_write=n, rand_read=n, rand_write=n, seq_read_many=n, ios_per_random_write=1
        )
    if level == "linear":
        return Ideal(
            seq_read=1, seq_write=1, rand_read=n, rand_write=n, seq_read_many=n, ios_per_random_write=1
        )
    if level == "raid1":
        return _mirror(n)
    if level == "raid10":
        return _copies(disks, layout or default_layout(level))
    parity = 2 if level == "raid6" else 1
    ios = parity_write_ios(level, disks, xor_syndrome=xor_syndrome)
    share = PPL_SHARE if consistency == "ppl" else 1.0
    readers, data = n, n - parity
    writes = n / ios
    if level == "raid4":  # nothing is read from the parity disk, and every small write waits for it
        readers = data
        writes = 0.5 if disks - 2 > 2 else 1.0
    reads_a_request = (n - 1 + (n - parity)) / n
    return Ideal(
        seq_read=data,
        seq_write=data * share,
        rand_read=readers,
        rand_write=writes * share,
        seq_read_many=data,
        ios_per_random_write=ios,
        degraded=Factors(
            seq_read=data,
            seq_write=data * share,
            rand_read=(n - 1) / reads_a_request,
            rand_write=(n - 1) / _parity_degraded_write(level, disks) * share,
        ),
    )


def _mirror(n: float) -> Ideal:
    return Ideal(
        seq_read=1,  # md keeps one sequential stream on one rotating disk (raid1.c, read_balance)
        seq_write=1,
        rand_read=n,
        rand_write=1,
        seq_read_many=n,
        ios_per_random_write=n,
        degraded=Factors(seq_read=1, seq_write=1, rand_read=n - 1, rand_write=1),
    )


def _copies(disks: int, layout: str) -> Ideal:
    copies = copies_of(layout)
    n, width = float(disks), disks / copies.total
    streamed = width if copies.near > 1 else n  # far and offset copies read like a stripe
    together = disks % copies.near == 0 and copies.near > 1
    left = n * (copies.total - 1) / copies.total if together else n - 1
    return Ideal(
        seq_read=streamed,
        seq_write=width,
        rand_read=n,
        rand_write=width,
        seq_read_many=n,
        ios_per_random_write=copies.total,
        degraded=Factors(seq_read=min(streamed, n - 1), seq_write=width, rand_read=left, rand_write=width),
    )


def share_of_ideal(
    measured: float, one_disk: float, best: Ideal, *, direction: str, random: bool, streams: int = 1
) -> float:
    """Which part of the ideal a measured value is; 1.0 is all of it, more is a cache or faster tracks.

    ``measured`` and ``one_disk`` are of the same kind: both bytes a second, or both I/Os a second.
    """
    names: Mapping[tuple[str, bool], float] = {
        ("read", False): best.seq_read_many if streams > 1 else best.seq_read,
        ("write", False): best.seq_write,
        ("read", True): best.rand_read,
        ("write", True): best.rand_write,
    }
    return measured / (one_disk * names[direction, random])
