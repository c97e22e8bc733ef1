"""Drives in the output of ``GETCONFIG n PD``. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.adaptec.answer import Block, Line, blocks, celsius_of, number_of, sector_of, size_of
from raidtui.backends.cards.meanings import drive_state, switch
from raidtui.backends.cards.records import Drive, DriveState

_DEVICE: Final = re.compile(r"device #(\d{1,9})", re.ASCII)
_END: Final = re.compile(r"(?!.*)")  # drives are the last part
_PLACE: Final = re.compile(r"(\d{1,9}),(\d{1,9})(?:\(.*\))?", re.ASCII)
_BAY: Final = re.compile(
    r"(Enclosure|Backplane|Connector) (\d{1,19}), (?:Slot|Device) (\d{1,19}).*", re.IGNORECASE
)
_TRANSPORTS: Final = {"SATA": "sata", "SAS": "sas", "NVME": "nvme", "PCIE": "nvme"}
_SPARE_OF: Final = re.compile(r"logical (?:device|drive)\s*(?:number)?\s*(\d{1,19})", re.IGNORECASE)
_NAME: Final = re.compile(r"[0-9a-f]{16}")
_ALERTS: Final = ("s.m.a.r.t.", "pfa", "ssd smart trip wearout", "56 day warning present")
"""Lines by which a drive, or an SSD that is almost worn out, expects to fail."""


def drives_in(lines: Sequence[Line]) -> Iterator[Drive]:
    """Every drive, without enclosures, expanders and other devices."""
    for block in blocks(lines, _DEVICE, _END):
        yield from _drive(block)


def bay_of(text: str) -> str:
    """``enclosure 1, slot 0`` for ``Enclosure 1, Slot 0(Connector 0:CN0)``; empty for any other text."""
    found = _BAY.fullmatch(text.strip())
    return f"{found[1].lower()} {found[2]}, slot {found[3]}" if found else ""


def _drive(block: Block) -> Iterator[Drive]:
    state_word = block.text("state")
    place = _PLACE.fullmatch(block.text("reported channel,device(t:l)", "reported channel,device"))
    if not state_word or place is None:
        return
    unused = size_of(block.text("unused size")) or 0
    used = size_of(block.text("used size")) or 0
    spare = _SPARE_OF.search(block.text("dedicated spare for", "assigned to"))
    vendor = block.text("vendor")
    celsius = celsius_of(block.text("current temperature", "temperature"))
    yield Drive(
        slot=f"{place[1]}:{place[2]}",
        place=f"{place[1]} {place[2]}",
        bay=bay_of(block.text("reported location")) or _older_bay(block.text("reported enclosure,slot")),
        state=_state(state_word, block),
        state_word=state_word,
        device_id=int(place[2]),
        group=block.text("array") or (spare[1] if spare else ""),
        serial=block.text("serial number"),
        wwn=_wwn(block),
        model=block.text("model"),
        vendor="" if vendor == "ATA" else vendor,
        firmware=block.text("firmware"),
        size_bytes=used + unused or size_of(block.text("total size", "size")) or 0,
        logical_sector_bytes=sector_of(block.text("block size")),
        physical_sector_bytes=sector_of(block.text("physical block size", "block size")),
        rotational=switch(block.text("ssd")) is not True,
        transport=_TRANSPORTS.get(block.text("transfer speed").partition(" ")[0].upper(), ""),
        media_errors=number_of(block.text("media failures", "medium error count")),
        other_errors=number_of(block.text("hardware errors", "hardware error count")),
        predicted_failures=number_of(block.text("predictive failures", "smart warning count")),
        smart_alert=_alert(block),
        temperature_celsius=celsius,
        drive_cache=switch(block.text("write cache")),
    )


def _state(state_word: str, block: Block) -> DriveState:
    state = drive_state(state_word)
    if state is DriveState.ONLINE and switch(block.text("failed logical device segments")):
        return DriveState.OFFLINE  # it answers, and what a virtual drive has on it is out of date
    if state is not DriveState.FREE:
        return state
    if _maybe(block.text("drive has stale ris data")):
        return DriveState.FOREIGN
    passed_on = _maybe(block.text("drive exposed to os")) or block.text("disk name").startswith("/dev/")
    return DriveState.RAW if passed_on else DriveState.FREE


def _maybe(text: str) -> bool:
    """Whether a line says yes, or something that is not known."""
    return bool(text) and switch(text) is not False


def _alert(block: Block) -> bool | None:
    """Whether the drive itself expects to fail."""
    flags = [switch(block.text(name)) for name in _ALERTS]
    warnings = number_of(block.text("s.m.a.r.t. warnings"))
    if any(flags) or warnings:
        return True
    return False if False in flags else None


def _wwn(block: Block) -> str:
    """The WWN of the drive itself; for a dual-port drive the tool's world-wide name is that of a port."""
    unique = block.text("drive unique id").lower()[:16]
    name = block.text("world-wide name").lower()
    found = unique if _NAME.fullmatch(unique) and unique[0] == "5" else name
    return found if _NAME.fullmatch(found) and found.strip("0") else ""


def _older_bay(text: str) -> str:
    found = _PLACE.fullmatch(text)
    return f"enclosure {found[1]}, slot {found[2]}" if found else ""
