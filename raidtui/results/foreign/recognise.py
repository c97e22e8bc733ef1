"""Recognize by its content which program wrote a file of results, and read it."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from raidtui.machine.textfile import pieces_of
from raidtui.model.errors import BadInput
from raidtui.model.result import Result
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.model.units import MIB
from raidtui.results.exchange import is_export, read_export
from raidtui.results.foreign.bonnie import is_bonnie, read_bonnie
from raidtui.results.foreign.cdm import is_cdm, read_cdm
from raidtui.results.foreign.fio import is_fio, read_fio

_QUOTED: Final = re.compile(r"^(?:[ \t]*+>)++ ?", re.MULTILINE)  # quotes of mails and forums
_LARGEST_EXPORT: Final = 256 * MIB  # of ten thousand results
_LARGEST_REPORT: Final = (
    4 * MIB
)  # of another program: fifty times the usual size, and 20 times that in memory


def read_file(path: Path) -> Iterable[tuple[Result, str]]:
    """Read every result in the file, each with its JSON document; a document of raidtui's is unchanged.

    Results of raidtui's are read one by one, and an error may follow good ones.

    Raises:
        BadInput: the file cannot be read, is not from a known program, or is truncated or damaged.
    """
    pieces = _pieces(path)
    begin = next(pieces, b"")
    if is_export(begin):
        return read_export(chain([begin], pieces), origin=str(path))
    results = read_text(_text(begin + b"".join(pieces)), origin=str(path), label=path.stem)
    return ((result, to_json(result, pretty=False)) for result in results)


def read_text(text: str, *, origin: str, label: str) -> tuple[Result, ...]:
    """As `read_file`, for the text of another program; ``label`` is the default. A missing date stays unknown."""
    if "\n" not in text:  # the line ends of old Macs, which a dollar sign of a pattern does not know
        text = text.replace("\r", "\n")
    label, text = harmless(label), _QUOTED.sub("", text)
    if is_fio(text):
        return (read_fio(text, origin=origin, label=label),)
    if is_cdm(text):
        return (read_cdm(text, origin=origin, label=label),)
    if is_bonnie(text):
        return read_bonnie(text, origin=origin, label=label)
    raise BadInput(
        f"{origin} cannot be imported. Known are the files of 'raidtui results export', the text of "
        "CrystalDiskMark and KDiskMark, the JSON of fio and the CSV of Bonnie++"
    )


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        yield from pieces_of(
            path, most=lambda begin: _LARGEST_EXPORT if is_export(begin) else _LARGEST_REPORT
        )
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error


def _text(content: bytes) -> str:
    """Decode the text: CrystalDiskMark 7 wrote UTF-16, 5 and 6 the local code page, all others UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    for first, order in ((1, "utf-16-le"), (0, "utf-16-be")):
        if content[first:40:2].count(0) > 10 > content[1 - first : 40 : 2].count(0):
            return content.decode(order, "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
