"""Virtual drives in the output of storcli and storcli2. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from raidtui.backends.cards.records import Operation, Policy, Volume, VolumeState
from raidtui.backends.megaraid.answer import whole_number
from raidtui.backends.megaraid.drives import slot_of
from raidtui.backends.megaraid.values import agreeing, seconds_left, size_of, text_of, yes

_STATES: Final = {
    "Optl": VolumeState.OPTIMAL,
    "Pdgd": VolumeState.PARTLY_DEGRADED,
    "Dgrd": VolumeState.DEGRADED,
    "OfLn": VolumeState.OFFLINE,
    "Rec": VolumeState.RECOVERY,
}
_POLICIES: Final = {
    "WB": Policy.WRITE_BACK,
    "AWB": Policy.ALWAYS_WRITE_BACK,
    "WT": Policy.WRITE_THROUGH,
    "WriteBack": Policy.WRITE_BACK,
    "AlwaysWriteBack": Policy.ALWAYS_WRITE_BACK,
    "Always WriteBack": Policy.ALWAYS_WRITE_BACK,
    "WriteThrough": Policy.WRITE_THROUGH,
}
_CACHE: Final = re.compile(r"(NR|R),?(AWB|WB|WT)(?:[DC])?")
_NUMBER: Final = re.compile(r"(-|\d+)/(\d+)", re.ASCII)
_KEY: Final = re.compile(r"/c\d+/v(\d+)")
_LEVEL: Final = re.compile(r"RAID(\d+)")
_ACTIVE: Final = re.compile(r"([A-Za-z][A-Za-z ]*?) ?\((\d+)%\)")
_NAMES: Final = {
    "Consistency Check": "consistency check",
    "BGI": "background initialization",
    "Background Initialization": "background initialization",
    "Initialization": "initialization",
    "INIT": "initialization",
    "CC": "consistency check",
    "Reconstruction": "migration",
    "MIGRATE": "migration",
    "Rebuild": "rebuild",
}
OPERATIONS: Final = {
    "initialization": "init",
    "background initialization": "bgi",
    "consistency check": "cc",
    "migration": "migrate",
}
"""Operations of a virtual drive, with the word of ``show`` for their progress."""

_RUNNING: Final = "In progress"
_NAA: Final = re.compile(r"(?:[0-9a-f]{16}){1,2}")


def volumes_in(data: Mapping[str, Any], controller: int) -> Iterator[Volume]:
    """Every virtual drive in ``/cX/vall show all``, of either tool."""
    rows = data.get("Virtual Drives")
    if isinstance(rows, list):
        for one in rows:
            if isinstance(one, dict):
                yield from _volume(
                    _part(one, "VD Info"), one.get("PDs"), _part(one, "VD Properties"), controller
                )
        return
    for key, value in data.items():
        found = _KEY.fullmatch(key)
        if found and isinstance(value, list) and value and isinstance(value[0], dict):
            number = found[1]
            more = _part(data, f"VD{number} Properties")
            yield from _volume(value[0], data.get(f"PDs for VD {number}"), more, controller)


def progress_in(data: Mapping[str, Any]) -> dict[str, Operation]:
    """The progress in ``/cX/vall show init`` and the like, by number of the virtual drive."""
    rows = data.get("VD Operation Status")
    found = {}
    for row in rows if isinstance(rows, list) else []:
        percent = whole_number(row.get("Progress%")) if isinstance(row, dict) else None
        if percent is not None and text_of(row, "Status") == _RUNNING:
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


def operation_called(name: str) -> str:
    """Our word for an operation of the card."""
    return _NAMES.get(name.strip(), name.strip().lower())


def _part(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = values.get(key)
    return value if isinstance(value, dict) else {}


def _volume(
    row: Mapping[str, Any], drives: object, more: Mapping[str, Any], controller: int
) -> Iterator[Volume]:
    where = _NUMBER.fullmatch(text_of(row, "DG/VD"))
    if where is None:
        return
    state_word = text_of(row, "State")
    level = _LEVEL.match(text_of(row, "TYPE"))
    read_ahead, policy = _cache(text_of(row, "Cache", "CurrentCache"))
    ahead_set, default = _cache(text_of(row, "DefaultCache"))
    was_set = _POLICIES.get(text_of(more, "Write Cache(initial setting)"))
    naa = text_of(more, "SCSI NAA Id").lower()
    node = text_of(more, "OS Drive Name")
    listed = drives if isinstance(drives, list) else []
    slots = (slot_of(one) for one in listed if isinstance(one, dict))
    yield Volume(
        number=where[2],
        place=f"/c{controller}/v{where[2]}",
        state=_STATES.get(state_word, VolumeState.UNKNOWN),
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
        drive_cache=yes(text_of(more, "Disk Cache Policy", "Drive Write Cache Policy")),
        naa=naa if _NAA.fullmatch(naa) else "",
        node=node if node.startswith("/dev/") else "",
        consistent=yes(text_of(row, "Consist") or text_of(more, "Consistent")),
        bad_blocks=yes(text_of(more, "Bad Block Exists", "Bad Blocks Exist")),
        operations=tuple(_active(text_of(more, "Active Operations"))),
        slots=tuple(filter(None, slots)),
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
    return (found[1] == "R", _POLICIES[found[2]]) if found else (None, Policy.UNKNOWN)


def _active(text: str) -> Iterator[Operation]:
    for name, percent in _ACTIVE.findall(text):
        yield Operation(what=operation_called(name), fraction=min(100, int(percent)) / 100)
