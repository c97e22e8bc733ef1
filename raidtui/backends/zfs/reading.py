"""Read ZFS: in full for a reading of the computer, and briefly for polling."""

import os
import re
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from raidtui.backends.zfs.report import (
    DATA,
    NEEDED,
    PLAN,
    Dataset,
    Other,
    Pool,
    PoolReport,
    Status,
    with_guids,
)
from raidtui.backends.zfs.signs import MEMBER
from raidtui.backends.zfs.status_json import parse_json
from raidtui.backends.zfs.status_text import parse_status
from raidtui.machine import udev
from raidtui.machine.ask import Ask, ToolAnswer, ask_patiently
from raidtui.machine.tools import is_older, version_in
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Machine
from raidtui.model.text import as_number

SERVICES: Final = ("zfs-import-cache.service", "zfs-mount.service", "zfs-import.target", "zfs.target")
"""The systemd units that import pools and mount their datasets at boot."""
CACHE: Final = "/etc/zfs/zpool.cache"
KEPT: Final = ("recordsize", "compression", "compressratio", "atime", "primarycache", "sync")
"""Properties of a dataset to read."""
ASKED: Final = ("checkpoint", "readonly", "expandsize")
"""Properties of a pool to read when it may be changed."""
KEPT_SINCE: Final = ("2.3", ("direct",))
"""Properties that exist only since this version of ZFS; zfs(8) refuses unknown ones."""
_ENCRYPTS_SINCE: Final = "0.8"
_LOADED: Final = Path("/sys/module/zfs/version")
_POOLS: Final = Path("/proc/spl/kstat/zfs")
_UEVENTS: Final = Path("/sys/kernel/uevent_seqnum")
_HOSTID: Final = Path("/etc/hostid")
_SPEAKS_JSON: Final = "2.3"
_POOL_COLUMNS: Final = "name,guid,size,allocated,free,fragmentation,capacity,ashift,cachefile"
_FIRST_COLUMNS: Final = "name,type,used,available,referenced,mountpoint,mounted,canmount,zoned"
_ARC: Final = re.compile(r"^(size|c_max) +\d{1,19} +(\d{1,19})$", re.MULTILINE)
_HOST: Final = re.compile(r"^ *hostname: '(.*)'$", re.MULTILINE)
_LOGS: Final = "logs"
_USABLE: Final = frozenset({"ONLINE", "DEGRADED"})
_STATE: Final = re.compile(r"^ *state: (\d{1,19})$", re.MULTILINE)
_LABEL_NAME: Final = re.compile(r"^ *name: '(.*)'$", re.MULTILINE)
_NO_POOLS: Final = "no pools available"
_WELL: Final = frozenset({"ONLINE", "AVAIL", "INUSE"})
_EXPORTED, _DESTROYED = "1", "2"  # pool_state_t of sys/fs/zfs.h


def read(machine: Machine, ask: Ask) -> PoolReport | None:
    """Read ZFS in full; None if it is not installed and no disk is a member of a pool.

    Raises:
        StepFailed: the module is loaded, and zpool does not list its pools.
    """
    members = {
        s.device: (s.uuid, s.label)
        for disk in machine.disks
        for s in disk.every_signature
        if s.type == MEMBER and s.uuid
    }
    if "zpool" not in machine.tools and not members:
        return None
    version = _text(_LOADED)
    arc = read_arc(_contents(_POOLS / "arcstats"))
    pools = read_pools(ask, version, guids=True) if version else ()
    imported = {pool.guid for pool in pools}
    left = {device: found for device, found in members.items() if found[0] not in imported}
    return PoolReport(
        version=version,
        module=True if version else _has_module(ask),
        pools=pools,
        datasets=read_datasets(ask, version) if pools else (),
        snapshots=_snapshots(ask) if pools else {},
        others=tuple(_others(left, ask, listed=bool(version))) if left else (),
        services=_services(ask) if machine.system.systemd and "zpool" in machine.tools else {},
        hostid=_HOSTID.exists(),
        arc_bytes=arc.get("size", 0),
        arc_most_bytes=arc.get("c_max", 0),
    )


def now(ask: Ask) -> PoolReport | None:
    """Read the current state of pools; None without any, which starts no process.

    Pools that are not imported are read again only after a uevent.

    Raises:
        StepFailed: the kernel has pools, and zpool does not list them.
    """
    try:
        some = any(entry.is_dir() for entry in _POOLS.iterdir())
    except OSError:
        some = False
    version = _text(_LOADED)
    pools = read_pools(ask, version) if some else ()
    imported_ones = {pool.guid for pool in pools}
    left = tuple(one for one in _signed(_changes()) if one[1] not in imported_ones)
    if not pools and not left:
        return None
    return PoolReport(
        version=version,
        module=True if version else None,
        pools=pools,
        datasets=read_datasets(ask, version, depth=0) if pools else (),
        others=_others_now(left) if left else (),
    )


def _changes() -> str:
    try:
        return _UEVENTS.read_text()
    except OSError:
        return ""


@lru_cache(maxsize=4)
def _signed(changes: str) -> tuple[tuple[str, str, str], ...]:
    """Devices that udev knows as members of pools, with the pool's GUID and name."""
    found = udev.read_properties().values() if changes else ()
    return tuple(
        sorted(
            (one.get("DEVNAME", ""), one.get("ID_FS_UUID", ""), one.get("ID_FS_LABEL", ""))
            for one in found
            if one.get("ID_FS_TYPE") == MEMBER and one.get("ID_FS_UUID")
        )
    )


@lru_cache(maxsize=4)
def _others_now(left: tuple[tuple[str, str, str], ...]) -> tuple[Other, ...]:
    members = {device: (uuid, label) for device, uuid, label in left}
    return tuple(_others(members, ask_patiently, listed=bool(_text(_LOADED))))


def imported(ask: Ask) -> PoolReport | None:
    """Read imported pools with their datasets and snapshots; None if a list is missing or cannot be understood.

    A list that did not come is unknown: to take it for an empty one would let a pool with data be destroyed.
    """
    # With its heading, which zpool prints unless it is broken: a list without one is empty if there is no pool.
    listed = ask(["zpool", "list", "-o", "name"])
    heading, *names = (line.strip() for line in listed.stdout.strip().splitlines() or [""])
    if listed.returncode != 0 or heading not in {"NAME", "no pools available"}:
        return None
    strict = _Strict(ask)
    version = _text(_LOADED)
    try:
        pools = read_pools(strict, version)
    except StepFailed:
        return None
    if {pool.name for pool in pools} != {*names}:
        return None
    report = PoolReport(
        pools=pools,
        datasets=read_datasets(strict, version) if pools else (),
        snapshots=_snapshots(strict) if pools else {},
    )
    return None if strict.failed else report


class _Strict:
    """Asks, and notes whether a list failed or has lines of another shape."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.failed = False

    def __call__(self, argv: Sequence[str]) -> ToolAnswer:
        answer = self._ask(argv)
        if "list" in argv[:2]:
            columns = argv[argv.index("-o") + 1].count(",")
            odd = any(line.count("\t") != columns for line in answer.stdout.splitlines())
            self.failed |= answer.returncode != 0 or odd
        return answer


def listed_for_import(ask: Ask) -> tuple[Status, ...] | None:
    """The pools that zpool-import(8) finds; None if it does not answer, or not in a form that is understood."""
    answer = ask(["zpool", "import"])
    found = parse_status(answer.stdout)
    if answer.returncode is not None and not answer.stdout.strip() and _NO_POOLS in answer.stderr:
        return ()
    return found if answer.returncode == 0 and found else None


def read_pools(ask: Ask, version: str, *, guids: bool = False) -> tuple[Pool, ...]:
    """Read every imported pool with its status; the ``version`` of ZFS selects JSON or text.

    Args:
        guids: whether to read those of the devices of a healthy pool too, and what has to be known before it grows.

    Raises:
        StepFailed: zpool does not list them: a pool that is left out would be taken for one that is not imported.
    """
    listed = ask(["zpool", "list", "-Hp", "-o", _POOL_COLUMNS])
    rows = _rows(listed.stdout, len(_POOL_COLUMNS.split(",")))
    if listed.returncode != 0 or len(rows) != len(listed.stdout.splitlines()):
        raise StepFailed(
            f"zpool list {'did not answer' if listed.returncode is None else 'failed, or printed what raidtui cannot read'}, "
            "so it is unknown which pools are imported"
        )
    states = {one.name: one for one in _states(ask, version, guids=guids)} if rows else {}
    known = _properties(ask) if rows and guids else {}
    return tuple(_pool(row, states.get(row[0]), known.get(row[0], {})) for row in rows)


def _properties(ask: Ask) -> dict[str, dict[str, str]]:
    """The properties `ASKED` of each pool by name; none if zpool does not say."""
    answer = ask(["zpool", "get", "-Hp", "-o", "name,property,value", ",".join(ASKED)])
    found: dict[str, dict[str, str]] = {}
    for pool, name, value in _rows(answer.stdout, 3) if answer.returncode == 0 else ():
        if name in ASKED:
            found.setdefault(pool, {})[name] = value
    return found


def _states(ask: Ask, version: str, *, guids: bool) -> Sequence[Status]:
    command = ["zpool", "status", "-p", "-P"]
    if version and not is_older(version, _SPEAKS_JSON):
        # Without -L: with it, 2.3 leaves out the state of every device whose link it resolved.
        answer = ask([*command, "-j", "--json-int"])
        if answer.returncode == 0:
            found = parse_json(answer.stdout, now=time.time(), resolve=os.path.realpath)
            if found is not None:
                return found
    states = parse_status(ask([*command, "-L"]).stdout)
    if not guids and all(leaf.state in _WELL for one in states for leaf in one.leaves):
        return states
    named = parse_status(ask([*command, "-g"]).stdout)
    return [with_guids(one, named) for one in states]


def _pool(row: Sequence[str], status: Status | None, properties: dict[str, str]) -> Pool:
    name, guid, size, allocated, free, fragmentation, capacity, ashift, cachefile = row
    return Pool(
        name=name,
        guid=guid,
        size_bytes=_number(size),
        allocated_bytes=_number(allocated),
        free_bytes=_number(free),
        fragmentation=fragmentation.strip("-"),
        capacity=capacity.strip("-"),
        ashift=_number(ashift),
        cachefile=cachefile.strip("-"),
        properties=properties,
        status=status or Status(name=name, state="UNKNOWN"),
    )


def read_datasets(ask: Ask, version: str, *, depth: int | None = None) -> tuple[Dataset, ...]:
    """Read filesystems and volumes of imported pools; ``depth`` 0: only root datasets."""
    only = [] if depth is None else ["-d", str(depth)]
    since, more = KEPT_SINCE
    kept = (*KEPT, *(more if version and not is_older(version, since) else ()))
    key = "keystatus" if version and not is_older(version, _ENCRYPTS_SINCE) else "name"
    columns = ",".join((_FIRST_COLUMNS, key, *kept, PLAN))
    answer = ask(["zfs", "list", "-Hp", *only, "-t", "filesystem,volume", "-o", columns])
    return tuple(_dataset(row, kept) for row in _rows(answer.stdout, len(columns.split(","))))


def read_arc(text: str) -> dict[str, int]:
    """``size`` and ``c_max`` of the ARC in bytes, from the text of ``arcstats``."""
    return {key: int(value) for key, value in _ARC.findall(text)}


def _dataset(row: Sequence[str], kept: Sequence[str]) -> Dataset:
    name, kind, used, available, referenced, mountpoint, mounted, canmount, zoned, key, *rest = row
    *values, plan = rest
    return Dataset(
        name=name,
        type=kind,
        used_bytes=_number(used),
        available_bytes=_number(available),
        referenced_bytes=_number(referenced),
        mountpoint=mountpoint if mountpoint != "-" else "",
        mounted=mounted == "yes",
        mounts_itself=(canmount, zoned) == ("on", "off"),
        locked=key == "unavailable",
        properties={one: value for one, value in zip(kept, values, strict=True) if value != "-"},
        plan=plan if plan != "-" else "",
    )


def _snapshots(ask: Ask) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in ask(["zfs", "list", "-H", "-t", "snapshot", "-o", "name"]).stdout.splitlines():
        pool = re.split("[/@]", line, maxsplit=1)[0]
        found[pool] = found.get(pool, 0) + 1
    return found


def _others(left: dict[str, tuple[str, str]], ask: Ask, *, listed: bool) -> Iterable[Other]:
    """Pools that are not imported: from the label of one of their devices, and zpool-import(8) if ``listed``."""
    answer = ask(["zpool", "import"]).stdout if listed else ""
    states = {one.guid: one for one in parse_status(answer)}
    for guid in dict.fromkeys(guid for guid, _ in left.values()):
        devices = [device for device, found in left.items() if found[0] == guid]
        label = ask(["zdb", "-l", devices[0]]).stdout
        state, shown, searched = _first(_STATE, label), states.get(guid), False
        if listed and shown is None and state != _DESTROYED:
            # zpool-import(8) searches the paths that udev and its own cache know, and may not come to these.
            where = [word for device in devices for word in ("-d", device)]
            again = {one.guid: one for one in parse_status(ask(["zpool", "import", *where]).stdout)}
            shown = again.get(guid)
            searched = shown is not None
        yield Other(
            name=_first(_LABEL_NAME, label) or left[devices[0]][1],
            guid=guid,
            state=shown.state if shown else "",
            status=shown.status if shown else "",
            host=_first(_HOST, label),
            exported=state == _EXPORTED,
            destroyed=state == _DESTROYED,
            devices=tuple(devices),
            searched=searched,
            lacks_log=shown is not None and _lacks_log(shown),
        )


def _lacks_log(shown: Status) -> bool:
    tops = [one for one in shown.vdevs if one.depth == 0]
    usable = {one.section for one in tops if one.state in _USABLE}
    gone = {one.section for one in tops if one.state not in _USABLE}
    return DATA in usable and _LOGS in gone and not gone & NEEDED


def _has_module(ask: Ask) -> bool | None:
    answer = ask(["modinfo", "-F", "version", "zfs"])
    return None if answer.returncode is None else answer.returncode == 0


def _services(ask: Ask) -> dict[str, str]:
    states = ask(["systemctl", "is-enabled", *SERVICES]).stdout.split()
    return dict(zip(SERVICES, states, strict=False)) if len(states) == len(SERVICES) else {}


def _rows(text: str, columns: int) -> list[list[str]]:
    rows = (line.split("\t") for line in text.splitlines())
    return [row for row in rows if len(row) == columns]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _number(text: str) -> int:
    return as_number(text) or 0


def _text(path: Path) -> str:
    return version_in(_contents(path))


def _contents(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
