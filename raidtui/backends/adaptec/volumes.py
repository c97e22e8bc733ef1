"""Virtual drives in the output of ``GETCONFIG n LD``, and their tasks. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.adaptec.answer import Block, Line, blocks, level_of, number_of, size_of
from raidtui.backends.adaptec.drives import bay_of
from raidtui.backends.cards.meanings import drive_state, operation_called, switch
from raidtui.backends.cards.records import NO_SLOT, Drive, DriveState, Operation, Policy, Volume, VolumeState

_VOLUME: Final = re.compile(r"logical (?:device|drive) number (\d{1,9})", re.ASCII)
_END: Final = re.compile(r"(?:physical device|array) information")
_TASK: Final = re.compile(r"logical (?:device|drive) (task)")
_NO_TASK: Final = re.compile(r"\S.* task")
# The first words of a status. Anything else is unknown, never taken for optimal.
_STATES: Final = (
    ("optimal", VolumeState.OPTIMAL),
    ("okay", VolumeState.OPTIMAL),
    ("suboptimal", VolumeState.PARTLY_DEGRADED),
    ("impacted", VolumeState.BUILDING),
    ("degraded", VolumeState.DEGRADED),
    ("critical", VolumeState.DEGRADED),
    ("rebuilding", VolumeState.DEGRADED),
    ("interim recovery", VolumeState.DEGRADED),
    ("ready for rebuild", VolumeState.DEGRADED),
    ("recovering", VolumeState.DEGRADED),
    ("failed", VolumeState.OFFLINE),
    ("offline", VolumeState.OFFLINE),
    ("defunct", VolumeState.OFFLINE),
)
_STATUS: Final = re.compile(r"([a-z ]+?)\s*(?:,[^(]*)?(?:[(/].*)?", re.IGNORECASE)
_DOING: Final = re.compile(r"\(\s*([A-Za-z][A-Za-z/ ]*?)\s*:\s*(\d{1,19})\s*%\s*\)", re.ASCII)
_SEGMENT: Final = re.compile(r"(?:group (\d{1,9}), )?segment \d{1,19}|device \d{1,19}", re.ASCII)
_PRESENT: Final = re.compile(r"([A-Za-z ]+?)\s*(?:\(([^)]*)\)\s*(\S.*)?)?")
_PAIR: Final = re.compile(r"(\d{1,19}),\s*(\d{1,19})", re.ASCII)
_CHANNEL: Final = re.compile(r"Channel:(\d{1,19}),\s*Device:(\d{1,19})")
_BAY: Final = re.compile(r"(Enclosure|Backplane|Connector):(\d{1,19}),\s*(?:Slot|Device):(\d{1,19})")
_UUID: Final = re.compile(r"(?:[0-9a-f]{16}){1,2}")
_UID: Final = re.compile(r"[0-9A-F]{8}")


def operations_in(lines: Sequence[Line]) -> dict[str, tuple[Operation, ...]]:
    """The tasks in the output of ``GETSTATUS n``, by number of the virtual drive."""
    found: dict[str, tuple[Operation, ...]] = {}
    for block in blocks(lines, _TASK, _NO_TASK):
        which = block.text("logical device", "logical drive")
        percent = re.fullmatch(r"(\d{1,19})(?:\s*%)?", block.text("percentage complete"), re.ASCII)
        if which and percent and block.text("current operation").lower() != "none":
            one = Operation(
                what=operation_called(block.text("current operation")),
                fraction=min(100, int(percent[1])) / 100,
            )
            found[which] = (*found.get(which, ()), one)
    return found


def volumes_in(
    lines: Sequence[Line],
    drives: Sequence[Drive],
    running: Mapping[str, tuple[Operation, ...]],
    *,
    always: bool = False,
    down: bool = False,
) -> Iterator[tuple[Volume, list[Drive]]]:
    """Every virtual drive, with a record for each of its drives that is missing or lacks its part of it.

    Args:
        drives: those of the controller.
        running: the tasks, by number of the virtual drive.
        always: whether the controller caches writes even without a battery.
        down: whether its cache is disabled now.
    """
    for block in blocks(lines, _VOLUME, _END):
        yield _volume(block, drives, running.get(block.number, ()), always=always, down=down)


def _volume(
    block: Block, drives: Sequence[Drive], running: tuple[Operation, ...], *, always: bool, down: bool
) -> tuple[Volume, list[Drive]]:
    state_word = block.text("status of logical device", "status of logical drive")
    state = _state(state_word)
    slots, spans, gone = _members(block, drives)
    now, was_set = _policies(block, always=always, down=down)
    mine = [one for one in drives if one.slot in slots]
    naa = block.text("volume unique identifier").lower()
    serial = block.text("unique identifier").upper()
    node = block.text("disk name").partition(" ")[0]
    return (
        Volume(
            number=block.number,
            place=f"logical device {block.number}",
            state=state,
            state_word=state_word,
            name=block.text("logical device name", "logical drive name"),
            level=level_of(block.text("raid level")),
            group=block.text("array") or block.number,
            size_bytes=size_of(block.text("size")) or 0,
            strip_bytes=size_of(block.text("stripe-unit size")) or 0,
            policy=now,
            policy_set=was_set,
            read_ahead=switch(block.text("read-cache status", "read-cache setting", "read-cache mode")),
            read_ahead_set=switch(block.text("read-cache setting")),
            drive_cache=_drive_cache(mine),
            naa=naa if _UUID.fullmatch(naa) else "",
            serial=serial if _UID.fullmatch(serial) else "",
            node=node if node.startswith("/dev/") else "",
            bad_blocks=_some(block.text("failed stripes", "defunct stripes")),
            operations=running or tuple(_doing(state_word)),
            slots=tuple(slots),
            spans=spans,
            span_drives=len(slots) // len({*spans}) if spans else 0,
            span_count=len({*spans}),
        ),
        gone,
    )


def _some(text: str) -> bool | None:
    """Whether there are any, of a switch or a number."""
    count = number_of(text)
    return switch(text) if count is None else count > 0


def _state(state_word: str) -> VolumeState:
    found = _STATUS.fullmatch(state_word)
    first = found[1].lower() if found else ""
    return next(
        (state for word, state in _STATES if first == word or first.startswith(f"{word} ")),
        VolumeState.UNKNOWN,
    )


def _doing(state_word: str) -> Iterator[Operation]:
    for name, percent in _DOING.findall(state_word):
        yield Operation(what=operation_called(name), fraction=min(100, int(percent)) / 100)


def _members(block: Block, drives: Sequence[Drive]) -> tuple[list[str], tuple[int, ...], list[Drive]]:
    """The slots of its drives in order, the span of each (empty if not reported), and a record for each that lacks its part."""
    slots: list[str] = []
    spans: list[int] = []
    gone: list[Drive] = []
    for one in block.lines:
        if "(channel,device)" in one.name or (not one.name and _PAIR.match(one.value)):
            slots += [f"{channel}:{device}" for channel, device in _PAIR.findall(one.value)]
        elif segment := _SEGMENT.fullmatch(one.name):
            spans += [int(segment[1])] if segment[1] else []
            found = _PRESENT.fullmatch(one.value)
            where, serial = (found[2] or "", found[3] or "") if found else ("", "")
            slot = _slot(where, serial.strip(), drives)
            word = found[1].lower() if found else ""
            drive = next((one for one in drives if one.slot == slot), None)
            if slot is None or word == "missing":
                slot = f"{NO_SLOT}{block.number}-{len(slots)}"
                state = DriveState.MISSING if word == "missing" else DriveState.UNKNOWN
                state_word = found[1] if found else one.value
                gone.append(
                    Drive(slot=slot, place="", state=state, state_word=state_word, serial=serial.strip())
                )
            elif drive is not None and drive.state is DriveState.ONLINE and word != "present":
                gone.append(replace(drive, state=_of_segment(word), state_word=f"{drive.state_word}, {word}"))
            slots.append(slot)
    return slots, tuple(spans) if len(spans) == len(slots) else (), gone


def _of_segment(word: str) -> DriveState:
    """What a drive that is online means for a virtual drive whose part on it is not present, in the card's word."""
    return DriveState.OFFLINE if word == "inconsistent" else drive_state(word)


def _slot(where: str, serial: str, drives: Sequence[Drive]) -> str | None:
    """The slot of the drive of a segment: by serial number, else by its place."""
    for drive in drives:
        if serial and drive.serial == serial:
            return drive.slot
    place = _PAIR.fullmatch(where) or _CHANNEL.search(where)
    if place is not None:
        return f"{place[1]}:{place[2]}"
    bay = _BAY.search(where)
    called = bay_of(f"{bay[1]} {bay[2]}, Slot {bay[3]}") if bay else ""
    there = [drive for drive in drives if called and drive.bay == called and not (serial and drive.serial)]
    return there[0].slot if len(there) == 1 else None


def _policies(block: Block, *, always: bool, down: bool) -> tuple[Policy, Policy]:
    """The present write policy, and the one set."""
    setting = block.text("write-cache setting", "write-cache mode").lower()
    if setting == "not supported":
        return Policy.WRITE_THROUGH, Policy.WRITE_THROUGH
    set_on = switch(setting)
    if set_on is None:
        set_on = switch(block.text("caching"))
        always_on = always
    else:
        always_on = "when protected" not in setting
    if set_on is None:
        return Policy.UNKNOWN, Policy.UNKNOWN
    backs = Policy.ALWAYS_WRITE_BACK if always_on else Policy.WRITE_BACK
    was_set = backs if set_on else Policy.WRITE_THROUGH
    active = switch(block.text("write-cache status", "write-cache mode"))
    return (Policy.WRITE_THROUGH if active is False or down else was_set), was_set


def _drive_cache(drives: Sequence[Drive]) -> bool | None:
    """Whether the cache of any drive is on: one is enough to lose writes; None if unknown."""
    caches = [one.drive_cache for one in drives]
    if any(caches):
        return True
    return False if caches and None not in caches else None
