"""The JSON file of ``export`` and ``import``.

A result is passed on as its unchanged document: what a newer raidtui put in survives an older one.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from raidtui.model.errors import BadInput
from raidtui.model.result import Result
from raidtui.model.struct import Record, decode_json, escaped, from_json
from raidtui.results.validate import check_result

VERSION: Final = 1  # of the file of `export`


class _Export(Record, frozen=True, kw_only=True):
    raidtui_results: int
    results: tuple[msgspec.Raw, ...]


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


def read_export(content: bytes, *, origin: str) -> tuple[tuple[Result, str], ...]:
    """Read the results in a file from `write_export`, each with its document; ``origin`` is the file's name.

    Raises:
        BadInput: the content is truncated, something else, from a newer raidtui, or has an impossible result.
    """
    try:
        # Windows saves redirected output as UTF-16, or with a byte order mark.
        found = decode_json(content.decode(json.detect_encoding(content)), _Export)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{origin} is not a file of 'raidtui results export': {error}") from error
    if found.raidtui_results > VERSION:
        raise BadInput(f"{origin} was written by a newer raidtui; update raidtui to import it")
    read = []
    for raw in found.results:
        document = bytes(raw).decode()
        result = from_json(document, Result, origin=origin)
        check_result(result, origin=origin)
        read.append((result, document))
    return tuple(read)
