"""Read the file of a sweep strictly, and the files of the published studies that come with raidtui."""

import os
from importlib import resources
from typing import Final

from raidtui.backends import registry
from raidtui.backends.level_words import level_words
from raidtui.backends.names import check_form
from raidtui.backends.specfile import FILESYSTEM_TYPES
from raidtui.bench.profile_file import find_profile, from_anywhere
from raidtui.machine.textfile import read_text
from raidtui.model.errors import BadInput
from raidtui.model.spec import USUAL, Backend
from raidtui.model.sweep import SINGLE, Sweep, split_level
from raidtui.model.text import harmless
from raidtui.model.tomlfile import Section, read_toml
from raidtui.sweep.matrix import makers_of
from raidtui.sweep.measurement import CACHES

_KEYS: Final = {
    "": ("name", "about", "disks", "slice", "passes", "seed", "matrix", "measure"),
    "matrix": ("backend", "level", "members", "chunk", "filesystem"),
    "measure": ("profile", "cache", "size", "runs", "seconds", "mix"),
}
_LONGEST_NAME: Final = 40
_MOST: Final = 10_000  # combinations; more are a mistake


def find_sweep(word: str) -> Sweep:
    """The sweep in the file ``word``, or the study of that name that comes with raidtui.

    Raises:
        BadInput: there is no such file or study, or it is not a sweep.
    """
    studies = published_studies()
    there = os.path.exists(word)  # false also for a name that no file can have
    if word in studies and not there:
        return studies[word]
    if not there:
        raise BadInput(
            f"there is no file {harmless(word)}, and the studies that come with raidtui are {', '.join(studies)}"
        )
    return read_sweep(read_text(word, what="sweep"), origin=word)


def published_studies() -> dict[str, Sweep]:
    """The studies that come with raidtui, by name; they name no disks."""
    folder = resources.files("raidtui.sweep") / "studies"
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".toml")), key=lambda one: one.name)
    found = (read_sweep(one.read_text(encoding="utf-8"), origin=one.name) for one in files)
    return {sweep.name: sweep for sweep in found}


def read_sweep(text: str, *, origin: str) -> Sweep:
    """Parse a sweep.

    Args:
        origin: where the text came from, for errors: a file's name.

    Raises:
        BadInput: not TOML, an unknown key or word, or a value of the wrong type; the message names the line.
    """
    top = read_toml(text, origin=origin, what="sweep", keys=_KEYS)
    matrix, measure = top.section("matrix", 'level = ["raid0"]'), top.section("measure", "runs = 6")
    plain = Sweep(name="")
    for section, key, where in ((top, "name", "at the top"), (matrix, "level", "below [matrix]")):
        if key not in section:
            raise BadInput(f"{harmless(origin)}: the key {key!r} is missing; write it {where}")
    named = tuple(Backend(word) for word in matrix.words("backend", tuple(Backend), ()))
    backends = named or (USUAL,)
    for name in backends:
        if name not in registry.builds() or name is Backend.DISK:
            able = ", ".join(one for one in registry.builds() if one is not Backend.DISK)
            raise matrix.refusal("backend", f"a sweep cannot build with {name}; it builds with {able}")
    sweep = Sweep(
        name=top.string("name"),
        about=top.string("about"),
        disks=top.strings("disks"),
        slice=top.size("slice"),
        passes=top.number("passes", plain.passes),
        seed=top.number("seed", plain.seed, least=0),
        backends=named,
        levels=_levels(matrix, backends),
        members=matrix.numbers("members"),
        chunks=matrix.sizes("chunk", '["64KiB", "512KiB"]'),
        filesystems=matrix.words("filesystem", FILESYSTEM_TYPES, plain.filesystems),
        profiles=_profiles(measure, plain.profiles),
        caches=measure.words("cache", CACHES, plain.caches),
        size_bytes=measure.size("size") or plain.size_bytes,
        runs=measure.number("runs", 1) if "runs" in measure else plain.runs,
        seconds=measure.number("seconds", 1) if "seconds" in measure else plain.seconds,
        mix=measure.yes_or_no("mix") is True,
    )
    # The name is for the job and its results; units are called `raidtui.sweep.matrix.ARRAY`.
    check_form(sweep.name, of="a sweep", marks="._-", longest=_LONGEST_NAME)
    _check_lists(sweep, top, matrix, measure)
    return sweep


def _levels(matrix: Section, backends: tuple[Backend, ...]) -> tuple[str, ...]:
    words = matrix.strings("level")
    used: set[Backend] = set()
    for word in words:
        named = split_level(word)
        if named.members == 0 or (named.members is not None and named.level == SINGLE):
            raise matrix.refusal(
                "level", f"{word!r} is not a level with a number of disks; write 'raid5 of 3'"
            )
        if named.backend is not None and named.backend not in backends:
            raise matrix.refusal("level", f"{word!r} is of a backend that is not in the list backend")
        those = backends if named.backend is None else (named.backend,)
        single = (SINGLE,) if named.backend is None else ()
        of = level_words(those)
        matrix.known("level", named.level, (*single, *of.known), of.also, of.instead)
        used.update(makers_of(named, backends))
    if idle := [
        one for one in backends if one not in used and any(split_level(w).level != SINGLE for w in words)
    ]:
        has = ", ".join(registry.backend(idle[0]).levels)
        raise matrix.refusal("backend", f"{idle[0]} has none of these levels; it has {has}")
    return words


def _profiles(measure: Section, default: tuple[str, ...]) -> tuple[str, ...]:
    words = measure.strings("profile") if "profile" in measure else default
    paths = tuple(map(from_anywhere, words))
    titles: dict[str, str] = {}
    for word, path in zip(words, paths, strict=True):
        try:
            name = find_profile(path).name
        except BadInput as error:
            raise measure.refusal("profile", str(error)) from error
        if titles.get(name, word) != word:  # the same word twice is reported as in any list
            both = f"{titles[name]} and {word} are both called {name}"
            raise measure.refusal(
                "profile", f"{both}, and their results could not be distinguished; rename one"
            )
        titles[name] = word
    return paths


def _check_lists(sweep: Sweep, top: Section, matrix: Section, measure: Section) -> None:
    for section, key, values in (
        (matrix, "backend", sweep.backends),
        (matrix, "level", sweep.levels),
        (matrix, "members", sweep.members),
        (matrix, "chunk", sweep.chunks),
        (matrix, "filesystem", sweep.filesystems),
        (measure, "profile", sweep.profiles),
        (measure, "cache", sweep.caches),
        (top, "disks", sweep.disks),
    ):
        if key in section and not values:
            raise section.refusal(key, f"{key} is an empty list, which leaves nothing to measure")
        twice = next((one for one in values if values.count(one) > 1), None)
        if twice is not None:
            raise section.refusal(key, f"{key} names {twice} twice")
    for key, numbers in (
        ("members", sweep.members),
        ("level", tuple(one.members for one in map(split_level, sweep.levels) if one.members is not None)),
    ):
        wrong = [number for number in numbers if number > len(sweep.disks)] if sweep.disks else []
        if wrong:
            raise matrix.refusal(
                key, f"{key} asks for {wrong[0]} disks, but only {len(sweep.disks)} are named"
            )
    count = (
        sweep.passes
        * max(1, len(sweep.backends))
        * len(sweep.levels)
        * max(1, len(sweep.members))
        * max(1, len(sweep.chunks))
    )
    count *= len(sweep.filesystems) * len(sweep.profiles) * len(sweep.caches)
    if count > _MOST:
        raise top.refusal("name", f"these lists make {count} measurements; the limit is {_MOST}")
