"""Read the file of a profile strictly."""

import re
from typing import Final

from msgspec.structs import replace

from raidtui.bench.rows import DIRECTIONS, FILES, READ, WRITE, Row, Until, Work
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record
from raidtui.model.tomlfile import Section, read_toml
from raidtui.model.units import GIB, KIB, MIB, spell_size

_KEYS: Final = {
    "": (
        "name",
        "title",
        "about",
        "size",
        "runs",
        "seconds",
        "mix",
        "row_by_row",
        "steady",
        "program",
        "row",
    ),
    "row": (
        *(
            "block",
            "queue_depth",
            "threads",
            "random",
            "directions",
            "read_percent",
            "cached",
            "warm",
            "fresh",
        ),
        *("zeros", "until", "work", "sizes", "files", "beside"),
    ),
}
_EXAMPLE: Final = '[row."SEQ1M Q8T1"]'
# The name of a plain row says everything about it.
_NAME: Final = re.compile(
    r"(?P<kind>SEQ|RND)\s?(?P<size>\d{1,5}[KMG]|chunk|stripe)(?: Q(?P<depth>\d{1,4})(?:T(?P<threads>\d{1,3}))?)?"
    r"(?: (?P<direction>read|write))?(?: .*)?"
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
_UNITS: Final = {"K": KIB, "M": MIB, "G": GIB}
_OF_ARRAY: Final = ("chunk", "stripe")
_MOST_DEPTH: Final = 4096
_MOST_THREADS: Final = 256


class Profile(Record, frozen=True, kw_only=True):
    """A grid, and the defaults for measuring it."""

    name: str  # for --profile
    title: str
    about: str = ""  # what it shows, in a sentence or two
    rows: tuple[Row, ...]
    size_bytes: int = GIB  # of the test file
    runs: int = 6
    seconds: int = 5
    mix: bool = False
    row_by_row: bool = False  # not all reads first
    steady: bool = False  # repeat runs until they are alike, instead of `runs` times
    program: str = ""  # measures instead of fio if it is installed: "bonnie++"


def read_profile(text: str, *, origin: str) -> Profile:
    """Parse a profile.

    Args:
        origin: where the text came from, for errors: a file's name.

    Raises:
        BadInput: not TOML, an unknown key or word, or a value of the wrong type; the message names the line.
    """
    top = read_toml(text, origin=origin, what="profile", keys=_KEYS)
    for key in ("name", "title"):
        if key not in top:
            raise BadInput(f"{origin}: the key {key!r} is missing; write it at the top")
    rows = [row for name, section in top.sections("row", _EXAMPLE).items() for row in _rows(name, section)]
    if not rows:
        raise BadInput(f"{origin}: the profile has no rows; write {_EXAMPLE}")
    plain = Profile(name="", title="", rows=())
    profile = Profile(
        name=top.string("name"),
        title=top.string("title"),
        about=top.string("about"),
        rows=tuple(rows),
        size_bytes=top.size("size") or plain.size_bytes,
        runs=top.number("runs", plain.runs),
        seconds=top.number("seconds", plain.seconds),
        mix=top.yes_or_no("mix") is True,
        row_by_row=top.yes_or_no("row_by_row") is True,
        steady=top.yes_or_no("steady") is True,
        program=top.word("program", ("bonnie++",)),
    )
    if not _PLAIN.fullmatch(profile.name):
        raise top.refusal(
            "name", "the name of a profile is made of letters, digits, dots, dashes and underscores"
        )
    return profile


def pattern(name: str) -> Row | None:
    """The row that a name such as ``RND4K Q32T1`` describes; ``None`` for any other name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    size = match["size"]
    return Row(
        name=name,
        block_bytes=0 if size in _OF_ARRAY else int(size[:-1]) * _UNITS[size[-1]],
        block_of=size if size in _OF_ARRAY else "",
        queue_depth=int(match["depth"] or 1),
        threads=int(match["threads"] or 1),
        random=match["kind"] == "RND",
        directions=(match["direction"],) if match["direction"] else DIRECTIONS,
    )


def _rows(name: str, section: Section) -> list[Row]:
    """The rows of one section: one, or one for each of its sizes."""
    named = pattern(name) or Row(name=name, block_bytes=0)
    work = Work(section.word("work", tuple(Work), Work.IO.value))
    block, block_of = named.block_bytes, named.block_of
    if "block" in section:
        word = section.string("block")
        block_of = word if word in _OF_ARRAY else ""
        block = 0 if block_of else section.size("block") or 0
    if not block and not block_of and work not in FILES:
        raise section.refusal("block", f'the row {name!r} has no block size; write block = "4KiB" below it')
    beside = section.string("beside")
    if beside and (other := pattern(beside)) is not None and len(other.directions) != 1:
        beside = f"{beside} {READ}"
    if beside and pattern(beside) is None:
        raise section.refusal("beside", f"{beside!r} is not a pattern; write one such as SEQ1M Q8T1 {WRITE}")
    row = Row(
        name=name,
        block_bytes=block,
        block_of=block_of,
        queue_depth=_limited(section, "queue_depth", named.queue_depth, _MOST_DEPTH),
        threads=_limited(section, "threads", named.threads, _MOST_THREADS),
        random=named.random if section.yes_or_no("random") is None else section.yes_or_no("random") is True,
        directions=section.words("directions", DIRECTIONS, named.directions),
        read_percent=_limited(section, "read_percent", named.read_percent, 99),
        cached=section.yes_or_no("cached") is True,
        warm=section.yes_or_no("warm") is True,
        fresh=section.yes_or_no("fresh") is True,
        zeros=section.yes_or_no("zeros") is True,
        until=Until(section.word("until", tuple(Until), Until.SECONDS.value)),
        work=work,
        files=section.number("files", 1024 if work in FILES else 0, least=0),
        beside=beside,
    )
    if not row.directions:
        raise section.refusal("directions", "directions is an empty list, which leaves nothing to measure")
    sizes = section.sizes("sizes", '["64MiB", "1GiB"]')
    return [_sized(row, size) for size in sizes] or [row]


def _limited(section: Section, key: str, default: int, most: int) -> int:
    number = section.number(key, default)
    if number > most:
        raise section.refusal(key, f"{key} must be at most {most}, and {number} is more")
    return number


def _sized(row: Row, size: int) -> Row:
    return replace(row, name=f"{spell_size(size).removesuffix('iB')} {row.name}", size_bytes=size)
