"""Parse the text of ``zpool status -p -P -L`` and ``zpool import``, for OpenZFS before 2.3."""

import re
from collections.abc import Iterator
from typing import Final

from raidtui.backends.zfs.report import Expansion, Scan, Status, Vdev, leaves_marked
from raidtui.model.units import GIB, KIB, MIB, TIB

# More blanks are before the files with errors, whose dataset may be called as a key is.
_KEY: Final = re.compile(r" {0,5}(?P<key>pool|id|state|status|action|see|scan|remove|checkpoint|comment|expand|config|errors): ?(?P<rest>.*)")  # fmt: skip
_SECTIONS: Final = frozenset({"logs", "cache", "spares", "special", "dedup"})
_NO_ERRORS: Final = "No known data errors"
_SIZE: Final = re.compile(r"(\d{1,20}(?:\.\d{1,9})?)([BKMGTPE]?)", re.ASCII)
_UNITS: Final = {"": 1, "B": 1, "K": KIB, "M": MIB, "G": GIB, "T": TIB, "P": 1024 * TIB, "E": 1024**2 * TIB}
_PERCENT: Final = re.compile(r"\b(\d{1,3}(?:\.\d{1,9})?)% done", re.ASCII)
_LEFT: Final = re.compile(r"(?:\b(\d{1,6}) days )?\b(\d{1,6}):(\d\d):(\d\d) to go", re.ASCII)
_ISSUED: Final = re.compile(r"(\S+) (?:/ (\S+) )?issued(?: at (\S+)/s)?")
_TOTAL: Final = re.compile(r"(\S+) total")
_INDENT: Final = 2


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
        fields[key] = [found["rest"]]
    if "pool" in fields:
        yield fields


def _pool(fields: dict[str, list[str]]) -> Status:
    def words(key: str) -> str:
        return " ".join(line.strip() for line in fields.get(key, ())).strip()

    errors = words("errors")
    return Status(
        name=words("pool"),
        state=words("state"),
        guid=words("id"),
        status=words("status"),
        errors="" if errors == _NO_ERRORS else errors,
        scan=parse_scan(fields.get("scan", [])),
        expansion=Expansion(running="in progress" in words("expand")) if words("expand") else None,
        vdevs=_vdevs(fields.get("config", ())),
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


def _count(word: str) -> int | None:
    found = _SIZE.fullmatch(word)
    return int(float(found[1]) * _UNITS[found[2]]) if found else None


def parse_scan(lines: list[str]) -> Scan | None:
    """Parse the lines after ``scan:``; ``None`` if there was no scrub or resilver."""
    text = " ".join(line.strip() for line in lines).strip()
    what = text.partition(" ")[0]
    if what not in {"scrub", "resilver", "resilvered"}:
        return None
    what = "scrub" if what == "scrub" else "resilver"
    if " in progress since " not in text and not text.startswith("scrub paused since "):
        return Scan(what=what, words=text)
    percent, left, issued, total = (one.search(text) for one in (_PERCENT, _LEFT, _ISSUED, _TOTAL))
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
