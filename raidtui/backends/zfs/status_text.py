"""Parse the text of ``zpool status -p -P -L`` and ``zpool import``, for OpenZFS before 2.3."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from raidtui.backends.zfs.report import REMOVAL, Expansion, Scan, Status, Vdev, errors_of, leaves_marked
from raidtui.model.units import GIB, KIB, MIB, TIB

# More blanks are before the files with errors, whose dataset may be called as a key is.
_KEY: Final = re.compile(r" {0,5}(?P<key>pool|id|state|status|action|see|scan|remove|checkpoint|comment|expand|config|errors): ?(?P<rest>.*)")  # fmt: skip
_SECTIONS: Final = frozenset({"logs", "cache", "spares", "special", "dedup"})
_REPEATED: Final = frozenset({"scan"})
"""Lines of which a pool has several: a scrub, and a rebuild for each vdev."""
_NO_ERRORS: Final = "No known data errors"
_SIZE: Final = re.compile(r"(\d{1,20}(?:\.\d{1,9})?)([BKMGTPE]?)", re.ASCII)
_UNITS: Final = {"": 1, "B": 1, "K": KIB, "M": MIB, "G": GIB, "T": TIB, "P": 1024 * TIB, "E": 1024**2 * TIB}
_PERCENT: Final = re.compile(r"\b(\d{1,3}(?:\.\d{1,9})?)% done", re.ASCII)
_LEFT: Final = re.compile(r"(?:\b(\d{1,6}) days )?\b(\d{1,6}):(\d\d):(\d\d) to go", re.ASCII)
_ISSUED: Final = re.compile(r"(\S+) (?:/ (\S+) )?issued(?: at (\S+)/s)?")
_TOTAL: Final = re.compile(r"(\S+) total")
# Before 0.8: "1.57T scanned out of 5.35T at 65.5M/s, 16h49m to go".
_OLDER: Final = re.compile(
    r"(\S+) scanned out of (\S+) at (\S+)/s(?:, (\d{1,6})h(\d{1,2})m to go)?", re.ASCII
)
_COPIED: Final = re.compile(r"(\S+) copied out of (\S+)(?: at (\S+)/s)?")
_SUSPENDED: Final = "faulted in response to IO failures"
"""ZFS' words for a pool that has stopped, which older versions call online."""
_INDENT: Final = 2
_COLUMNS: Final = 5  # name, state and three counts


def parse_status(text: str) -> tuple[Status, ...]:
    """Every pool in the output of ``zpool status`` or ``zpool import``."""
    return tuple(_pool(fields) for fields in _pools(text))


def _pools(text: str) -> Iterator[dict[str, list[str]]]:
    fields: dict[str, list[str]] = {}
    key = ""
    for line in text.splitlines():
        found = None if line.startswith("\t") else _KEY.match(line)
        if found is None:
            if key:
                fields[key].append(line)
            continue
        key = found["key"]
        if key == "pool":
            if fields:
                yield fields
            fields = {}
        fields[key] = [*fields.get(key, ()), found["rest"]] if key in _REPEATED else [found["rest"]]
    if "pool" in fields:
        yield fields


def _pool(fields: dict[str, list[str]]) -> Status:
    def words(key: str) -> str:
        return " ".join(line.strip() for line in fields.get(key, ())).strip()

    errors = words("errors") or (None if "id" not in fields else "")
    state = "SUSPENDED" if _SUSPENDED in words("status") else words("state")
    return Status(
        name=words("pool"),
        state=state,
        guid=words("id"),
        status=words("status"),
        errors=errors_of(state, "" if errors == _NO_ERRORS else errors, counted=_counted(fields)),
        scan=_scan(fields.get("scan", [])),
        expansion=_expansion(words("expand"), words("remove")),
        vdevs=_vdevs(fields.get("config", ())),
    )


def _expansion(expand: str, remove: str) -> Expansion | None:
    """The raidz expansion or the removal of a vdev, whichever runs; else the last one."""
    found = [
        *([Expansion(running="in progress" in expand)] if expand else []),
        *([_removal(remove)] if remove else []),
    ]
    return next((one for one in found if one.running), next(iter(found), None))


def _removal(text: str) -> Expansion:
    found = _COPIED.search(text)
    done, total, rate = map(_bytes, found.groups("")) if found else (0, 0, 0)
    return Expansion(
        what=REMOVAL,
        running="in progress" in text,
        done_bytes=done,
        total_bytes=total,
        bytes_per_second=rate,
    )


def _vdevs(lines: "list[str] | tuple[()]") -> tuple[Vdev, ...]:
    found: list[Vdev] = []  # none where "The configuration cannot be determined"
    section = ""
    for line in lines:
        text = line.removeprefix("\t")
        words = text.split()
        if not line.startswith("\t") or not words or words[:2] == ["NAME", "STATE"]:
            continue
        indent = (len(text) - len(text.lstrip(" "))) // _INDENT
        if indent == 0:
            section = words[0] if words[0] in _SECTIONS else ""
            continue
        found.append(_vdev(words, depth=indent - 1, section=section))
    return leaves_marked(found)


def _vdev(words: list[str], *, depth: int, section: str) -> Vdev:
    name, state, *rest = (*words, "") if len(words) == 1 else words
    counts = [_count(word) for word in rest[:3]]
    counted = len(counts) == 3 and all(one is not None for one in counts)
    read, write, checksum = ((one or 0) for one in counts) if counted else (0, 0, 0)
    return Vdev(
        name=name,
        depth=depth,
        section=section,
        state=state,
        read_errors=read,
        write_errors=write,
        checksum_errors=checksum,
        note=" ".join(rest[3:] if counted else rest).strip(),
    )


def _counted(fields: dict[str, list[str]]) -> bool:
    """Whether each line of the pool and its data has three counts, or is a heading or a spare."""
    lines = (line.split() for line in fields.get("config", ()) if line.startswith("\t"))
    counts = (one[2:_COLUMNS] for one in lines if len(one) > 1 and one[1] == "ONLINE")
    return all(len(one) == _COLUMNS - 2 and None not in map(_count, one) for one in counts)


def _count(word: str) -> int | None:
    found = _SIZE.fullmatch(word)
    return int(float(found[1]) * _UNITS[found[2]]) if found else None


def _scan(lines: list[str]) -> Scan | None:
    """The scan that runs, of those that a pool lists; else the last one."""
    starts = [number for number, line in enumerate(lines) if not line.startswith(("\t", "    "))]
    each = [lines[start:end] for start, end in zip_longest(starts, starts[1:])]
    found = [one for one in map(parse_scan, each) if one is not None]
    return next((one for one in found if one.running), found[-1] if found else None)


def parse_scan(lines: list[str]) -> Scan | None:
    """Parse the lines after ``scan:``; ``None`` if there was no scrub or resilver."""
    text = " ".join(line.strip() for line in lines).strip()
    what = text.removeprefix("error ").partition(" ")[0]
    if what not in {"scrub", "resilver", "resilvered"} or (
        text.startswith("error ") and " in progress since " not in text
    ):
        return None
    what = "scrub" if what == "scrub" else "resilver"
    if " in progress since " not in text and not text.startswith("scrub paused since "):
        return Scan(what=what, words=text)
    percent, left, issued, total = (one.search(text) for one in (_PERCENT, _LEFT, _ISSUED, _TOTAL))
    if older := _OLDER.search(text):
        done, whole, rate, hours, minutes = older.groups()
        return Scan(
            what=what,
            running=True,
            fraction=min(1.0, float(percent[1]) / 100) if percent else 0.0,
            done_bytes=_bytes(done),
            total_bytes=_bytes(whole),
            bytes_per_second=_bytes(rate),
            seconds_left=(int(hours) * 60 + int(minutes)) * 60 if hours else None,
        )
    return Scan(
        what=what,
        running=True,
        paused=text.startswith("scrub paused"),
        fraction=min(1.0, float(percent[1]) / 100) if percent else 0.0,
        done_bytes=_bytes(issued[1]) if issued else 0,
        total_bytes=_bytes(issued[2] if issued and issued[2] else total[1] if total else ""),
        bytes_per_second=_bytes(issued[3]) if issued and issued[3] else 0,
        seconds_left=_seconds(left) if left else None,
    )


def _bytes(word: str) -> int:
    return _count(word) or 0


def _seconds(found: re.Match[str]) -> int:
    days, hours, minutes, seconds = (int(one or 0) for one in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
