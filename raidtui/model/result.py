"""What was measured: cells with every run, and the context that makes them comparable.

Rates are bytes a second, latencies seconds, sizes bytes. MB/s is always 1,000,000 bytes a second.
"""

from msgspec import field

from raidtui.model.machine import Smart
from raidtui.model.spec import Backend, kind_of
from raidtui.model.struct import Record


class RunValue(Record, frozen=True, kw_only=True):
    """One run of one cell, as fio reports it."""

    bytes_per_second: float
    iops: float
    latency_mean_seconds: float
    latency_p99_seconds: float | None = None  # None below 10,000 I/Os: the tail is not known then
    seconds: float = 0.0  # measured time, without the ramp
    total_ios: int = 0
    percentiles: dict[str, float] = field(default_factory=dict)  # "99.9" → seconds
    processor_percent: float = 0.0  # user and system time of fio
    series: tuple[float, ...] = ()  # bytes a second, every 250 ms
    started: str = ""
    sync_seconds: float | None = None  # after it, until the disks had what the page cache had


class Cell(Record, frozen=True, kw_only=True):
    """One row and direction of the grid: the median of its runs, and every run."""

    name: str  # "SEQ1M Q8T1"
    direction: str  # read, write or mix
    bytes_per_second: float
    iops: float
    latency_mean_seconds: float
    latency_p99_seconds: float | None = None
    block_bytes: int = 0
    queue_depth: int = 1
    threads: int = 1
    random: bool = False
    runs: tuple[RunValue, ...] = ()
    flags: tuple[str, ...] = ()  # letter and reason: "R resync while measuring"
    amplification: float | None = (
        None  # bytes that the disks moved for each byte that fio moved; None: unknown
    )
    curve: tuple[
        float, ...
    ] = ()  # bytes a second, each second from the first run on, where runs went on until steady


class MeasuredDisk(Record, frozen=True, kw_only=True):
    """A disk under the target."""

    identity: str
    model: str = ""
    size_bytes: int = 0
    rotational: bool = True
    transport: str = ""
    smart: Smart | None = None


class MeasuredUnit(Record, frozen=True, kw_only=True):
    """What disks were combined to, and how: whatever of it makes it faster or slower. Sizes are bytes.

    A result that an earlier raidtui wrote has the whole of md's array in its place, and is of mdadm.
    """

    backend: Backend = Backend.MDADM
    name: str = ""
    uuid: str = ""
    level: str = ""  # the backend's own word; empty where nobody knows
    raid_disks: int = 0  # members with data, copies or parity: all but spares
    size_bytes: int = 0
    chunk_bytes: int = 0  # LVM's stripe size; 0 where the level has none
    layout: str = ""  # of md: n2, f2, left-symmetric …
    metadata: str = ""  # of md: 1.2; of Btrfs the profile of its metadata
    checksum: str = ""  # of Btrfs, of the data too: crc32c
    consistency: str = ""  # of md: bitmap, resync, ppl, journal, none
    bitmap_chunk_bytes: int | None = None  # for each so much a write is noted first; of LVM its region size
    data_offset_bytes: int = 0  # where data begins on its members; 0 where that is not known
    mismatch_sectors: int | None = None  # that the last check found
    degraded: int | None = None  # members missing or rebuilding
    card: str = ""  # the RAID card that made it: model, firmware, cache, battery and cache policies
    properties: dict[str, str] = field(
        default_factory=dict
    )  # of ZFS: ashift, recordsize …; of a card: write policy, battery …

    @property
    def kind(self) -> str:
        """Its level, ``raid5``, and whose it is where that is not mdadm: ``lvm striped``."""
        return kind_of(self.backend, self.level or "array")


class Context(Record, frozen=True, kw_only=True):
    """Where and how it was measured."""

    hostname: str = ""
    kernel: str = ""
    processor_model: str = ""
    processors: int = 1
    memory_bytes: int = 0
    target: str = ""
    filesystem: str = ""
    mount_options: str = ""
    device: str = ""
    unit: MeasuredUnit | None = field(
        default=None, name="array"
    )  # the nearest one under the target that has several members
    disks: tuple[MeasuredDisk, ...] = ()
    tools: dict[str, str] = field(default_factory=dict)
    engine: str = ""
    direct: bool | None = True  # with O_DIRECT; None: not known
    size_bytes: int = 0
    seconds: int = 0
    runs: int = 0
    scheduler: str = ""
    governor: str = ""
    fill_percent: float | None = None
    during_sync: str = ""  # the sync action while measuring; empty when idle
    job_text: str = ""  # one exact fio command line, as an example of all
    compat: str = ""  # "cdm8", "cdm9": measured as that CrystalDiskMark does
    temperatures: dict[str, tuple[float, float]] = field(
        default_factory=dict
    )  # disk → °C at the start, highest
    slice: str = ""  # which part of each disk the unit lies on: "32GiB from 1MiB"; empty: all of it
    card: str = ""  # the RAID card that made the array; empty for one of the kernel's
    origin: str = ""  # who measured, if not raidtui: "CrystalDiskMark 8.0.5", "fio 3.33", "published: …"


class Result(Record, frozen=True, kw_only=True):
    """One benchmark, whole: what `raidtui results` stores, shows and exports."""

    id: str
    label: str
    created: str  # ISO 8601, UTC
    version: str  # of raidtui
    profile: str
    context: Context
    cells: tuple[Cell, ...]

    def cell(self, name: str, direction: str) -> Cell | None:
        """The cell of that row and direction, if it was measured."""
        return next((c for c in self.cells if (c.name, c.direction) == (name, direction)), None)
