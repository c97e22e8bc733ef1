"""What each backend makes of the same disks: space, what survives, ideal speed, and what a missing disk means at boot."""

from collections.abc import Callable, Sequence
from math import comb
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.advice.btrfs import PROFILES, btrfs_space
from raidtui.advice.geometry import ASSUMED_MDADM, Geometry, MemberUse, check_sizes, md_geometry
from raidtui.advice.ideal import Factors, Ideal, ideal
from raidtui.advice.layouts import CannotBuild
from raidtui.advice.levels import ALONE, alone_geometry
from raidtui.advice.lvm import bands, lvm_space, on_md, volume_over
from raidtui.advice.partition import member_extent
from raidtui.advice.risk import parity_of, read_in_rebuild
from raidtui.advice.survival import Survival, survival, surviving_sets, uniform_survival
from raidtui.advice.zfs import DEFAULT_RECORD, pool_space
from raidtui.model.spec import Backend
from raidtui.model.struct import Record
from raidtui.model.units import MIB, both


class Options(Record, frozen=True, kw_only=True):
    """Options of a layout; each backend uses those it has."""

    spare_sizes: tuple[int, ...] = ()
    chunk: int | None = None
    layout: str | None = None
    metadata: str = "1.2"
    consistency: str | None = None
    logical_sector: int = 512
    record: int = DEFAULT_RECORD  # ZFS
    rotational: bool = True
    mdadm: tuple[int, int] = ASSUMED_MDADM  # its version: 4.5 makes what 4.2 refuses


class Facts(Record, frozen=True, kw_only=True):
    """One layout of one backend. Bytes; ``sets`` counts the sets of failed disks that are survived."""

    layout: str
    array_bytes: int
    component_bytes: int
    members: tuple[MemberUse, ...]
    sets: tuple[int, ...]
    survival: Survival
    read_in_rebuild: int  # with no redundancy left
    ideal: Ideal
    accuracy: str
    boot: str  # what happens at boot when a disk is missing
    spares: tuple[MemberUse, ...] = ()
    metadata: str = ""
    chunk_bytes: int = 0
    consistency: str = ""
    data_offset_bytes: int = 0
    stripe_width_bytes: int = 0
    rebuilds_data_only: bool = False
    parity: int = 0  # disks' worth of parity; 0 where a rebuild reads a copy


_MD_BOOT: Final = "starts degraded after half a minute"
_PARITY_BOOT: Final = f"{_MD_BOOT}; if it is also dirty it does not start automatically"
_BOOT: Final = {
    Backend.LVM: (
        "stays inactive: LVM does not activate an incomplete volume group at boot; "
        "start it by hand: vgchange -ay --activationmode degraded VG"
    ),
    Backend.ZFS: "is imported automatically, in state DEGRADED",
    Backend.BTRFS: "is not mounted: the mount option degraded must be given by hand",
}
_NO_BOOT: Final = "does not start: its data is lost"
EXACT_MD: Final = "exact to the sector"
EXACT_LVM: Final = "exact to the extent of 4 MiB"
EXACT_ZFS: Final = (
    "exact for an empty pool of OpenZFS 2.1 on whole disks; what files take depends on their record size"
)
CLOSE_BTRFS: Final = "within 0.2 % of Linux 6.1, checksums of the data estimated"


def _plain_uses(sizes: Sequence[int], used: Sequence[int], overhead: int, why: str) -> tuple[MemberUse, ...]:
    """Members of backends that use of each disk what they can; ``overhead`` is what each loses anyway."""
    found = []
    for size, part in zip(sizes, used, strict=True):
        lost = size - part
        own = min(lost, overhead)
        words = [f"{both(own)} for {why}"] if own else []
        if lost - own:
            words.append(f"{both(lost - own)} that no other disk can match")
        found.append(MemberUse(size_bytes=size, used_bytes=part, wasted_bytes=lost, why="; ".join(words)))
    return tuple(found)


def _md_boot(geometry: Geometry) -> str:
    if geometry.consistency == "none":
        return _NO_BOOT
    return _PARITY_BOOT if geometry.level in {"raid4", "raid5", "raid6"} else _MD_BOOT


def _geometry(level: str, sizes: Sequence[int], options: Options) -> Geometry:
    return md_geometry(
        level,
        sizes,
        spare_sizes=options.spare_sizes,
        chunk=options.chunk,
        layout=options.layout,
        metadata=options.metadata,
        consistency=options.consistency,
        logical_sector=options.logical_sector,
        mdadm=options.mdadm,
    )


def _md(level: str, sizes: Sequence[int], options: Options) -> Facts:
    return _of_array(_geometry(level, sizes, options), options)


def _of_array(geometry: Geometry, options: Options) -> Facts:
    level, layout, disks = geometry.level, geometry.layout, len(geometry.members)
    return Facts(
        layout=layout,
        array_bytes=geometry.array_bytes,
        component_bytes=geometry.component_bytes,
        members=geometry.members,
        spares=geometry.spares,
        sets=surviving_sets(level, disks, layout),
        survival=survival(level, disks, layout),
        read_in_rebuild=read_in_rebuild(level, disks, geometry.component_bytes),
        ideal=ideal(level, disks, layout, consistency=geometry.consistency, rotational=options.rotational),
        accuracy=EXACT_MD,
        boot=_md_boot(geometry),
        metadata=geometry.metadata,
        chunk_bytes=geometry.chunk_bytes,
        consistency=geometry.consistency,
        data_offset_bytes=geometry.data_offset_bytes,
        stripe_width_bytes=geometry.stripe_width_bytes,
        parity=parity_of(level),
    )


def _no_spares(backend: str, options: Options, reason: str) -> None:
    if options.spare_sizes:
        raise CannotBuild(f"{backend} has no hot spares: {reason}")


class _Shape(NamedTuple):
    """A layout by what it survives: as this level of md, or any ``sure`` disks and no more."""

    level: str = ""
    layout: str = ""
    sure: int = 0


def _resilience(shape: _Shape, disks: int) -> tuple[tuple[int, ...], Survival]:
    if shape.level:
        return surviving_sets(shape.level, disks, shape.layout), survival(shape.level, disks, shape.layout)
    return tuple(comb(disks, failed) for failed in range(shape.sure + 1)), uniform_survival(shape.sure, disks)


_LVM_SHAPES: Final = {
    "linear": _Shape("linear"),
    "striped": _Shape("raid0"),
    "raid0": _Shape("raid0"),
    "raid1": _Shape("raid1"),
    "raid4": _Shape("raid4"),
    "raid5": _Shape("raid5"),
    "raid6": _Shape("raid6"),
    "raid10": _Shape("raid10", "n2"),
}


def _lvm(level: str, sizes: Sequence[int], options: Options) -> Facts:
    _no_spares("LVM", options, "it rebuilds into free space of the volume group")
    space = lvm_space(level, sizes, stripe=options.chunk)
    shape, disks = _LVM_SHAPES[level], len(sizes)
    sets, lives = _resilience(shape, disks)
    component = min(space.used)
    return Facts(
        layout="",
        array_bytes=space.data_bytes,
        component_bytes=component,
        members=_plain_uses(sizes, space.used, 8 * MIB, "LVM's metadata and whole extents"),
        sets=sets,
        survival=lives,
        read_in_rebuild=read_in_rebuild(shape.level, disks, component),
        ideal=ideal(shape.level, disks, shape.layout, rotational=options.rotational),
        accuracy=EXACT_LVM,
        boot=_BOOT[Backend.LVM] if lives.guaranteed else _NO_BOOT,
        parity=parity_of(shape.level),
        chunk_bytes=space.stripe_bytes,
        stripe_width_bytes=space.stripe_width_bytes,
    )


def _lvm_on_md(level: str, sizes: Sequence[int], options: Options) -> Facts:
    if level in {"hybrid1", "hybrid2"}:
        return _hybrid(1 if level == "hybrid1" else 2, sizes, options)
    geometry = _geometry(level, sizes, options)
    return replace(_of_array(geometry, options), array_bytes=on_md(geometry), accuracy=EXACT_LVM)


def _hybrid(redundancy: int, sizes: Sequence[int], options: Options) -> Facts:
    _no_spares("a mixed-size layout", options, "each of its arrays spans other disks")
    pieces = [
        member_extent(size, options.logical_sector, partition=True, reserve=0).size_bytes for size in sizes
    ]
    over = bands(pieces, redundancy)
    space = volume_over(over, len(sizes))
    lowest = over[0].geometry
    sets, lives = _resilience(_Shape(sure=redundancy), len(sizes))
    return Facts(
        layout=" + ".join(f"{band.geometry.level} of {len(band.disks)}" for band in over),
        array_bytes=space.data_bytes,
        component_bytes=max(space.used),
        members=_plain_uses(sizes, space.used, 140 * MIB, "md's metadata and alignment"),
        sets=sets,
        survival=lives,
        read_in_rebuild=read_in_rebuild(lowest.level, len(sizes), max(space.used)),
        ideal=ideal(lowest.level, len(sizes), rotational=options.rotational),
        accuracy=EXACT_LVM,
        boot=_md_boot(lowest),
        parity=parity_of(lowest.level),
        metadata=lowest.metadata,
        chunk_bytes=lowest.chunk_bytes,
        consistency=lowest.consistency,
    )


def _zfs(level: str, sizes: Sequence[int], options: Options) -> Facts:
    disks = len(sizes)
    pairs = level == "mirror" and options.layout != "all" and disks > 3 and disks % 2 == 0
    if level == "mirror" and not pairs and disks > 3 and options.layout != "all":
        raise CannotBuild(f"ZFS mirrors in pairs take an even number of disks, not {disks}")
    if level == "stripe":
        groups: list[Sequence[int]] = [[size] for size in sizes]
    elif pairs:
        groups = [sizes[start : start + 2] for start in range(0, disks, 2)]
    else:
        groups = [sizes]
    space = pool_space(level, groups, record=options.record)
    parity = {"raidz1": 1, "raidz2": 2, "raidz3": 3}.get(level, 0)
    shape = (
        _Shape("raid0")
        if level == "stripe"
        else _Shape("raid10", "n2")
        if pairs
        else _Shape("raid1")
        if level == "mirror"
        else _Shape(sure=parity)
    )
    sets, lives = _resilience(shape, disks)
    used = tuple(space.leaves[place // len(groups[0])] for place in range(disks))
    n = float(disks)
    if parity:
        best = Ideal(
            seq_read=n - parity,
            seq_write=n - parity,
            rand_read=1,  # every disk takes part in reading a record
            rand_write=1,
            seq_read_many=n - parity,
            ios_per_random_write=n,
            degraded=Factors(seq_read=n - parity, seq_write=n - parity, rand_read=1, rand_write=1),
        )
    else:
        best = ideal(shape.level, disks, shape.layout, rotational=options.rotational)
    stored = space.available_bytes
    if parity and options.record != DEFAULT_RECORD:
        stored = int(stored * space.efficiency / pool_space(level, groups).efficiency)
    lowest = min(used)
    return Facts(
        layout="pairs" if pairs else "",
        array_bytes=stored,
        component_bytes=lowest,
        members=_plain_uses(sizes, used, 16 * MIB, "ZFS's partition and labels"),
        spares=tuple(
            MemberUse(size_bytes=size, used_bytes=0, wasted_bytes=size, why="a spare")
            for size in options.spare_sizes
        ),
        sets=sets,
        survival=lives,
        read_in_rebuild=lowest * (disks - parity) if parity else lowest if level == "mirror" else 0,
        ideal=best,
        accuracy=EXACT_ZFS,
        boot=_BOOT[Backend.ZFS] if lives.guaranteed else _NO_BOOT,
        parity=parity,
        rebuilds_data_only=True,
    )


_BTRFS_SURE: Final = {
    "single": 0,
    "raid0": 0,
    "raid1": 1,
    "raid10": 1,
    "raid5": 1,
    "raid1c3": 2,
    "raid6": 2,
    "raid1c4": 3,
}


def _btrfs(level: str, sizes: Sequence[int], options: Options) -> Facts:
    _no_spares("Btrfs", options, "add a disk with btrfs replace when one fails")
    space = btrfs_space(level, sizes)
    profile, disks = PROFILES[level], len(sizes)
    # Chunks lie on changing disks, so that in the end any disks hold all copies of something.
    sets, lives = _resilience(_Shape(sure=_BTRFS_SURE[level]), disks)
    n = float(disks)
    if profile.parity:
        best = ideal("raid6" if profile.parity == 2 else "raid5", disks)
    elif level in {"raid0", "raid10"}:
        best = ideal(level, disks)
    else:  # one chunk of 1 GiB lies on one disk a copy
        best = Ideal(
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
    component = max(space.used)
    return Facts(
        layout="",
        array_bytes=space.data_bytes,
        component_bytes=component,
        members=_plain_uses(sizes, space.used, 2 * MIB, "reserved space and whole chunks"),
        sets=sets,
        survival=lives,
        read_in_rebuild=component * (disks - profile.parity)
        if profile.parity
        else component
        if lives.guaranteed
        else 0,
        ideal=best,
        accuracy=CLOSE_BTRFS,
        boot=_BOOT[Backend.BTRFS] if lives.guaranteed else _NO_BOOT,
        parity=profile.parity,
        rebuilds_data_only=True,
    )


def _alone(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """A filesystem on one disk: its space and its speed are what every array is compared with."""
    if level != ALONE.name:
        raise CannotBuild(f"{level} is a level of arrays; the level of a single disk is {ALONE.name}")
    if len(sizes) != 1:
        raise CannotBuild(f"level single takes one disk, and {len(sizes)} are named")
    _no_spares("a single disk", options, "it has nothing to rebuild from")
    if options.chunk or options.layout or options.consistency:
        raise CannotBuild("a single disk has no chunk, layout or consistency; leave them out")
    check_sizes(sizes)
    geometry = alone_geometry(sizes[0])
    sets, lives = _resilience(_Shape("raid0"), 1)
    return Facts(
        layout="",
        array_bytes=geometry.array_bytes,
        component_bytes=geometry.component_bytes,
        members=geometry.members,
        sets=sets,
        survival=lives,
        read_in_rebuild=0,
        ideal=ideal("raid0", 1),
        accuracy=EXACT_MD,
        boot=_NO_BOOT,
    )


BACKENDS: Final[dict[Backend, Callable[[str, Sequence[int], Options], Facts]]] = {
    Backend.MDADM: _md,
    Backend.LVM: _lvm,
    Backend.LVM_ON_MD: _lvm_on_md,
    Backend.ZFS: _zfs,
    Backend.BTRFS: _btrfs,
    Backend.DISK: _alone,
}
