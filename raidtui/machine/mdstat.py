"""``/proc/mdstat``: the only place with the smooth progress of a sync. Grammar from md_seq_show() of the kernel.

``sync_completed`` in sysfs moves once in a sixteenth of the array or in five minutes; here it is always fresh.
"""

import re
from collections.abc import Mapping
from typing import Final

from raidtui.model.struct import Record
from raidtui.model.units import KIB

_ARRAY: Final = re.compile(r"(md\w*) : (active|inactive|broken)\b(.*)")
_DEVICE: Final = re.compile(r"(\S+)\[(\d+)\]((?:\([A-Z]\))*)")
_PROGRESS: Final = re.compile(
    r"(reshape|check|resync|recovery) *= *[\d.]+% \((\d+)/(\d+)\) finish=([\d.]+)min speed=(\d+)K/sec"
)
_WAITING: Final = re.compile(r"(resync|recover|recovery|reshape|check)=(DELAYED|PENDING|REMOTE)")
# sync_action's words: what mdstat calls recovery is recover there.
_ACTIONS: Final = {"recovery": "recover"}


class Progress(Record, frozen=True, kw_only=True):
    """A line of progress, or of waiting: then ``total_bytes`` is 0."""

    action: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: int = 0
    finish_seconds: int | None = None
    waiting: str = ""  # delayed, pending or remote


class Entry(Record, frozen=True, kw_only=True):
    """One array as mdstat has it."""

    numbers: Mapping[str, int]  # device → the descriptor number in brackets: not its slot
    progress: Progress | None = None


def parse_mdstat(text: str) -> Mapping[str, Entry]:
    """The arrays of ``/proc/mdstat`` by kernel name. Lines that are not understood are left out."""
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
