"""The JSON file of ``export`` and ``import``.

A result is passed on as its unchanged document: what a newer raidtui put in survives an older one.
"""

import codecs
import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Result
from raidtui.model.struct import escaped, from_json
from raidtui.model.text import harmless
from raidtui.model.units import MIB
from raidtui.results.published import is_published

VERSION: Final = 1  # of the file of `export`
_LARGEST_RESULT: Final = 8 * MIB  # characters
_BLANK: Final = re.compile(r"[ \t\r\n]*")


def write_export(documents: Iterable[str]) -> Iterator[str]:
    """The export file of these results, in pieces; ``documents`` are JSON, as stored."""
    between = f'{{"raidtui_results":{VERSION},"results":['
    for document in documents:
        yield between + escaped(document)
        between = ","
    yield "]}\n"


def is_export(content: bytes) -> bool:
    """Whether this is a file from `write_export`, complete or not."""
    begin = content[:2000]
    return '"raidtui_results"' in begin.decode(json.detect_encoding(begin), "replace")


def read_export(pieces: Iterable[bytes], *, origin: str) -> Iterator[tuple[Result, str]]:
    """Read the results in a file from `write_export` one by one, each with its document; ``origin`` is the file's name.

    Only a piece of the file and a result are in memory. A fault at the end of the file is found at the end: until then keep nothing for good.

    Raises:
        BadInput: the content is truncated, something else, from a newer raidtui, or has an impossible result.
    """
    try:
        # Windows saves redirected output as UTF-16, or with a byte order mark.
        rest = iter(pieces)
        begin = next(rest, b"")
        texts = codecs.iterdecode(chain([begin], rest), json.detect_encoding(begin))
        for document in _documents(texts, origin):
            result = from_json(document, Result, origin=origin)
            check_result(result, origin=origin)
            yield result, document
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise BadInput(f"{origin} is not a file of 'raidtui results export': {reason}") from error


def _documents(texts: Iterator[str], origin: str) -> Iterator[str]:
    """The JSON of each result. Decoded as a whole, a file takes up to forty times its size."""
    scan, version = _Scan(texts), None
    scan.must("{")
    while True:
        key = scan.value()
        scan.must(":")
        if key == '"results"':
            scan.must("[")
            while not scan.takes("]"):
                yield scan.value()
                if not scan.takes(","):
                    scan.must("]")
                    break
        elif key == '"raidtui_results"':
            version = int(scan.value())
            if version > VERSION:
                raise BadInput(f"{origin} was written by a newer raidtui; update raidtui to import it")
        else:
            scan.value()
        if not scan.takes(","):
            scan.must("}")
            break
    if version is None or not scan.at_end:
        raise ValueError("it has no version" if version is None else "text follows its end")


class _Scan:
    """Reads JSON from left to right, from pieces of text."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces, self._decode = pieces, json.JSONDecoder().raw_decode
        self._text, self._at, self._before = "", 0, 0

    def _more(self) -> bool:
        """Read at least as much again as is left, and drop what was passed; return whether there was anything."""
        left = self._text[self._at :]
        added: list[str] = []
        while (piece := next(self._pieces, None)) is not None:
            added.append(piece)
            if sum(map(len, added)) > len(left):
                break
        self._before += self._at
        self._text, self._at = left + "".join(added), 0
        return len(self._text) > len(left)

    def _skip(self) -> int:
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # matches always
            if self._at < len(self._text) or not self._more():
                return self._at

    @property
    def at_end(self) -> bool:
        return self._skip() == len(self._text)

    def takes(self, mark: str) -> bool:
        """Whether ``mark`` comes next; then it is passed."""
        at = self._skip()
        there = self._text.startswith(mark, at)
        self._at += there
        return there

    def must(self, mark: str) -> None:
        """Pass ``mark``. Raises ValueError: something else comes next."""
        if not self.takes(mark):
            raise ValueError(f"{mark} is missing at character {self._before + self._at:,}")

    def value(self) -> str:
        """The text of the next value. Raises ValueError: it is none, or larger than any result."""
        while True:
            begin = self._skip()
            try:
                _, end = self._decode(self._text, begin)
            except json.JSONDecodeError as error:
                place = self._before + error.pos
                if len(self._text) - begin > _LARGEST_RESULT or not self._more():
                    raise ValueError(f"{error.msg} at character {place:,}") from error
                continue
            found = self._text[begin:end]
            if end < len(self._text):
                self._at = end
                return found
            if not self._more():  # what ends with the piece may go on in the next
                self._at = len(found)
                return found


_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_CREATED: Final = re.compile(r"(\d{4}[0-9T:.+Z -]{0,36})?")
_FLAG: Final = re.compile(r"[A-Z]\b.*", re.DOTALL)
_DIRECTIONS: Final = ("read", "write", "mix")


def check_result(result: Result, *, origin: str) -> None:
    """Check that ``result`` can be a measured one. Text that is only shown is not checked.

    Args:
        origin: the file that it came from, for the error.

    Raises:
        BadInput: its id, date, or a cell's name, direction, figure or flag is impossible, or it has a cell twice.
    """
    if fault := next(_faults(result), ""):
        raise BadInput(f"{origin} has an impossible result: {fault}")


def _faults(result: Result) -> Iterator[str]:
    if not _ID.fullmatch(result.id) and not is_published(result.id):
        yield f"its id is {result.id[:80]!r}, and an id is 1 to 64 letters, digits and hyphens"
    if not _CREATED.fullmatch(result.created):
        yield f"{result.id} was measured at {result.created[:80]!r}, which is not a date"
    unit = result.context.unit
    if unit is not None and unit.raid_disks < 1:
        yield f"{result.id} has an array of {unit.raid_disks} disks"
    found = set()
    for cell in result.cells:
        for fault in _faults_of(cell):
            yield f"{result.id} has {fault}"
        if (cell.name, cell.direction) in found:
            yield f"{result.id} has {cell.name} {cell.direction} twice"
        found.add((cell.name, cell.direction))


def _faults_of(cell: Cell) -> Iterator[str]:
    if not cell.name or harmless(cell.name) != cell.name:
        yield f"a cell of the name {cell.name[:80]!r}"
    if cell.direction not in _DIRECTIONS:
        yield f"{cell.name} of the direction {cell.direction[:80]!r}, which is none of {', '.join(_DIRECTIONS)}"
    for flag in cell.flags:
        if not _FLAG.fullmatch(flag):
            yield f"the flag {flag[:80]!r} at {cell.name}, which does not begin with its letter"
    figures = (
        *(cell.bytes_per_second, cell.iops, cell.latency_mean_seconds, cell.latency_p99_seconds or 0.0),
        *(cell.block_bytes, cell.queue_depth, cell.threads, cell.amplification or 0.0, *cell.curve),
        *(
            figure
            for run in cell.runs
            for figure in (
                *(run.bytes_per_second, run.iops, run.latency_mean_seconds, run.latency_p99_seconds or 0.0),
                *(run.seconds, run.total_ios, run.processor_percent, run.sync_seconds or 0.0),
                *(*run.percentiles.values(), *run.series),
            )
        ),
    )
    if wrong := next((one for one in figures if not math.isfinite(one) or one < 0), None):
        yield f"the figure {wrong} at {cell.name} {cell.direction}, which cannot have been measured"
