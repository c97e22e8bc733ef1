"""Virtual drives in the output of storcli and storcli2. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from raidtui.backends.cards.meanings import operation_called, switch
from raidtui.backends.cards.records import Operation, Policy, Volume, VolumeState
from raidtui.backends.megaraid.answer import (
    agreeing,
    is_running,
    part_of,
    seconds_left,
    size_of,
    text_of,
    whole_number,
)
from raidtui.backends.megaraid.drives import slot_of

_STATES: Final = {
    "optl": VolumeState.OPTIMAL,
    "optimal": VolumeState.OPTIMAL,
    "pdgd": VolumeState.PARTLY_DEGRADED,
    "partially degraded": VolumeState.PARTLY_DEGRADED,
    "dgrd": VolumeState.DEGRADED,
    "degraded": VolumeState.DEGRADED,
    "ofln": VolumeState.OFFLINE,
    "offln": VolumeState.OFFLINE,
    "offline": VolumeState.OFFLINE,
    "rec": VolumeState.RECOVERY,
    "recovery": VolumeState.RECOVERY,
}
_ACCESS: Final = {"rw": "", "ro": "read-only", "b": "blocked", "blocked": "blocked", "hd": "hidden"}
_POLICIES: Final = {
    "wb": Policy.WRITE_BACK,
    "awb": Policy.ALWAYS_WRITE_BACK,
    "wt": Policy.WRITE_THROUGH,
    "writeback": Policy.WRITE_BACK,
    "alwayswriteback": Policy.ALWAYS_WRITE_BACK,
    "writethrough": Policy.WRITE_THROUGH,
}
_CACHE: Final = re.compile(r"(NR|R),? ?(AWB|WB|WT)(?:,? ?[DC])?", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(-|\d{1,19})/(\d{1,19})", re.ASCII)
_KEY: Final = re.compile(r"/c\d{1,19}/v(\d{1,19})", re.ASCII)
_LEVEL: Final = re.compile(r"RAID(\d{1,3})", re.ASCII)
_ACTIVE: Final = re.compile(r"([A-Za-z][A-Za-z ]*?) ?\((\d{1,9}) ?%\)", re.ASCII)
_IDLE: Final = frozenset({"", "-", "none", "n/a", "na"})
OPERATIONS: Final = {
    "initialization": "init",
    "background initialization": "bgi",
    "consistency check": "cc",
    "migration": "migrate",
}
"""Operations of a virtual drive, with the word of ``show`` for their progress."""

_NAA: Final = re.compile(r"(?:[0-9a-f]{16}){1,2}")


def volumes_in(data: Mapping[str, Any], controller: int) -> Iterator[Volume]:
    """Every virtual drive in ``/cX/vall show all``, of either tool."""
    rows = data.get("Virtual Drives")
    if isinstance(rows, list):
        for one in rows:
            if isinstance(one, dict):
                yield from _volume(
                    part_of(one, "VD Info"), one.get("PDs"), part_of(one, "VD Properties"), controller
                )
        return
    for key, value in data.items():
        found = _KEY.fullmatch(key)
        if found and isinstance(value, list) and value and isinstance(value[0], dict):
            number = found[1]
            more = part_of(data, f"VD{number} Properties")
            yield from _volume(value[0], data.get(f"PDs for VD {number}"), more, controller)


def volumes_listed(data: Mapping[str, Any]) -> int:
    """How many virtual drives an answer of ``/cX/vall show all`` has, understood or not."""
    rows = data.get("Virtual Drives")
    return len(rows) if isinstance(rows, list) else sum(key.startswith("/c") for key in data)


def progress_in(data: Mapping[str, Any]) -> dict[str, Operation]:
    """The progress in ``/cX/vall show init`` and the like, by number of the virtual drive."""
    rows = data.get("VD Operation Status")
    found = {}
    for row in rows if isinstance(rows, list) else []:
        percent = whole_number(row.get("Progress%")) if isinstance(row, dict) else None
        if percent is not None and is_running(row):
            found[text_of(row, "VD")] = Operation(
                what=operation_called(text_of(row, "Operation")),
                fraction=min(100, percent) / 100,
                seconds_left=seconds_left(text_of(row, "Estimated Time Left")),
            )
    return found


def with_progress(volume: Volume, what: str, running: Mapping[str, Operation]) -> Volume:
    """Add the time left of operation ``what`` to ``volume``, if the card reports it."""
    exact = running.get(volume.number)
    if exact is None:
        return volume
    return replace(
        volume,
        operations=tuple(exact if one.what == what == exact.what else one for one in volume.operations),
    )


def _volume(
    row: Mapping[str, Any], drives: object, more: Mapping[str, Any], controller: int
) -> Iterator[Volume]:
    where = _NUMBER.fullmatch(text_of(row, "DG/VD"))
    if where is None:
        return
    state_word = text_of(row, "State")
    level = _LEVEL.match(text_of(row, "TYPE"))
    access = text_of(row, "Access")
    read_ahead, policy = _cache(text_of(row, "Cache", "CurrentCache"))
    ahead_set, default = _cache(text_of(row, "DefaultCache"))
    was_set = _POLICIES.get("".join(text_of(more, "Write Cache(initial setting)").lower().split()))
    naa = text_of(more, "SCSI NAA Id").lower()
    node = text_of(more, "OS Drive Name")
    depth = whole_number(more.get("Span Depth")) or 0
    span_drives = whole_number(more.get("Number of Drives Per Span")) or 0
    if not span_drives and depth:
        span_drives = (whole_number(more.get("Number of Drives")) or 0) // depth
    listed = drives if isinstance(drives, list) else []
    slots = (slot_of(one) for one in listed if isinstance(one, dict))
    yield Volume(
        number=where[2],
        place=f"/c{controller}/v{where[2]}",
        state=_STATES.get(state_word.lower(), VolumeState.UNKNOWN),
        state_word=state_word,
        name=text_of(row, "Name"),
        level=f"raid{level[1]}" if level else "",
        group="" if where[1] == "-" else where[1],
        size_bytes=_size(row, more),
        strip_bytes=size_of(text_of(more, "Strip Size")) or 0,
        policy=policy,
        policy_set=was_set or default,
        read_ahead=read_ahead,
        read_ahead_set=ahead_set,
        drive_cache=switch(text_of(more, "Disk Cache Policy", "Drive Write Cache Policy")),
        naa=naa if _NAA.fullmatch(naa) else "",
        node=node if node.startswith("/dev/") else "",
        consistent=switch(text_of(row, "Consist") or text_of(more, "Consistent")),
        access=_ACCESS.get(access.lower(), access),
        bad_blocks=switch(text_of(more, "Bad Block Exists", "Bad Blocks Exist")),
        operations=tuple(_active(text_of(more, "Active Operations"))),
        slots=tuple(filter(None, slots)),
        span_drives=span_drives,
        span_count=depth,
    )


def _size(row: Mapping[str, Any], more: Mapping[str, Any]) -> int:
    """Exact bytes if the number of blocks matches the rounded size; else zero, unknown."""
    blocks, rough = more.get("Number of Blocks"), size_of(text_of(row, "Size"))
    if not isinstance(blocks, int) or rough is None:
        return 0
    return agreeing(blocks, rough) or 0


def _cache(text: str) -> tuple[bool | None, Policy]:
    """Read-ahead and write policy in ``RWBD``, ``NRWTD``, ``RAWBC`` or ``NR,WB``."""
    found = _CACHE.fullmatch(text)
    return (found[1].upper() == "R", _POLICIES[found[2].lower()]) if found else (None, Policy.UNKNOWN)


def _active(text: str) -> Iterator[Operation]:
    running = _ACTIVE.findall(text)
    if not running and text.lower() not in _IDLE:
        yield Operation(what=operation_called(text), fraction=0)  # without a percentage, or in other words
    for name, percent in running:
        yield Operation(what=operation_called(name), fraction=min(100, int(percent)) / 100)
