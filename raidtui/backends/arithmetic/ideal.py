"""The ideal speed of an array, as multiples of one of its disks at the same position on the platters.

The costs of small writes are md's (raid5.c, handle_stripe_dirtying): md reads the old data and parity
(read-modify-write) only if that is strictly less to read than the rest of the stripe (reconstruct-write). So three
disks need 3 I/Os rather than the textbook's 4, and RAID6 of four disks needs 4 rather than 6.
"""

from typing import Final

from raidtui.backends.arithmetic.copies import RAID10_LAYOUT, Copies, copies_of
from raidtui.model.md_levels import parity_of
from raidtui.model.struct import Record

PPL_SHARE: Final = 0.65  # of the write speed with a partial parity log (raid5-ppl.rst: 30 to 40 % less)


class Factors(Record, frozen=True, kw_only=True):
    """Multiples of one disk: of its sequential rate, and of its random I/Os a second at a high queue depth."""

    seq_read: float  # one stream
    seq_write: float  # whole stripes
    rand_read: float
    rand_write: float  # blocks smaller than a chunk


class Ideal(Record, frozen=True, kw_only=True):
    """The ideal speed of an array, healthy and with one disk missing (None if it does not survive that)."""

    seq_read: float
    seq_write: float
    rand_read: float
    rand_write: float
    seq_read_many: float  # several streams at once
    ios_per_random_write: float
    degraded: Factors | None = None


def factor(times: float) -> str:
    """A multiple of one disk: ``3x``, ``1.3x``."""
    return f"{times:.2g}x" if times < 99.5 else f"{times:.0f}x"


def speeds(ideal: Ideal | Factors) -> str:
    """The speeds of an array in words, as multiples of one disk."""
    return (
        f"streams read {factor(ideal.seq_read)}, write {factor(ideal.seq_write)}; "
        f"small I/Os read {factor(ideal.rand_read)}, write {factor(ideal.rand_write)}"
    )


def parity_write_ios(level: str, disks: int, *, xor_syndrome: bool = True) -> int:
    """I/Os that md issues for one small random write, reads plus writes.

    ``xor_syndrome``: whether the processor can update RAID6's second parity; if not, md always reconstructs.
    """
    parity = parity_of(level)
    reconstruct = disks - parity - 1
    modify = parity + 1
    rmw_possible = parity == 1 or xor_syndrome
    return (modify if modify < reconstruct and rmw_possible else reconstruct) + parity + 1


def degraded_write_ios(level: str, disks: int, *, xor_syndrome: bool = True) -> float:
    """Mean I/Os of one small random write with one disk missing, averaged over the disk's roles in the stripes.

    For RAID4 a data disk is missing. A lost block rules out the method that would read it (raid5.c,
    handle_stripe_dirtying).
    """
    parity = parity_of(level)
    others = disks - parity - 1  # data blocks beside the one to write
    lost_target = others + parity  # reconstruct-write: read the others, write the parity
    lost_parity = others + parity  # the same: read the others, write the block and the remaining parity
    lost_other = 2 * (parity + 1)  # read-modify-write
    if parity == 2 and not xor_syndrome:
        lost_other = disks - 1 + parity + 1  # read everything first to compute the lost block
    if level == "raid4":
        return (lost_target + others * lost_other) / (others + 1)
    return (lost_target + parity * lost_parity + others * lost_other) / disks


def streamed(disks: float, spared: float, *, rotational: bool) -> float:
    """Disks that serve one stream of reads, where parity or copies in every stripe fill ``spared`` of ``disks``.

    A rotating disk takes as long to skip what the stream does not need as to read it. Flash does not, so all disks
    serve the stream. Of every backend whose stripes rotate over the disks: RAID5 and RAID6 of md and Btrfs, raidz, and
    copies side by side.
    """
    return disks - spared if rotational else disks


def ideal(
    level: str,
    disks: int,
    layout: str = "",
    *,
    consistency: str = "",
    xor_syndrome: bool = True,
    rotational: bool = True,
) -> Ideal:
    """The ideal speed of ``disks`` equal disks in this level of md."""
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
        return _copies(disks, layout or RAID10_LAYOUT, rotational=rotational)
    parity = parity_of(level)
    ios = parity_write_ios(level, disks, xor_syndrome=xor_syndrome)
    share = PPL_SHARE if consistency == "ppl" else 1.0
    data, writes = n - parity, n / ios
    if level == "raid4":
        return _one_parity_disk(n, share)
    stream = streamed(n, parity, rotational=rotational)
    # A stream reads whole stripes: for a lost block of RAID6, md reads both parities though one would do.
    degraded_stream = data if rotational or parity == 1 else (n - 1) * n / (n + 1)
    return Ideal(
        seq_read=stream,
        seq_write=data * share,
        rand_read=n,
        rand_write=writes * share,
        seq_read_many=stream,
        ios_per_random_write=ios,
        degraded=Factors(
            seq_read=degraded_stream,
            seq_write=data * share,
            rand_read=n / 2,  # a lost block is computed from all other disks: 2 (n-1) / n reads a request
            rand_write=(n - 1) / degraded_write_ios(level, disks, xor_syndrome=xor_syndrome) * share,
        ),
    )


def of_groups(one: Ideal, groups: int, *, striped: bool) -> Ideal:
    """The ideal speed of a volume over ``groups`` such arrays, striped over them or one after the other.

    Degraded, the array with the missing disk is the slowest, and every stripe waits for it.
    """
    streams = groups if striped else 1
    weak = one.degraded
    return Ideal(
        seq_read=one.seq_read * streams,
        seq_write=one.seq_write * streams,
        rand_read=one.rand_read * groups,
        rand_write=one.rand_write * groups,
        seq_read_many=one.seq_read_many * groups,
        ios_per_random_write=one.ios_per_random_write,
        degraded=weak
        and Factors(
            seq_read=weak.seq_read * streams,
            seq_write=weak.seq_write * streams,
            rand_read=weak.rand_read * groups,
            rand_write=weak.rand_write * groups,
        ),
    )


def _one_parity_disk(n: float, share: float) -> Ideal:
    """RAID4: reads do not use the parity disk, and every small write waits for it. Degraded: without a data disk."""
    return Ideal(
        seq_read=n - 1,
        seq_write=(n - 1) * share,
        rand_read=n - 1,
        rand_write=(0.5 if n > 4 else 1.0) * share,
        seq_read_many=n - 1,
        ios_per_random_write=parity_write_ios("raid4", int(n)),
        degraded=Factors(
            seq_read=n - 1,
            seq_write=(n - 1) * share,
            rand_read=(n - 1) / 2,
            # Parity is read and written, or only written if the lost block is the one to write.
            rand_write=min((n - 1) / (2 * n - 3), (n - 1) / degraded_write_ios("raid4", int(n))) * share,
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


def _copies(disks: int, layout: str, *, rotational: bool) -> Ideal:
    copies = copies_of(layout)
    n, width = float(disks), disks / copies.total
    # Far and offset copies read like a stripe.
    stream = streamed(n, n - width, rotational=rotational) if copies.near > 1 else n
    left = _copies_left(disks, copies, rotational=rotational)
    return Ideal(
        seq_read=stream,
        seq_write=width,
        rand_read=n,
        rand_write=width,
        seq_read_many=n,
        ios_per_random_write=copies.total,
        degraded=Factors(seq_read=min(stream, left), seq_write=width, rand_read=left, rand_write=width),
    )


def _copies_left(disks: int, copies: Copies, *, rotational: bool) -> float:
    """Disks' worth of reads with one missing; another one bears the most, and is waited for."""
    if copies.near > 1 and disks % copies.near == 0:  # its partners read for it, and hold nothing else
        return disks * (copies.total - 1) / copies.total
    if copies.far > 1 and rotational:
        # Of far and offset copies md reads the one at the lowest address, to stay on the outer tracks (raid10.c,
        # read_balance), so the next disk alone reads for it: half as fast, in any number of streams.
        return disks / 2
    return disks - 1
