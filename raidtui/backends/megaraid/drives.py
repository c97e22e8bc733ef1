"""Drives in the output of storcli and storcli2. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from raidtui.backends.cards.meanings import drive_state, switch
from raidtui.backends.cards.records import Drive, DriveState, Operation
from raidtui.backends.megaraid.answer import (
    exact_size,
    is_paused,
    is_running,
    seconds_left,
    size_of,
    text_of,
    whole_number,
)

_TRANSPORTS: Final = {"SATA": "sata", "SAS": "sas", "NVMe": "nvme"}
_SLOT: Final = re.compile(r"(\d{0,9}) ?:(\d{1,9})", re.ASCII)
_PLACE: Final = re.compile(r"Drive (/c\d{1,19}(?:/e\d{1,19})?/s\d{1,19})")
_POSITION: Final = re.compile(r"(?:Span:(\d{1,9}), *)?Row:(\d{1,9})", re.ASCII)
_CELSIUS: Final = re.compile(r"\s*(-?\d{1,19}) ?C")
_FOREIGN: Final = "F"
_NO_COUNTS: Final = "the counts of its errors cannot be understood"


def drives_in(data: Mapping[str, Any], controller: int) -> Iterator[Drive]:
    """Every drive in ``/cX/eall/sall show all``, of either tool."""
    rows = data.get("Drives List")
    if isinstance(rows, list):
        for one in rows:
            if isinstance(one, dict) and isinstance(row := one.get("Drive Information"), dict):
                more = one.get("Drive Detailed Information")
                yield from _drive(row, more if isinstance(more, dict) else {}, controller)
        return
    for key, value in data.items():
        found = _PLACE.fullmatch(key)
        if found and isinstance(value, list) and value and isinstance(value[0], dict):
            more = data.get(f"{key} - Detailed Information")
            yield from _drive(value[0], _flat(more if isinstance(more, dict) else {}), controller)


def drives_listed(data: Mapping[str, Any], controller: int) -> Iterator[Drive]:
    """Every drive in the short list of ``/cX show all``: without serial numbers, but a bad drive does not break it."""
    rows = data.get("PD LIST")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict):
            yield from _drive(row, None, controller)


def progress_of_drives(data: Mapping[str, Any], what: str) -> dict[str, Operation]:
    """What runs or is paused in ``/cX/eall/sall show rebuild`` or ``copyback``, by place of the drive written to."""
    found = {}
    for rows in data.values():
        for row in rows if isinstance(rows, list) else []:
            percent = whole_number(row.get("Progress%")) if isinstance(row, dict) else None
            if percent is not None and (is_running(row) or is_paused(row)):
                found[text_of(row, "Drive-ID", "Drive ID")] = Operation(
                    what=what,
                    fraction=min(100, percent) / 100,
                    seconds_left=seconds_left(text_of(row, "Estimated Time Left")),
                    paused=is_paused(row),
                )
    return found


def slot_of(row: Mapping[str, Any]) -> str:
    """The enclosure and slot of a row: "252:3"; ":3" without an enclosure; empty if it has neither."""
    found = _SLOT.fullmatch(text_of(row, "EID:Slt", "EID:Slot"))
    return f"{found[1]}:{found[2]}" if found else ""


def place_of(slot: str, controller: int) -> str:
    """The tools' name for the drive in ``slot``: ``/c0/e252/s3``."""
    enclosure, _, number = slot.partition(":")
    return f"/c{controller}/e{enclosure}/s{number}" if enclosure else f"/c{controller}/s{number}"


def state_of(row: Mapping[str, Any]) -> tuple[DriveState, str]:
    """The state of a drive, and the card's words for it."""
    state_word = " ".join(filter(None, (text_of(row, "State"), text_of(row, "Status"))))
    if text_of(row, "DG") == _FOREIGN:
        return DriveState.FOREIGN, f"{state_word}, foreign"
    return drive_state(state_word), state_word


def _flat(more: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the sections into which storcli splits a drive."""
    found: dict[str, Any] = {}
    for value in more.values():
        if isinstance(value, dict):
            found |= value
    return found


def _drive(row: Mapping[str, Any], about: Mapping[str, Any] | None, controller: int) -> Iterator[Drive]:
    """A drive in a row; ``about``: what the answer describes it with, None for a list of rows alone."""
    slot = slot_of(row)
    if not slot:
        return
    state, state_word = state_of(row)
    more = about or {}
    inner = more.get("LU/NS Properties")
    detail = {**more, **(inner if isinstance(inner, dict) else {})}
    group = text_of(row, "DG")
    position = _POSITION.search(text_of(detail, "Drive position"))
    celsius = _CELSIUS.match(text_of(detail, "Drive Temperature"))
    vendor = text_of(detail, "Manufacturer Id", "Vendor")
    media = whole_number(detail.get("Media Error Count"))
    predicted = whole_number(detail.get("Predictive Failure Count"))
    yield Drive(
        slot=slot,
        place=place_of(slot, controller),
        state=state,
        state_word=state_word,
        device_id=whole_number(row.get("DID", row.get("PID"))),
        group="" if group in {"-", _FOREIGN} or state is DriveState.FREE else group,
        row=int(position[2]) if position else None,
        span=int(position[1]) if position and position[1] else None,
        serial=text_of(detail, "SN", "Serial Number"),
        wwn=text_of(detail, "WWN").lower(),
        model=text_of(detail, "Model Number", "Model") or text_of(row, "Model"),
        vendor="" if vendor == "ATA" else vendor,
        firmware=text_of(detail, "Firmware Revision", "Firmware Revision Level"),
        size_bytes=exact_size(text_of(detail, "Coerced size")) or 0,
        logical_sector_bytes=size_of(text_of(detail, "Logical Sector Size") or text_of(row, "SeSz")) or 512,
        physical_sector_bytes=size_of(text_of(detail, "Physical Sector Size")) or 512,
        rotational=text_of(row, "Med") != "SSD",
        transport=_TRANSPORTS.get(text_of(row, "Intf"), ""),
        media_errors=media,
        other_errors=whole_number(detail.get("Other Error Count")),
        predicted_failures=predicted,
        smart_alert=switch(text_of(detail, "S.M.A.R.T alert flagged by drive")),
        temperature_celsius=int(celsius[1]) if celsius else whole_number(detail.get("Temperature(C)")),
        problem=_NO_COUNTS if about is not None and None in (media, predicted) else "",
    )
