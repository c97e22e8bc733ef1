"""Read the CSV line of Bonnie++, 1.03 to 2.00: the order of its fields depends on the version."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from statistics import median
from typing import Final

from raidtui import __version__
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.model.units import GIB, KIB, MIB, TIB
from raidtui.results.foreign.numbers import identities, number

_RATES: Final = (
    *("putc", "putc_cpu", "put_block", "put_block_cpu", "rewrite", "rewrite_cpu", "getc", "getc_cpu"),
    *("get_block", "get_block_cpu", "seeks", "seeks_cpu"),
)
_FILES: Final = (
    *("seq_create", "seq_create_cpu", "seq_stat", "seq_stat_cpu", "seq_del", "seq_del_cpu"),
    *("ran_create", "ran_create_cpu", "ran_stat", "ran_stat_cpu", "ran_del", "ran_del_cpu"),
)
_FIRST: Final = "1.03"
_OLD: Final = ("name", "file_size", *_RATES, "num_files", *_FILES)  # 1.03, which does not print its version
_BEGIN: Final = (
    "format_version",
    "bonnie_version",
    "name",
    "concurrency",
    "seed",
    "file_size",
    "io_chunk_size",
)
_MIDDLE: Final = ("num_files", "max_size", "min_size", "num_dirs", "file_chunk_size")
_196: Final = (*_BEGIN, *_RATES, *_MIDDLE, *_FILES)
_198: Final = (*_BEGIN, "seek_count", "seekers", *_RATES, *_MIDDLE, *_FILES)
_MOST_LINES: Final = 1000
_VERSIONED: Final = re.compile(r"\d\.\d\d?[a-z]?")
_SIZE: Final = re.compile(r"(\d{1,15})([KMGT]?)")

# Field → name, direction: rates in KiB a second, then operations a second.
_MOVED: Final = {
    "put_block": ("block", "write"),
    "rewrite": ("rewrite", "write"),
    "get_block": ("block", "read"),
    "putc": ("character", "write"),
    "getc": ("character", "read"),
}
_COUNTED: Final = {
    "seeks": ("seeks", "mix"),  # a tenth of the blocks read are written back
    "seq_create": ("create in order", "write"),
    "seq_stat": ("stat in order", "read"),
    "seq_del": ("delete in order", "write"),
    "ran_create": ("create at random", "write"),
    "ran_stat": ("stat at random", "read"),
    "ran_del": ("delete at random", "write"),
}
# Fields that separate results, and their words in a label.
_KEY: Final = {
    "name": "{}",
    "bonnie_version": "Bonnie++ {}",
    "file_size": "{}",
    "io_chunk_size": "chunks of {}",
    "concurrency": "{} at once",
}


class TooQuick(BadInput):
    """No test took long enough for Bonnie++ to print a figure."""


def is_bonnie(text: str) -> bool:
    """Whether a line of ``text`` looks like Bonnie++'s."""
    return any(_names(fields) or fields[0] == "format_version" for fields in _lines(text))


def read_bonnie(text: str, *, origin: str, label: str) -> tuple[Result, ...]:
    """A result for each name, version, file size, chunk size and concurrency; lines that agree in these are its runs.

    Raises:
        BadInput: there is no line of Bonnie++, or one is truncated or has no figures.
    """
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    id_with = identities(text)
    for place, fields in enumerate(_lines(text), 1):
        if place > _MOST_LINES:
            raise BadInput(f"{origin} has more than {_MOST_LINES} lines of Bonnie++: import it in parts")
        if fields[0] in {"format_version", "name"}:
            continue
        names = _names(fields)
        if not names or len(fields) < len(names):
            raise BadInput(
                f"{origin}, line {place}: this line of Bonnie++ is truncated, it has {len(fields)} fields"
            )
        line = dict(zip(names, fields, strict=False))
        key = tuple(line.get(field, "") for field in _KEY)
        found.setdefault(key, []).append(line | {"where": f"{origin}, line {place}"})
    if not found:
        raise BadInput(f"{origin} has no line of Bonnie++ with figures in it")
    return tuple(
        _result(
            lines,
            label=_label(key, list(found), label),
            known_as=id_with("\n".join(("", *key))),
        )
        for key, lines in found.items()
    )


def _label(key: Sequence[str], keys: Sequence[Sequence[str]], unnamed: str) -> str:
    """The name in a line, or ``unnamed``, with what distinguishes it from other results of that name in the file."""
    others = [other for other in keys if other[0] == key[0]]
    words = [
        word.format(part)
        for place, word in enumerate(_KEY.values())
        if (part := key[place]) and place and len({other[place] for other in others}) > 1
    ]
    return " ".join(filter(None, (key[0] or unnamed, f"({', '.join(words)})" if words else "")))


def _lines(text: str) -> Iterator[list[str]]:
    with suppress(csv.Error):
        yield from (fields for fields in csv.reader(text.splitlines()) if len(fields) >= 14)


def _names(fields: Sequence[str]) -> tuple[str, ...]:
    """The names of the fields of a line, by its version; empty for any other line."""
    if _VERSIONED.fullmatch(fields[0]) and len(fields) > 1 and _VERSIONED.match(fields[1]):
        return _198 if fields[0] >= "1.98" else _196
    if len(fields) == len(_OLD) and _SIZE.fullmatch(fields[1].partition(":")[0]):
        return _OLD
    return ()


def _result(lines: Sequence[dict[str, str]], *, label: str, known_as: str) -> Result:
    cells = []
    version = lines[0].get("bonnie_version", _FIRST)
    for field, (name, direction) in (_MOVED | _COUNTED).items():
        values = [
            number(line[field], where=line["where"]) for line in lines if _is_known(line.get(field, ""))
        ]
        if values:
            cells.append(_cell(name, direction, values, moved=field in _MOVED))
    if not cells:
        raise TooQuick(f"{lines[0]['where']}: none of its figures took long enough to be known")
    return Result(
        id=known_as,
        label=label,
        created="",  # a line has no date
        version=__version__,
        profile="bonnie",
        context=Context(
            hostname=lines[0]["name"],
            tools={"bonnie++": version},
            engine="sync",
            direct=False,
            size_bytes=_bytes(lines[0]["file_size"]),
            runs=len(lines),
            origin=f"Bonnie++ {version}",
        ),
        cells=tuple(cells),
    )


def _is_known(text: str) -> bool:
    """Whether a field has a figure: Bonnie++ leaves it empty for a skipped test, and prints + for one too short."""
    return bool(text.strip("+ "))


def _cell(name: str, direction: str, values: Sequence[float], *, moved: bool) -> Cell:
    runs = tuple(
        RunValue(
            bytes_per_second=value * KIB if moved else 0.0,
            iops=0.0 if moved else value,
            latency_mean_seconds=0.0,
        )
        for value in values
    )
    return Cell(
        name=name,
        direction=direction,
        bytes_per_second=median(run.bytes_per_second for run in runs),
        iops=median(run.iops for run in runs),
        latency_mean_seconds=0.0,
        runs=runs if len(runs) > 1 else (),
    )


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text.strip().upper().partition(":")[0])  # the size of a chunk may follow
    powers = {"": MIB, "K": KIB, "M": MIB, "G": GIB, "T": TIB}  # a bare number is MiB
    return int(found[1]) * powers[found[2]] if found else 0
