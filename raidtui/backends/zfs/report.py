"""What ZFS says of its pools as records: imported ones, others that could be imported, and their datasets.

Every answer but that of a pool's state is in columns for scripts. The state is JSON since OpenZFS 2.3
(`raidtui.backends.zfs.status_json`) and text before (`raidtui.backends.zfs.status_text`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import field

from raidtui.backends.kept import kept_in
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Record

PLAN: Final = "org.raidtui:plan"
"""The property of a pool's root dataset that says which plan built it."""
CANNOT_START: Final = frozenset({"masked", "masked-runtime", "not-found"})
"""What systemd says of a service that it will not start."""

DATA: Final = ""
SPARES: Final = "spares"
_USED_ABOVE: Final = "INUSE"  # of a spare: it is listed among the devices of its vdev too
_NOT_HERE: Final = frozenset({"REMOVED", "UNAVAIL"})  # named all the same, by the link that it had
_INNER: Final = ("replacing-", "spare-")


class Vdev(Record, frozen=True, kw_only=True):
    """One line of a pool's configuration. ``depth`` counts from its top-level vdevs, which have 0."""

    name: str  # raidz1-0, or the path of a device; of a missing one its GUID
    depth: int
    section: str = DATA  # logs, cache, spares, special, dedup; empty for what holds the pool's data
    state: str = ""  # ONLINE, DEGRADED, FAULTED, OFFLINE, REMOVED, UNAVAIL; of a spare AVAIL, INUSE
    read_errors: int = 0
    write_errors: int = 0
    checksum_errors: int = 0
    note: str = ""  # resilvering, was /dev/sdb1, too many errors …
    leaf: bool = True

    @property
    def path(self) -> str:
        """Of a device that is here; empty for what is missing, and for a group."""
        here = self.leaf and self.name.startswith("/") and self.state not in _NOT_HERE
        return self.name if here else ""

    @property
    def errors(self) -> int:
        """Of all three kinds."""
        return self.read_errors + self.write_errors + self.checksum_errors


class Scan(Record, frozen=True, kw_only=True):
    """The scrub or resilver that runs, or the last one."""

    what: str  # scrub or resilver
    running: bool = False
    paused: bool = False
    fraction: float = 0.0
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: int = 0
    seconds_left: int | None = None
    words: str = ""  # of one that is over: as ZFS says it


class Status(Record, frozen=True, kw_only=True):
    """The state of one pool."""

    name: str
    state: str  # ONLINE, DEGRADED, FAULTED, SUSPENDED, UNAVAIL
    guid: str = ""  # of one that is not imported; text of an imported one does not say it
    status: str = ""  # what is wrong, in ZFS' words
    errors: str = ""  # of data, in ZFS' words; empty for none
    scan: Scan | None = None
    vdevs: tuple[Vdev, ...] = ()

    @property
    def leaves(self) -> tuple[Vdev, ...]:
        """Every device once, spares, logs and caches too; a spare in use is where it is used."""
        return tuple(one for one in self.vdevs if one.leaf and one.state != _USED_ABOVE)

    @property
    def level(self) -> str:
        """What its top-level vdevs are: ``raidz1``, ``mirror``, ``stripe``; ``mirror+stripe`` where they differ."""
        tops = (one for one in self.vdevs if one.depth == 0 and one.section == DATA)
        return "+".join(dict.fromkeys(_kind(one) for one in tops))

    def slots(self) -> Iterator[tuple[Vdev, int | None]]:
        """Every device with its place; those that stand in for one another have the same place."""
        place, shared = -1, -1
        for vdev in self.vdevs:
            if vdev.leaf and vdev.state == _USED_ABOVE:
                continue
            if not vdev.leaf:
                if vdev.section == DATA and vdev.name.startswith(_INNER):
                    place, shared = place + 1, vdev.depth
                continue
            if vdev.section != DATA:
                yield vdev, None
                continue
            if not 0 <= shared < vdev.depth:
                place, shared = place + 1, -1
            yield vdev, place


class Pool(Record, frozen=True, kw_only=True):
    """An imported pool. Sizes in bytes, parity included."""

    name: str
    guid: str
    size_bytes: int = 0
    allocated_bytes: int = 0
    free_bytes: int = 0
    fragmentation: str = ""
    capacity: str = ""  # percent
    ashift: int = 0  # 0: ZFS chose one for each vdev
    cachefile: str = ""  # empty: the default one, by which a boot imports it
    status: Status


class Dataset(Record, frozen=True, kw_only=True):
    """A filesystem or volume of an imported pool."""

    name: str
    type: str = "filesystem"
    used_bytes: int = 0
    available_bytes: int = 0
    referenced_bytes: int = 0
    mountpoint: str = ""  # none and legacy too
    mounted: bool = False
    properties: dict[str, str] = field(default_factory=dict)
    plan: str = ""  # which built it: the value of `PLAN`

    @property
    def pool(self) -> str:
        """The name of its pool."""
        return self.name.partition("/")[0]


class Other(Record, frozen=True, kw_only=True):
    """A pool that is on disks here and not imported."""

    name: str
    guid: str
    state: str = ""  # as zpool-import(8) lists it; empty where it does not
    status: str = ""
    host: str = ""  # that imported it last, by its label
    exported: bool = False
    destroyed: bool = False
    devices: tuple[str, ...] = ()  # that are here


class Report(Record, frozen=True, kw_only=True):
    """Everything that ZFS knows at one moment."""

    version: str = ""  # of the module that is loaded
    module: bool | None = None  # whether the running kernel has one, loaded or not; None: nobody knows
    pools: tuple[Pool, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    snapshots: dict[str, int] = field(default_factory=dict)  # by pool
    others: tuple[Other, ...] = ()
    services: dict[str, str] = field(default_factory=dict)  # what systemctl is-enabled says of each
    hostid: bool = True  # whether /etc/hostid is there
    arc_bytes: int = 0  # what the cache in memory has now …
    arc_most_bytes: int = 0  # … and may have: c_max

    def root(self, pool: Pool) -> Dataset | None:
        """The dataset of the pool's own name."""
        return next((one for one in self.datasets if one.name == pool.name), None)

    def of(self, pool: Pool) -> tuple[Dataset, ...]:
        """Every dataset of a pool."""
        return tuple(one for one in self.datasets if one.pool == pool.name)

    def marked(self, mark: str) -> Pool | None:
        """The pool that the plan with ``mark`` built."""
        names = {one.name for one in self.datasets if mark and one.plan == mark}
        return next((pool for pool in self.pools if pool.name in names), None)


def _kind(vdev: Vdev) -> str:
    if vdev.leaf:
        return "stripe"
    word = vdev.name.rpartition("-")[0] or vdev.name
    return "stripe" if f"{word}-" in _INNER else word


def leaves_marked(vdevs: Sequence[Vdev]) -> tuple[Vdev, ...]:
    """``vdevs``, each marked as a leaf unless the one after it is below it."""
    return tuple(
        Vdev(
            name=one.name,
            depth=one.depth,
            section=one.section,
            state=one.state,
            read_errors=one.read_errors,
            write_errors=one.write_errors,
            checksum_errors=one.checksum_errors,
            note=one.note,
            leaf=following is None or following.depth <= one.depth or following.section != one.section,
        )
        for one, following in zip(vdevs, (*vdevs[1:], None), strict=True)
    )


def reading_in(machine: Machine) -> Report | None:
    """What a reading of the computer, recorded or not, has of ZFS.

    Raises:
        BadInput: it is of a file that was damaged.
    """
    return kept_in(machine, Backend.ZFS, Report, of="ZFS")
