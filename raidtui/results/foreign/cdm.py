"""Read the text reports of CrystalDiskMark, KDiskMark and AmorphousDiskMark, and our own in that style."""

import re
from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Final

from msgspec.structs import replace

from raidtui import __version__
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, Result
from raidtui.model.units import KIB, MIB
from raidtui.results.foreign.numbers import USUAL_MIX, block_name, identity, mix_name, moment, number, size_of

_INDENT: Final = r"^[^\S\n]*+"  # not the lines before: from each of a million blank lines all others
_NUMBER: Final = r"[-+]?[\w.,'\u00a0\u202f\u2019]+"
_LINE: Final = re.compile(
    # Possessive, for a line that is cut within a million blanks.
    rf"""\s*+(?P<kind>SEQ|RND|Sequential|Sequantial|Random)(?:\s++(?P<rw>Read|Write|Mix))?
    \s*+(?:(?P<block>\d{{1,6}})\s?(?P<unit>[KM])i?B)?\s*+
    (?:\((?:Q=\s*+(?P<q>\d{{1,6}})\s*+,\s*+)?(?:T=\s*+(?P<t>\d{{1,6}})|QD=\s*+(?P<qd>\d{{1,6}}))\)
    |Q(?P<own_q>\d{{1,6}})T(?P<own_t>\d{{1,6}}))?\s*+:
    \s*+(?P<rate>{_NUMBER})\s*+(?P<rate_unit>[MG]B/s)
    (?:\s*+\[\s*+(?P<iops>{_NUMBER})\s*+IOPS\])?(?:\s*+<\s*+(?P<wait>{_NUMBER})\s*+us>)?\s*+""",
    re.VERBOSE,
)
_LIKE: Final = re.compile(
    r"\s*+(SEQ|RND|Sequential|Sequantial|Random)\b.*(\((Q|T|QD)=|:\s*[\d.,]+\s*[MG]B/s)"
)
_DRIVE: Final = re.compile(
    r"\[(?P<drive>[A-Z]:)\s*(?P<percent>\d{1,3}(?:[.,]\d{1,3})?)%\s*"
    r"\([\d.,]{1,12}/(?P<size>[\d.,]{1,12})\s?(?P<unit>[KMGTP]?i?B)\)\]"
)
_SECTION: Final = re.compile(r"\s*\[(Read|Write|Mix)\](?:\s*Read\s+(\d{1,2})%)?")
_PROGRAM: Final = re.compile(r"\b(CrystalDiskMark|KDiskMark|AmorphousDiskMark|raidtui)\s+\(?(\d[\w.]*)")
_WITHOUT_VERSION: Final = re.compile(rf"{_INDENT}(KDiskMark)\s?:", re.MULTILINE)  # its first releases
_OURS_BEST: Final = re.compile(
    r"^raidtui \S+, best of ", re.MULTILINE
)  # imported as text, and exported as text again
_FIO: Final = re.compile(r"\bfio-(\d[\w.]*)")
_TEST: Final = re.compile(
    rf"{_INDENT}Test(?:\sSize)?\s?:\s*(\d{{1,9}}(?:[.,]\d{{1,9}})?)\s*((?:[KMGT]i?)?B)\b(?:.*?\(x(\d{{1,4}})\))?",
    re.MULTILINE,
)
_FIELD: Final = rf"{_INDENT}{{}}\s?:[ \t]*+(.+)"
_SECONDS: Final = re.compile(r"Measure:?\s*(\d{1,6})\s*sec")
_WITH_DISKSPD: Final = 4  # the first major version of CrystalDiskMark that runs DiskSpd
_FIXED: Final = (3, 3)  # the version of KDiskMark that counts every thread
_VALUES: Final = {
    "CrystalDiskMark": "best",
    "KDiskMark": "mean",
    "AmorphousDiskMark": "median",
    "raidtui": "median",
}


def is_cdm(text: str) -> bool:
    """Whether a line of ``text`` is a row of such a report, or the start of one."""
    return any(_LIKE.match(line) for line in text.splitlines() if line)


def read_cdm(text: str, *, origin: str, label: str) -> Result:
    """Read the one result in a report.

    Args:
        origin: the file's name, for errors.
        label: used if the report has no comment.

    Raises:
        BadInput: the report has no figures, has a cell twice, or is truncated or damaged.
    """
    program, version = _program(text)
    cells = tuple(_cells(text, program, version, origin))
    if not cells:
        raise BadInput(f"{origin} has no line with a speed in it")
    (name, direction), times = Counter((one.name, one.direction) for one in cells).most_common(1)[0]
    if times > 1:
        raise BadInput(f"{origin} has {name} {direction} twice; keep one report in a file")
    test, fio, drive = _TEST.search(text), _FIO.search(text), _DRIVE.search(text)
    runs = int(test[3]) if test and test[3] else 0
    seconds = _SECONDS.search(text)
    return Result(
        id=identity(text),
        label=_field(text, "Comment") or label,
        created=moment(_field(text, "Date")),
        version=__version__,
        profile="cdm" if any(cell.name == "SEQ1M Q8T1" for cell in cells) else program.lower() or "unknown",
        context=Context(
            hostname="",
            kernel=_field(text, "OS"),
            target=_field(text, "Target")
            or _field(text, "Volume")
            or (f"{drive['drive']} {drive['size']}{drive['unit']}" if drive else ""),
            fill_percent=number(drive["percent"], where=origin) if drive else None,
            tools={"fio": fio[1]} if fio else {program: version} if version else {},
            engine=_engine(program, version),
            size_bytes=size_of(test[1], test[2]) if test else 0,
            seconds=int(seconds[1]) if seconds else 0,
            runs=runs,
            origin=f"{program or 'an unknown program'} {version}".strip()
            + (f", {_kind(text, program)} of {runs} runs" if runs > 1 else ""),
        ),
        cells=cells,
    )


def _program(text: str) -> tuple[str, str]:
    if found := _PROGRAM.search(text):
        return found[1], found[2].rstrip(".")
    return ("KDiskMark", "") if _WITHOUT_VERSION.search(text) else ("", "")


def _engine(program: str, version: str) -> str:
    """What did the I/O: CrystalDiskMark before 4.0 had an engine of its own; empty if not known."""
    if program == "CrystalDiskMark":
        major = re.match(r"\d+", version)
        return (
            "" if major is None else "diskspd" if int(major[0]) >= _WITH_DISKSPD else "CrystalDiskMark's own"
        )
    return "libaio" if program == "KDiskMark" else ""


def _kind(text: str, program: str) -> str:
    """Which figure of its runs the value of a row is: best, mean or median."""
    if program == "raidtui" and ("the highest of" in _field(text, "Value") or _OURS_BEST.search(text)):
        return "best"
    return _VALUES.get(program, "value")


def _field(text: str, name: str) -> str:
    found = re.search(_FIELD.format(name), text, re.MULTILINE)
    return found[1].strip() if found else ""


def _cells(text: str, program: str, version: str, origin: str) -> Iterator[Cell]:
    found: list[tuple[Cell, bool]] = []
    section, reads = "", USUAL_MIX
    for place, line in enumerate(text.splitlines(), 1):
        if not line:
            continue
        if heading := _SECTION.match(line):
            section, reads = heading[1].lower(), int(heading[2] or USUAL_MIX)
        elif row := _LINE.fullmatch(line):
            direction = (row["rw"] or section).lower()
            where = f"{origin}, line {place}"
            if not direction:
                raise BadInput(f"{where}: it does not say whether this was read or written")
            cell = _cell(row, direction, where)
            if not (cell.bytes_per_second or cell.iops or cell.latency_mean_seconds):
                continue  # a test that was not run is printed as zeros
            if direction == "mix":
                cell = replace(cell, name=mix_name(cell.name, reads))
            found.append((cell, cell.threads > 1))
        elif _LIKE.match(line):
            raise BadInput(f"{origin}, line {place}: this row is cut short or damaged: {line.strip()[:80]!r}")
    factor = _correction([cell for cell, _ in found]) if program == "KDiskMark" else 1.0
    for cell, threaded in found:
        yield _corrected(cell, factor, _doubt(cell, threaded, program, version))


def _cell(row: re.Match[str], direction: str, where: str) -> Cell:
    numbers = [int(text) for part in ("block", "q", "t", "qd", "own_q", "own_t") if (text := row[part])]
    if not all(numbers):
        raise BadInput(f"{where}: a block size, a queue depth and a number of threads are at least 1, not 0")
    block = int(row["block"] or 0) * (MIB if row["unit"] == "M" else KIB)
    kind = "SEQ" if row["kind"].lower().startswith("seq") else "RND"
    depth = int(row["q"] or row["qd"] or row["own_q"] or 1)
    threads = int(row["t"] or row["own_t"] or 1)
    rate = number(row["rate"], where=where) * (1e9 if row["rate_unit"] == "GB/s" else 1e6)
    return Cell(
        name=f"{kind}{block_name(block)} Q{depth}T{threads}",
        direction=direction,
        bytes_per_second=rate,
        iops=number(row["iops"], where=where) if row["iops"] else 0.0,
        latency_mean_seconds=number(row["wait"], where=where) / 1e6 if row["wait"] else 0.0,
        block_bytes=block,
        queue_depth=depth,
        threads=threads,
        random=kind == "RND",
    )


def _correction(cells: list[Cell]) -> float:
    """The factor that corrects KDiskMark's rates.

    It divides fio's KiB/s by 1000 and prints MB/s; its own IOPS show whether it did so in this report.
    """
    ratios = [
        c.iops * c.block_bytes / c.bytes_per_second for c in cells if c.iops and c.bytes_per_second >= 1e6
    ]
    return 1.0 if ratios and abs(median(ratios) - 1) < 0.01 else 1.024


def _doubt(cell: Cell, threaded: bool, program: str, version: str) -> str:
    if program != "KDiskMark":
        return ""
    numbers = tuple(int(part) for part in re.findall(r"\d{1,6}", version)[:2])
    if threaded and numbers < _FIXED:
        return "E KDiskMark before 3.3 left out every second thread"
    return "E KDiskMark prints a weighted mean here, not what was moved" if cell.direction == "mix" else ""


def _corrected(cell: Cell, factor: float, doubt: str) -> Cell:
    rate = cell.bytes_per_second * factor
    return replace(
        cell,
        bytes_per_second=rate,
        iops=cell.iops or (rate / cell.block_bytes if cell.block_bytes else 0.0),
        flags=(doubt,) if doubt else (),
    )
