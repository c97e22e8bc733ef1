"""Parse the output of storcli and its relatives: JSON with noise around it, or plain text for a syntax error.

The exit status means nothing: it is 0 for failures, and nonzero with valid documents. Only the ``Command Status`` of
each controller counts (scality/raidmgmt and libstoragemgmt found the same). A value that cannot be parsed is None, never
a guess.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from raidtui.backends.cards.asking import AGAIN, not_an_answer, quoted, says_busy
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, TIB

_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PLAIN: Final = re.compile(r"^(CLI Version|Status|Description)\s*=\s*(.*?)\s*$", re.MULTILINE)
_VERSION: Final = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,5}", re.ASCII)
_WELL: Final = "Success"
# StorCLI error codes (Broadcom, 12Gb/s MegaRAID Tri-Mode Software User Guide): in use by another application, a flash
# download in progress, no scratch memory now, a firmware update of the peer in progress.
_BUSY: Final = frozenset({7, 15, 32, 119})
_MOST_FAULTS: Final = 3  # quoted in a sentence; a command for all drives has one for each
_LONGEST_NUMBER: Final = 18  # digits


class Fault(Record, frozen=True, kw_only=True):
    """One failure in ``Detailed Status``."""

    code: int | None
    text: str


class Reply(Record, frozen=True, kw_only=True):
    """The answer of one controller."""

    controller: int | None  # its number; None for an answer of the tool itself
    ok: bool
    description: str = ""
    faults: tuple[Fault, ...] = ()
    version: str = ""  # of the tool: 007.3703.0000.0000
    data: dict[str, Any]

    @property
    def why(self) -> str:
        """Why it failed, in the tool's words."""
        faults = [f"{one.text} (error {one.code})" if one.code else one.text for one in self.faults]
        own = "" if self.description in {"", "None"} else self.description
        why = "; ".join(filter(None, [own, *faults[:_MOST_FAULTS]])) or "it reports a failure and no reason"
        busy = says_busy(why) or any(one.code in _BUSY for one in self.faults)
        return f"{why}; {AGAIN}" if busy else why


def parse_answer(text: str) -> tuple[Reply, ...]:
    """Parse the replies of all controllers.

    Raises:
        StepFailed: the output is neither a storcli document nor one of its errors.
    """
    clean = _UNPRINTABLE.sub("", text)
    document = _document(clean)
    if document is None:
        plain = dict(_PLAIN.findall(clean))
        if "Status" in plain:
            return (
                Reply(
                    controller=None,
                    ok=plain["Status"] == _WELL,
                    description=quoted(plain.get("Description", "")),
                    version=_version(plain.get("CLI Version", "")),
                    data={},
                ),
            )
        raise not_an_answer(clean, "storcli")
    controllers = document.get("Controllers")
    if not isinstance(controllers, list) or not controllers:
        raise StepFailed("an answer that names no controller")
    return tuple(_reply(one) for one in controllers)


def _document(text: str) -> Mapping[str, Any] | None:
    """The first JSON object with controllers: warnings of the tool and of libraries may precede it."""
    decoder = json.JSONDecoder()
    for found in re.finditer(r"\{", text):
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "Controllers" in value:
            return value
    return None


def _reply(value: object) -> Reply:
    if not isinstance(value, dict) or not isinstance(value.get("Command Status"), dict):
        raise StepFailed("an answer that has no command status")
    status = value["Command Status"]
    data = value.get("Response Data")
    if isinstance(data, dict) and set(data) == {"Response Data"}:
        data = data["Response Data"]
    rows: object = status.get("Detailed Status")
    return Reply(
        controller=whole_number(status.get("Controller")),
        ok=status.get("Status") == _WELL,
        description=quoted(str(status.get("Description", "")).strip()),
        faults=tuple(_faults(rows if isinstance(rows, list) else [])),
        version=_version(str(status.get("CLI Version", ""))),
        data=data if isinstance(data, dict) else {"": data} if isinstance(data, list) else {},
    )


def _version(text: str) -> str:
    """The version of the tool; empty if the text is none: a wrong one would be taken for an old tool."""
    found = _VERSION.match(text.strip())
    return found[0] if found else ""


def _faults(rows: list[object]) -> Iterator[Fault]:
    for row in rows:
        if not isinstance(row, dict) or row.get("Status") == _WELL:
            continue
        text = quoted(str(row.get("ErrMsg", "")).strip(" -"))
        code = whole_number(row.get("ErrCd"))
        if text or code:
            yield Fault(code=code or None, text=text or "no reason")


def whole_number(value: object) -> int | None:
    """A number, or a string of digits; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**_LONGEST_NUMBER else None
    if (
        isinstance(value, str)
        and len(value) <= _LONGEST_NUMBER
        and re.fullmatch(r"\s*\d{1,19}\s*", value, re.ASCII)
    ):
        return int(value)
    return None


def why_not(text: str) -> str:
    """Why a command was not done, from its output; empty if it was, or if it printed nothing."""
    try:
        replies = parse_answer(text)
    except StepFailed as error:
        return str(error) if text.strip() else ""
    return next((one.why for one in replies if not one.ok), "")


# storcli writes TB and means 1024^4; storcli2 writes TiB.
_UNITS: Final = {
    "B": 1,
    "KB": KIB,
    "KiB": KIB,
    "MB": MIB,
    "MiB": MIB,
    "GB": GIB,
    "GiB": GIB,
    "TB": TIB,
    "TiB": TIB,
    "PB": 1024 * TIB,
    "PiB": 1024 * TIB,
}
_SIZE: Final = re.compile(r"\s*(\d{1,19}(?:\.\d{1,19})?)\s*([KMGTP]?i?B)\s*", re.ASCII)
_SECTORS: Final = re.compile(
    r"\s*(\d{1,19}(?:\.\d{1,19})?\s*[KMGTP]?i?B)\s*\[0x([0-9a-f]+) Sectors\]\s*", re.IGNORECASE
)
_LEFT: Final = re.compile(r"(\d{1,19}) (Day|Hour|Minute|Second)s?")
_SECONDS: Final = {"Day": 86400, "Hour": 3600, "Minute": 60, "Second": 1}
_RUNNING: Final = "in progress"
_OFF_BY: Final = 0.01  # tolerance between a size rounded to three decimals and the exact one
_SECTOR_SIZES: Final = (512, 4096)


def text_of(values: Mapping[str, Any], *keys: str) -> str:
    """The text under the first of ``keys`` that exists, without padding spaces; see `quoted`."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return quoted(str(value).strip())
    return ""


def part_of(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under ``key``; an empty one without it."""
    value = values.get(key)
    return value if isinstance(value, dict) else {}


def size_of(text: str) -> int | None:
    """Bytes of ``256 KB`` or ``9.094 TiB``, which the tool has rounded."""
    found = _SIZE.fullmatch(text)
    factor = _UNITS.get(found[2]) if found else None
    return round(float(found[1]) * factor) if found and factor else None


def exact_size(text: str) -> int | None:
    """Bytes of ``2.728 TB [0x15d400000 Sectors]``; None if the two numbers do not agree."""
    found = _SECTORS.fullmatch(text)
    rough = size_of(found[1]) if found else None
    return None if found is None or rough is None else agreeing(int(found[2], 16), rough)


def agreeing(blocks: int, rough: int) -> int | None:
    """Bytes of ``blocks``, of 512 or 4096 bytes each: whichever matches the ``rough`` size; None if neither does."""
    sizes = (blocks * one for one in _SECTOR_SIZES)
    return next((size for size in sizes if rough and abs(size - rough) <= _OFF_BY * rough), None)


def seconds_left(text: str) -> int | None:
    """Seconds of ``4 Days 3 Hours 51 Minutes``; None for ``-``."""
    parts = _LEFT.findall(text)
    return sum(int(count) * _SECONDS[unit] for count, unit in parts) if parts else None


def is_running(row: Mapping[str, Any]) -> bool:
    """Whether the operation of a row of ``show rebuild`` and the like runs."""
    return text_of(row, "Status").lower() == _RUNNING


def is_paused(row: Mapping[str, Any]) -> bool:
    """Whether it is paused, so that it can be resumed."""
    return text_of(row, "Status").lower().startswith(("paused", "suspended"))
