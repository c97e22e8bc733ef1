"""ZFS as records: imported pools, their datasets, and pools that could be imported.

All output but the status of a pool is in columns for scripts. The status is JSON since OpenZFS 2.3
(`raidtui.backends.zfs.status_json`) and text before that (`raidtui.backends.zfs.status_text`).
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from msgspec import field
from msgspec.structs import replace

from raidtui.backends.kept import kept_in
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Bytes, Record, Whole

PLAN: Final = "org.raidtui:plan"
"""The property of a pool's root dataset with the mark of the plan that built it."""
CANNOT_START: Final = frozenset({"masked", "masked-runtime", "not-found"})
"""States of a service that systemd will not start (systemctl is-enabled)."""

REMOVAL: Final = "removal of a vdev"
ERRORS_UNKNOWN: Final = "its data errors are not listed"
NOT_COUNTED: Final = "the errors of its disks are not counted"
_TOLD: Final = frozenset({"ONLINE", "DEGRADED"})
"""States of a pool whose data errors zpool always counts."""

DATA: Final = ""
SPARES: Final = "spares"
NEEDED: Final = frozenset({DATA, "special", "dedup"})
"""The sections with data: a pool that loses a top-level vdev of one of these is lost."""
_USED_ABOVE: Final = "INUSE"  # a spare in use: it is also listed among the devices of its vdev
_NOT_HERE: Final = frozenset({"REMOVED", "UNAVAIL"})  # still listed by their former link
INNER: Final = ("replacing-", "spare-")
"""How groups of a device and what takes its place are named."""


class Vdev(Record, frozen=True, kw_only=True):
    """One line of a pool's configuration. ``depth`` is 0 for top-level vdevs."""

    name: str  # raidz1-0, or the path of a device; the GUID of a missing one
    depth: Whole
    section: str = DATA  # logs, cache, spares, special, dedup; empty for the pool's data
    state: str = ""  # ONLINE, DEGRADED, FAULTED, OFFLINE, REMOVED, UNAVAIL; for a spare AVAIL, INUSE
    read_errors: Whole = 0
    write_errors: Whole = 0
    checksum_errors: Whole = 0
    note: str = ""  # resilvering, was /dev/sdb1, too many errors …
    leaf: bool = True
    guid: str = ""  # by which zpool finds it whatever its path is; empty: not read

    @property
    def path(self) -> str:
        """The path of a device; empty if it is missing, and for a group."""
        here = self.leaf and self.name.startswith("/") and self.state not in _NOT_HERE
        return self.name if here else ""

    @property
    def errors(self) -> int:
        """Read, write and checksum errors together."""
        return self.read_errors + self.write_errors + self.checksum_errors


class Scan(Record, frozen=True, kw_only=True):
    """The running scrub or resilver, or the last one."""

    what: str  # scrub or resilver
    running: bool = False
    paused: bool = False
    fraction: float = 0.0
    done_bytes: Bytes = 0
    total_bytes: Bytes = 0
    bytes_per_second: Whole = 0
    seconds_left: Whole | None = None
    words: str = ""  # ZFS' summary of a finished one


class Expansion(Record, frozen=True, kw_only=True):
    """A raidz that is being spread over one more disk or a vdev whose data goes to the others, or the last one."""

    what: str = "raidz expansion"
    running: bool = False
    waiting: bool = False  # for a resilver
    done_bytes: Bytes = 0
    total_bytes: Bytes = 0
    bytes_per_second: Whole = 0


class Status(Record, frozen=True, kw_only=True):
    """The state of one pool."""

    name: str
    state: str  # ONLINE, DEGRADED, FAULTED, SUSPENDED, UNAVAIL
    guid: str = ""  # the text form has it only for pools that are not imported
    status: str = ""  # what is wrong, in ZFS' words
    errors: str = ""  # data errors, in ZFS' words; empty for none
    scan: Scan | None = None
    expansion: Expansion | None = None  # of a raidz, or the removal of a vdev
    vdevs: tuple[Vdev, ...] = ()

    @property
    def leaves(self) -> tuple[Vdev, ...]:
        """Every device once, including spares, logs and caches; a spare in use is listed where it is used."""
        return tuple(one for one in self.vdevs if one.leaf and one.state != _USED_ABOVE)

    @property
    def level(self) -> str:
        """The type of its top-level vdevs: ``raidz1``, ``mirror``, ``stripe``; ``mirror+stripe`` if they differ."""
        tops = (one for one in self.vdevs if one.depth == 0 and one.section == DATA)
        return "+".join(dict.fromkeys(_kind(one) for one in tops))

    @property
    def alone(self) -> tuple[Vdev, ...]:
        """The disks that are a vdev by themselves beside others with redundancy: the failure of one loses the pool."""
        tops = [one for one in self.vdevs if one.depth == 0 and one.section in NEEDED]
        redundant = any(not one.leaf and not one.name.startswith(INNER) for one in tops)
        return tuple(one for one in tops if redundant and one.leaf)

    @property
    def newcomers(self) -> tuple[tuple[Vdev, Vdev], ...]:
        """Each group of a replacement or a hot spare, and its last device, which takes the place of another."""
        found: list[tuple[Vdev, Vdev]] = []
        inside = -1  # the depth of the group
        for vdev in self.vdevs:
            if vdev.depth <= inside:
                inside = -1
            if inside >= 0:
                found[-1] = (found[-1][0], vdev)
            elif not vdev.leaf and vdev.name.startswith(INNER):
                inside = vdev.depth
                found.append((vdev, vdev))
        return tuple(found)

    def slots(self) -> Iterator[tuple[Vdev, int | None]]:
        """Every device with its slot; a device and its replacement share one."""
        place, shared = -1, -1
        for vdev in self.vdevs:
            if vdev.leaf and vdev.state == _USED_ABOVE:
                continue
            if not vdev.leaf:
                if vdev.section == DATA and vdev.name.startswith(INNER):
                    place, shared = place + 1, vdev.depth
                continue
            if vdev.section != DATA:
                yield vdev, None
                continue
            if not 0 <= shared < vdev.depth:
                place, shared = place + 1, -1
            yield vdev, place


class Pool(Record, frozen=True, kw_only=True):
    """An imported pool. Sizes in bytes, including parity."""

    name: str
    guid: str
    size_bytes: Bytes = 0
    allocated_bytes: Bytes = 0
    free_bytes: Bytes = 0
    fragmentation: str = ""
    capacity: str = ""  # percent
    ashift: Whole = 0  # 0: chosen by ZFS for each vdev
    cachefile: str = ""  # empty: the default one, from which it is imported at boot
    properties: dict[str, str] = field(
        default_factory=dict
    )  # of `raidtui.backends.zfs.reading.ASKED`; empty: not read
    status: Status


class Dataset(Record, frozen=True, kw_only=True):
    """A filesystem or volume of an imported pool."""

    name: str
    type: str = "filesystem"
    used_bytes: Bytes = 0
    available_bytes: Bytes = 0
    referenced_bytes: Bytes = 0
    mountpoint: str = ""  # may be none or legacy
    mounted: bool = False
    mounts_itself: bool = (
        False  # zfs mounts it at boot: canmount is on, and it is not left to a container (zoned)
    )
    locked: bool = False  # it is encrypted, and its key is not loaded
    properties: dict[str, str] = field(default_factory=dict)
    plan: str = ""  # the value of `PLAN`

    @property
    def pool(self) -> str:
        return self.name.partition("/")[0]


class Other(Record, frozen=True, kw_only=True):
    """A pool on disks of this computer that is not imported."""

    name: str
    guid: str
    state: str = ""  # as listed by zpool-import(8); empty if it is not listed
    status: str = ""
    host: str = ""  # the last host to import it, from its label
    exported: bool = False
    destroyed: bool = False
    devices: tuple[str, ...] = ()  # those present
    searched: bool = False  # zpool-import(8) finds it only where it is told these devices
    lacks_log: bool = False  # its data is here, and a log is not: zpool-import(8) takes it only with -m


class PoolReport(Record, frozen=True, kw_only=True):
    """Everything about ZFS at one moment."""

    version: str = ""  # of the loaded module
    module: bool | None = None  # whether the running kernel has the module, loaded or not; None: unknown
    pools: tuple[Pool, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    snapshots: dict[str, int] = field(default_factory=dict)  # by pool
    others: tuple[Other, ...] = ()
    services: dict[str, str] = field(default_factory=dict)  # state by name, from systemctl is-enabled
    hostid: bool = True  # whether /etc/hostid exists
    arc_bytes: Bytes = 0  # present size of the ARC, the cache in memory …
    arc_most_bytes: Bytes = 0  # … and its limit: c_max

    def with_guid(self, guid: str) -> Pool | None:
        return next((pool for pool in self.pools if pool.guid == guid), None)

    def root(self, pool: Pool) -> Dataset | None:
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
    return "stripe" if f"{word}-" in INNER else word


def errors_of(state: str, words: str | None, *, counted: bool) -> str:
    """What to say of the errors of a pool.

    Args:
        words: its data errors, empty for none; None if they are not reported.
        counted: whether those of each of its disks are reported.
    """
    if state not in _TOLD:
        return words or ""
    return ERRORS_UNKNOWN if words is None else words or ("" if counted else NOT_COUNTED)


def leaves_marked(vdevs: Sequence[Vdev]) -> tuple[Vdev, ...]:
    """Mark each of ``vdevs`` as a leaf unless the next one is below it."""
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
            guid=one.guid,
        )
        for one, following in zip_longest(vdevs, vdevs[1:])
    )


def with_guids(status: Status, named: Sequence[Status]) -> Status:
    """Add the GUIDs of the devices from the same status with these as names; return it as it is if they differ."""
    same = next((one.vdevs for one in named if one.name == status.name), ())
    if [(one.depth, one.section) for one in same] != [(one.depth, one.section) for one in status.vdevs]:
        return status
    return replace(
        status,
        vdevs=tuple(
            replace(one, guid=other.name if other.name.isdecimal() else "")
            for one, other in zip(status.vdevs, same, strict=True)
        ),
    )


def reading_in(machine: Machine) -> PoolReport | None:
    """ZFS' part of a reading, recorded or not; None without one.

    Raises:
        BadInput: the recorded file is damaged.
    """
    return kept_in(machine, Backend.ZFS, PoolReport, of="ZFS")
