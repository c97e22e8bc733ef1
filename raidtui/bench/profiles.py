"""Profiles, raidtui's own and users', and the rows of a profile on a given target."""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.bench.profile_file import Profile, read_profile
from raidtui.bench.rows import Row
from raidtui.machine.textfile import read_text
from raidtui.model.errors import BadInput
from raidtui.model.nearest import hint
from raidtui.model.text import harmless
from raidtui.model.units import spell_size

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
