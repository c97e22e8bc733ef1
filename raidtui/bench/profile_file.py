"""Profiles, raidtui's own and users': their files, read strictly, and their rows on a given target."""

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.bench.rows import DIRECTIONS, FILES, READ, WRITE, Row, Until, Work
from raidtui.machine.textfile import read_text
from raidtui.model.errors import BadInput
from raidtui.model.nearest import hint
from raidtui.model.struct import Record
from raidtui.model.text import harmless
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


_FORMER: Final = {"nvme": "cdm-nvme", "real": "cdm-real"}  # names in earlier versions
_ORDER: Final = (
    *(
        "cdm",
        "cdm-nvme",
        "cdm-peak",
        "cdm-real",
        "cdm-demo",
        "cached",
        "streams",
        "bonnie",
        "iozone",
        "chunks",
    ),
    *("mkfile", "latency", "sustained"),
)


@cache
def own_profiles() -> dict[str, Profile]:
    """The profiles that come with raidtui, by name."""
    folder = resources.files("raidtui.bench") / "grids"
    return {
        name: read_profile((folder / f"{name}.toml").read_text(encoding="utf-8"), origin=f"{name}.toml")
        for name in _ORDER
    }


def find_profile(word: str) -> Profile:
    """The profile called ``word``, or the one in the file ``word``: a path, or a name that ends in ``.toml``.

    Raises:
        BadInput: there is none (the message names the nearest), or the file is not a profile.
    """
    if _is_path(word):
        return read_profile(read_text(word, what="profile"), origin=word)
    profiles = own_profiles()
    name = _FORMER.get(word, word)
    if name in profiles:
        return profiles[name]
    others = f"write the name of a file that ends in .toml, or one of {', '.join(profiles)}"
    raise BadInput(f"unknown profile {harmless(word)!r}{hint(word, profiles, others)}")


def from_anywhere(word: str) -> str:
    """``word`` with an absolute path, for `find_profile` in a job, which runs in another folder."""
    return str(Path(word).absolute()) if _is_path(word) else word


def _is_path(word: str) -> bool:
    return word.endswith(".toml") or "/" in word


def rows_on(
    profile: Profile, *, chunk: int = 0, stripe: int = 0, size_bytes: int, files: bool = True
) -> tuple[Row, ...]:
    """The rows of ``profile`` that can be measured on a target, with their block sizes.

    Args:
        chunk, stripe: bytes of the array's chunk and of the data in one stripe; 0 if there is none.
        size_bytes: of the test file; rows that need a larger one are left out.
        files: whether files can be created on the target.

    Raises:
        BadInput: no row is left, or the profile measures chunks and the target has none.
    """
    known = {"chunk": chunk, "stripe": stripe}
    if not chunk and any(row.block_of for row in profile.rows):
        raise BadInput(
            f"the profile {profile.name} measures an array's chunks, and the target is not on an array with chunks"
        )
    rows = [
        replace(row, block_bytes=known[row.block_of]) if row.block_of else row
        for row in profile.rows
        if row.size_bytes <= size_bytes and (files or row.touches_blocks)
    ]
    rows = [row for row in rows if row.block_bytes <= (row.size_bytes or size_bytes)]
    if not rows:
        least = min(max(row.size_bytes, row.block_bytes) for row in profile.rows)
        raise BadInput(
            f"no row of the profile {profile.name} fits into {spell_size(size_bytes)}; the least is {spell_size(least)}"
        )
    return tuple(rows)
