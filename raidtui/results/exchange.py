"""The JSON file of ``export`` and ``import``.

A result is passed on as its unchanged document: what a newer raidtui put in survives an older one.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.result import Result
from raidtui.model.struct import escaped, from_json
from raidtui.results.validate import check_result

VERSION: Final = 1  # of the file of `export`
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


def read_export(content: bytes, *, origin: str) -> Iterator[tuple[Result, str]]:
    """Read the results in a file from `write_export` one by one, each with its document; ``origin`` is the file's name.

    A fault at the end of the file is found at the end: until then keep nothing for good.

    Raises:
        BadInput: the content is truncated, something else, from a newer raidtui, or has an impossible result.
    """
    try:
        # Windows saves redirected output as UTF-16, or with a byte order mark.
        for document in _documents(content.decode(json.detect_encoding(content)), origin):
            result = from_json(document, Result, origin=origin)
            check_result(result, origin=origin)
            yield result, document
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise BadInput(f"{origin} is not a file of 'raidtui results export': {reason}") from error


def _documents(text: str, origin: str) -> Iterator[str]:
    """The JSON of each result. Decoded as a whole, a file takes up to forty times its size."""
    scan, version = _Scan(text), None
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
    """Reads JSON from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._decode = text, 0, json.JSONDecoder().raw_decode

    def _skip(self) -> int:
        self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # matches always
        return self._at

    @property
    def at_end(self) -> bool:
        return self._skip() == len(self._text)

    def takes(self, mark: str) -> bool:
        """Whether ``mark`` comes next; then it is passed."""
        there = self._text.startswith(mark, self._skip())
        self._at += there
        return there

    def must(self, mark: str) -> None:
        """Pass ``mark``.

        Raises:
            ValueError: something else comes next.
        """
        if not self.takes(mark):
            raise ValueError(f"{mark} is missing at character {self._at:,}")

    def value(self) -> str:
        """The text of the next value.

        Raises:
            ValueError: it is none.
        """
        begin = self._skip()
        _, self._at = self._decode(self._text, begin)
        return self._text[begin : self._at]
