"""Parse ``/proc/mdstat``, the only source of current sync progress. Grammar: md_seq_show() of the kernel.

``sync_completed`` in sysfs is updated only every sixteenth of the array or every five minutes.
"""

import re
from collections.abc import Mapping
from typing import Final

from raidtui.model.struct import Record
from raidtui.model.units import KIB

_ARRAY: Final = re.compile(r"(md\S*) : (active|inactive|broken)\b(.*)")
_DEVICE: Final = re.compile(r"(\S+)\[(\d{1,19})\]((?:\([A-Z]\))*)")
_PROGRESS: Final = re.compile(
    r"(reshape|check|resync|recovery) *= *[\d.]+% \((\d{1,19})/(\d{1,19})\) finish=(\d{1,12}(?:\.\d{1,6})?)min speed=(\d{1,19})K/sec"
)
_WAITING: Final = re.compile(r"(resync|recover|recovery|reshape|check)=(DELAYED|PENDING|REMOTE)")
# mdstat's "recovery" is "recover" in sync_action.
_ACTIONS: Final = {"recovery": "recover"}


class Progress(Record, frozen=True, kw_only=True):
    """A progress line; ``total_bytes`` is 0 while the sync is waiting."""

    action: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: int = 0
    finish_seconds: int | None = None
    waiting: str = ""  # delayed, pending or remote


class Entry(Record, frozen=True, kw_only=True):
    """One array in mdstat."""

    numbers: Mapping[str, int]  # device → the descriptor number in brackets, not its slot
    progress: Progress | None = None


def parse_mdstat(text: str) -> Mapping[str, Entry]:
    """The arrays of ``/proc/mdstat`` by kernel name. Unknown lines are ignored."""
    found: dict[str, Entry] = {}
    name = ""
    for line in text.splitlines():
        if match := _ARRAY.match(line):
            name = match[1]
            found[name] = Entry(numbers={d: int(number) for d, number, _ in _DEVICE.findall(match[3])})
        elif not line.strip():
            name = ""
        elif name and (progress := _progress(line)):
            found[name] = Entry(numbers=found[name].numbers, progress=progress)
    return found


def _progress(line: str) -> Progress | None:
    if match := _PROGRESS.search(line):
        return Progress(
            action=_ACTIONS.get(match[1], match[1]),
            done_bytes=int(match[2]) * KIB,
            total_bytes=int(match[3]) * KIB,
            bytes_per_second=int(match[5]) * KIB,
            finish_seconds=round(float(match[4]) * 60),
        )
    if match := _WAITING.search(line):
        return Progress(action=_ACTIONS.get(match[1], match[1]), waiting=match[2].lower())
    return None
