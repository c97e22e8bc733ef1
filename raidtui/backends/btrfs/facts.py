"""The facts of a Btrfs filesystem over several disks."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.arithmetic.ideal import Factors, Ideal, ideal
from raidtui.backends.btrfs.levels import LEVELS
from raidtui.backends.btrfs.space import EXACT_UP_TO, PROFILES, Profile, btrfs_space, metadata_of
from raidtui.backends.facts import Facts, Options, Shape, check_no_spares, plain_uses, resilience
from raidtui.machine.tools import is_older
from raidtui.model.errors import CannotBuild
from raidtui.model.text import spelled
from raidtui.model.units import MIB

_BOOT: Final = "is not mounted; mount it by hand with -o degraded"
_LOST: Final = "cannot be mounted: its data is lost"
_RAID10_BEFORE: Final = 4  # disks of a raid10 before btrfs-progs 5.15
_EXACT: Final = "to the byte as on Linux 6.1 with btrfs-progs 6.2, checksums of the data estimated"
_CLOSE: Final = "within 0.2 % of Linux 6.1, checksums of the data estimated"


def btrfs_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of ``level`` on devices of these sizes, in bytes.

    Raises:
        CannotBuild: Btrfs would refuse, or there are spares.
    """
    check_no_spares("Btrfs", options, "add a disk with btrfs replace when one fails")
    disks = len(sizes)
    if level in LEVELS and disks < LEVELS[level].min_disks:
        raise CannotBuild(
            f"Btrfs {spelled(level)} takes at least {LEVELS[level].min_disks} disks, not {disks}"
        )
    progs = dict(options.tools).get("mkfs.btrfs", "")
    if level == "raid10" and disks < _RAID10_BEFORE and progs and is_older(progs, "5.15"):
        raise CannotBuild(
            f"btrfs-progs {progs} takes at least {_RAID10_BEFORE} disks for RAID10, not {disks}"
        )
    space = btrfs_space(level, sizes, metadata=options.metadata)
    profile, metadata = PROFILES[level], options.metadata or metadata_of(level)
    # Chunks go to varying disks, so sooner or later any combination of disks holds all copies of some chunk.
    sets, lives = resilience(Shape(sure=min(profile.survives, PROFILES[metadata].survives)), disks)
    best = _ideal(level, profile, disks, rotational=options.rotational)
    component = max(space.used)
    return Facts(
        layout="",
        metadata=metadata,
        array_bytes=space.data_bytes,
        component_bytes=component,
        members=plain_uses(sizes, space.used, 2 * MIB, "reserved space and whole chunks"),
        sets=sets,
        survival=lives,
        read_in_rebuild=component * (disks - profile.parity)
        if profile.parity
        else component
        if lives.guaranteed
        else 0,
        ideal=best,
        accuracy=_EXACT if sum(sizes) <= EXACT_UP_TO else _CLOSE,
        boot=_BOOT if lives.guaranteed else _LOST,
        parity=profile.parity,
        rebuilds_data_only=True,
    )


def _ideal(level: str, profile: Profile, disks: int, *, rotational: bool) -> Ideal:
    n = float(disks)
    if profile.parity:
        best = ideal("raid6" if profile.parity == 2 else "raid5", disks, rotational=rotational)
        # Each lost block is computed from all other disks, also in a stream: 2 (n-1) / n blocks are read for each.
        return replace(
            best, degraded=best.degraded and replace(best.degraded, seq_read=min(best.seq_read, n / 2))
        )
    if level in {"raid0", "raid10"}:
        return ideal(level, disks)  # on flash too one process reads one copy (volumes.c, find_live_mirror)
    # Each copy of a 1 GiB chunk is on one disk.
    return Ideal(
        seq_read=1,
        seq_write=1,
        rand_read=n,
        rand_write=n / profile.copies,
        seq_read_many=n,
        ios_per_random_write=profile.copies,
        degraded=Factors(seq_read=1, seq_write=1, rand_read=n - 1, rand_write=(n - 1) / profile.copies)
        if profile.copies > 1
        else None,
    )
