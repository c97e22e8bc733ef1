"""Parse the JSON of ``zpool status -j --json-int -p -P``, since OpenZFS 2.3."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from msgspec import DecodeError, field

from raidtui.backends.zfs.report import (
    DATA,
    REMOVAL,
    SPARES,
    Expansion,
    Scan,
    Status,
    Vdev,
    errors_of,
    leaves_marked,
)
from raidtui.model.struct import Record, decode_json
from raidtui.model.text import as_number

# The kernel's names of states for which the text has others, as zpool_state_to_name() of libzfs.
_STATES: Final = {"HEALTHY": "ONLINE", "CANT_OPEN": "UNAVAIL", "CLOSED": "OFFLINE"}
_GROUPS: Final = frozenset({"mirror", "raidz", "draid", "replacing", "spare"})
_EMPTY: Final = frozenset({"indirect", "hole"})
"""What a vdev that was removed leaves in its place."""
_RUNS: Final = "SCANNING"
_CLASSES = ("logs", "dedup", "special")


class _Rebuild(Record, frozen=True, kw_only=True):
    """The sequential resilver of one vdev: beside a scan, and not one of the pool."""

    state: str = ""
    start_time: int | str = 0
    scanned: int | str = 0
    to_scan: int | str = 0


class _Removal(Record, frozen=True, kw_only=True):
    state: str = ""
    start_time: int | str = 0
    to_copy: int | str = 0
    copied: int | str = 0


class _Scan(Record, frozen=True, kw_only=True):
    function: str = ""
    state: str = ""
    to_examine: int | str = 0
    skipped: int | str = 0
    issued: int | str = 0
    errors: int | str = 0
    pass_start: int | str = 0
    scrub_pause: int | str = 0
    scrub_spent_paused: int | str = 0
    issued_bytes_per_scan: int | str = 0
    rebuild_stats: dict[str, _Rebuild] = field(default_factory=dict)


class _Expansion(Record, frozen=True, kw_only=True):
    state: str = ""
    to_reflow: int | str = 0
    reflowed: int | str = 0
    start_time: int | str = 0
    waiting_for_resilver: int | str = 0


class _Vdev(Record, frozen=True, kw_only=True):
    name: str
    vdev_type: str = ""
    guid: int | str = ""
    state: str = ""
    path: str = ""
    was: str = ""
    read_errors: int | str = ""  # empty: not reported
    write_errors: int | str = ""
    checksum_errors: int | str = ""
    scan_processed: int | str = 0  # bytes that the scan has written to it
    resilver_deferred: int | str = 0
    vdevs: dict[str, "_Vdev"] = field(default_factory=dict)


class _Pool(Record, frozen=True, kw_only=True):
    name: str
    state: str
    pool_guid: int | str = ""
    status: str = ""
    error_count: int | str | None = None
    scan_stats: _Scan | None = None
    raidz_expand_stats: _Expansion | None = None
    removal_stats: _Removal | None = None
    vdevs: dict[str, _Vdev] = field(default_factory=dict)
    logs: dict[str, _Vdev] = field(default_factory=dict)
    special: dict[str, _Vdev] = field(default_factory=dict)
    dedup: dict[str, _Vdev] = field(default_factory=dict)
    l2cache: dict[str, _Vdev] = field(default_factory=dict)
    spares: dict[str, _Vdev] = field(default_factory=dict)


class _Document(Record, frozen=True, kw_only=True):
    pools: dict[str, _Pool] = field(default_factory=dict)


def parse_json(text: str, *, now: float, resolve: Callable[[str], str]) -> tuple[Status, ...] | None:
    """Every pool in the output; ``None`` if it is not valid.

    Args:
        now: seconds since 1970, for the rate of a scan.
        resolve: returns the device that a by-id link points to.
    """
    try:
        found = decode_json(text, _Document)
    except DecodeError:
        return None
    return tuple(_status(pool, now, resolve) for pool in found.pools.values())


def _status(pool: _Pool, now: float, resolve: Callable[[str], str]) -> Status:
    scan = _scan(pool.scan_stats, now)
    below = partial(
        _below, resolve=resolve, resilvers=scan is not None and scan.running and scan.what == "resilver"
    )
    vdevs = [vdev for root in pool.vdevs.values() for vdev in below(root.vdevs, 0, DATA)]
    for section in _CLASSES:
        tops: Mapping[str, _Vdev] = getattr(pool, section)
        # A class may repeat the pool's root above its own vdevs.
        inner = {name: one for top in tops.values() for name, one in (top.vdevs or {top.name: top}).items()}
        vdevs += below(inner if any(t.vdev_type == "root" for t in tops.values()) else tops, 0, section)
    vdevs += below(pool.l2cache, 0, "cache")
    vdevs += below(pool.spares, 0, SPARES)
    # A count that is none is shown as it is: it is not zero.
    count = pool.error_count
    errors = None if count is None else "" if str(count) == "0" else f"{count} data errors"
    return Status(
        name=pool.name,
        state=pool.state,
        guid=str(pool.pool_guid),
        status="" if pool.status == "OK" else pool.status,
        errors=errors_of(pool.state, errors, counted=all(map(_is_counted, pool.vdevs.values()))),
        scan=scan,
        expansion=_removal(pool.removal_stats, now) or _expansion(pool.raidz_expand_stats, now),
        vdevs=leaves_marked(vdevs),
    )


def _below(
    vdevs: Mapping[str, _Vdev], depth: int, section: str, resolve: Callable[[str], str], *, resilvers: bool
) -> Iterator[Vdev]:
    for one in vdevs.values():
        if one.vdev_type in _EMPTY:
            continue
        state = _STATES.get(one.state, one.state) if one.vdevs or one.vdev_type not in _GROUPS else ""
        here = one.path and state != "UNAVAIL"
        yield Vdev(
            name=resolve(one.path) if here else one.path or one.name,
            depth=depth,
            section=section,
            state=state,
            read_errors=_number(one.read_errors),
            write_errors=_number(one.write_errors),
            checksum_errors=_number(one.checksum_errors),
            note=_note(one, resilvers=resilvers),
            guid=str(one.guid),
        )
        yield from _below(one.vdevs, depth + 1, section, resolve, resilvers=resilvers)


def _note(one: _Vdev, *, resilvers: bool) -> str:
    """What the text has behind the counts of a device."""
    deferred = str(one.resilver_deferred) not in {"0", "", "false"}
    word = (
        "awaiting resilver"
        if deferred
        else "resilvering"
        if resilvers and _number(one.scan_processed)
        else ""
    )
    return " ".join(
        filter(None, (f"was {one.was}" if one.was else "", f"({word})" if word and not one.vdevs else ""))
    )


def _scan(scan: _Scan | None, now: float) -> Scan | None:
    if scan is not None and scan.state != _RUNS:
        active = next((one for one in scan.rebuild_stats.values() if one.state == "ACTIVE"), None)
        if active is not None:
            return _rebuild(active, now)
    if scan is None or (scan.function not in {"SCRUB", "RESILVER"} and scan.state != _RUNS):
        return None
    what = scan.function.lower() or "scan"
    if scan.state != _RUNS:
        return Scan(
            what=what,
            words=f"{what} {scan.state.lower() or 'of unknown state'} with {_number(scan.errors)} errors",
        )
    total = _number(scan.to_examine) - _number(scan.skipped)
    done = _number(scan.issued)
    paused = _number(scan.scrub_pause) > 0
    seconds = now - _number(scan.pass_start) - _number(scan.scrub_spent_paused)
    rate = 0 if paused or seconds < 1 else int(_number(scan.issued_bytes_per_scan) / seconds)
    return Scan(
        what=what,
        running=True,
        paused=paused,
        fraction=min(1.0, done / total) if total > 0 else 0.0,
        done_bytes=done,
        total_bytes=max(0, total),
        bytes_per_second=rate,
        seconds_left=(total - done) // rate if rate and total >= done else None,
    )


def _rebuild(one: _Rebuild, now: float) -> Scan:
    done, total = _number(one.scanned), _number(one.to_scan)
    seconds = now - _number(one.start_time)
    rate = int(done / seconds) if seconds >= 1 else 0
    return Scan(
        what="resilver",
        running=True,
        fraction=min(1.0, done / total) if total > 0 else 0.0,
        done_bytes=done,
        total_bytes=total,
        bytes_per_second=rate,
        seconds_left=(total - done) // rate if rate and total >= done else None,
    )


def _removal(found: _Removal | None, now: float) -> Expansion | None:
    if found is None or found.state != _RUNS:
        return None
    seconds = now - _number(found.start_time)
    return Expansion(
        what=REMOVAL,
        running=True,
        done_bytes=_number(found.copied),
        total_bytes=_number(found.to_copy),
        bytes_per_second=int(_number(found.copied) / seconds) if seconds >= 1 else 0,
    )


def _expansion(found: _Expansion | None, now: float) -> Expansion | None:
    if found is None or not found.state:
        return None
    done, total = _number(found.reflowed), _number(found.to_reflow)
    seconds = now - _number(found.start_time)
    return Expansion(
        running=found.state == _RUNS,
        waiting=_number(found.waiting_for_resilver) > 0,
        done_bytes=done,
        total_bytes=total,
        bytes_per_second=int(done / seconds) if seconds >= 1 else 0,
    )


def _is_counted(one: _Vdev) -> bool:
    """Whether the errors of a device, or of each below a vdev, are reported."""
    if one.vdevs or one.state != "ONLINE" or one.vdev_type == "root" or one.vdev_type in _EMPTY | _GROUPS:
        return all(map(_is_counted, one.vdevs.values()))
    counts = (one.read_errors, one.write_errors, one.checksum_errors)
    return all(count >= 0 if isinstance(count, int) else as_number(count) is not None for count in counts)


def _number(value: int | str) -> int:
    """A number, or a string of digits; zero for anything else."""
    if isinstance(value, int):
        return max(0, value)
    return as_number(value) or 0
