"""A benchmark result: cells with every run, and the context needed to compare them.

Rates are bytes a second, latencies seconds, sizes bytes. MB/s is always 1,000,000 bytes a second.
"""

from typing import TYPE_CHECKING

from msgspec import field

from raidtui.model.smart import Smart
from raidtui.model.spec import Backend, kind_of
from raidtui.model.struct import Bytes, Count, Record, Whole

if TYPE_CHECKING:
    from raidtui.model.unit import Unit


class RunValue(Record, frozen=True, kw_only=True):
    """One run of one cell, as fio reports it."""

    bytes_per_second: float
    iops: float
    latency_mean_seconds: float
    latency_p99_seconds: float | None = None  # None below 10,000 I/Os: too few for the tail
    seconds: float = 0.0  # measured time, without the ramp
    total_ios: Whole = 0
    percentiles: dict[str, float] = field(default_factory=dict)  # "99.9" → seconds
    processor_percent: float = 0.0  # user and system time of fio
    series: tuple[float, ...] = ()  # bytes a second, every 250 ms
    started: str = ""
    sync_seconds: float | None = None  # to write back the page cache after the run


class Cell(Record, frozen=True, kw_only=True):
    """One row and direction of the grid: the median run, and every run."""

    name: str  # "SEQ1M Q8T1"
    direction: str  # read, write or mix
    bytes_per_second: float
    iops: float
    latency_mean_seconds: float
    latency_p99_seconds: float | None = None
    block_bytes: Bytes = 0
    queue_depth: Whole = 1
    threads: Whole = 1
    random: bool = False
    runs: tuple[RunValue, ...] = ()
    flags: tuple[str, ...] = ()  # a letter and the reason: "R resync while measuring"
    amplification: float | None = None  # bytes moved by the disks per byte moved by fio; None: unknown
    curve: tuple[
        float, ...
    ] = ()  # bytes a second, for each second from the first run, if runs were repeated until steady


class MeasuredDisk(Record, frozen=True, kw_only=True):
    """A disk under the target."""

    identity: str
    model: str = ""
    size_bytes: Bytes = 0
    rotational: bool = True
    transport: str = ""
    smart: Smart | None = None


class MeasuredUnit(Record, frozen=True, kw_only=True):
    """The unit under the target, with every property that affects its speed. Sizes are bytes.

    A result of an earlier raidtui has the whole md `Array` in its place, and mdadm as the backend.
    """

    backend: Backend = Backend.MDADM
    name: str = ""
    uuid: str = ""
    level: str = ""  # the backend's own name for it; empty if not known
    raid_disks: Count = 0  # members with data, copies or parity: all but spares
    size_bytes: Bytes = 0
    chunk_bytes: Bytes = 0  # for LVM the stripe size; 0 if the level has none
    layout: str = ""  # md: n2, f2, left-symmetric …
    metadata: str = ""  # md: 1.2; Btrfs: the profile of its metadata
    checksum: str = ""  # Btrfs, for data and metadata: crc32c
    consistency: str = ""  # md: bitmap, lockless, resync, ppl, journal, none
    bitmap_chunk_bytes: Bytes | None = None  # data covered by one bit; for LVM the region size
    data_offset_bytes: Bytes = 0  # data offset on its members; 0 if not known
    mismatch_sectors: Whole | None = None  # found by the last check
    degraded: Count | None = None  # members missing or rebuilding
    card: str = ""  # the RAID card that made it: model, firmware, cache, battery and cache policies
    properties: dict[str, str] = field(
        default_factory=dict
    )  # ZFS: ashift, recordsize …; a card: write policy, battery …

    @property
    def kind(self) -> str:
        """Its level, with the backend in front unless that is mdadm: ``raid5``, ``lvm striped``."""
        return kind_of(self.backend, self.level or "array")


def measured_as(unit: "Unit") -> MeasuredUnit:
    """What a result records of a unit of any backend."""
    return MeasuredUnit(
        backend=unit.backend,
        name=unit.name,
        uuid=unit.uuid,
        level=unit.level,
        raid_disks=unit.raid_disks,
        size_bytes=unit.size_bytes,
        chunk_bytes=unit.chunk_bytes,
    )


class Context(Record, frozen=True, kw_only=True):
    """Where and how a result was measured."""

    hostname: str = ""
    kernel: str = ""
    processor_model: str = ""
    processors: Whole = 1
    memory_bytes: Bytes = 0
    target: str = ""
    filesystem: str = ""
    mount_options: str = ""
    device: str = ""
    unit: MeasuredUnit | None = field(
        default=None, name="array"
    )  # the nearest unit under the target with several members
    disks: tuple[MeasuredDisk, ...] = ()
    tools: dict[str, str] = field(default_factory=dict)
    engine: str = ""
    direct: bool | None = True  # with O_DIRECT; None: not known
    size_bytes: Bytes = 0
    seconds: Whole = 0
    runs: Whole = 0
    scheduler: str = ""
    governor: str = ""
    fill_percent: float | None = None
    during_sync: str = ""  # the sync action while measuring; empty when idle
    job_text: str = ""  # one exact fio command line, as an example
    compat: str = ""  # "cdm8", "cdm9": measured as that version of CrystalDiskMark does
    temperatures: dict[str, tuple[float, float]] = field(
        default_factory=dict
    )  # disk → °C at the start and highest
    slice: str = ""  # the part of each disk that the unit uses: "32GiB from 1MiB"; empty: all of it
    card: str = ""  # the RAID card that made the array; empty for a kernel array
    # Where it comes from, if not from raidtui: "CrystalDiskMark 8.0.5", "fio 3.33", "published: …".
    origin: str = ""


class Result(Record, frozen=True, kw_only=True):
    """One complete benchmark, as `raidtui results` stores, shows and exports it."""

    id: str
    label: str
    created: str  # ISO 8601, UTC
    version: str  # of raidtui
    profile: str
    context: Context
    cells: tuple[Cell, ...]

    def cell(self, name: str, direction: str) -> Cell | None:
        """The cell of this row and direction, if it was measured."""
        return next((c for c in self.cells if (c.name, c.direction) == (name, direction)), None)
