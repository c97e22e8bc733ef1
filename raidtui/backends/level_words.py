"""The names of levels: those of given backends, and hints for other words."""

from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.backends.registry import FOLDERS, backend
from raidtui.model.errors import BadInput
from raidtui.model.nearest import hint
from raidtui.model.spec import Backend
from raidtui.model.struct import Record
from raidtui.model.text import listed

_FEW: Final = 10  # words that are named all


class LevelWords(Record, frozen=True, kw_only=True):
    """The names of the levels of some backends, and hints for other words."""

    known: tuple[str, ...]
    also: dict[str, str]  # names in other tools, each with ours: ``mirror`` is raid1
    instead: dict[str, str]  # other words, each with the hint of its error


def level_words(of: Sequence[Backend]) -> LevelWords:
    """The names of the levels of the backends ``of``, in order, each once."""
    levels = [level for name in of for level in backend(name).levels.values()]
    known = tuple(dict.fromkeys(level.name for level in levels))
    also = {word: level.name for level in reversed(levels) for word in level.also}
    replaced = {word: why for level in levels for word, why in level.replaces.items()}
    return LevelWords(known=known, also=also, instead=_elsewhere(known, also) | replaced)


def check_level(word: str, of: Sequence[Backend]) -> None:
    """Check that ``word``, the value of ``--level``, is a level of one of the backends ``of``. Raises BadInput: it is none."""
    levels = level_words(of)
    if word not in levels.known:
        otherwise = f"valid values: {', '.join(levels.known)}"
        near = hint(word, levels.known, otherwise, levels.also, levels.instead)
        raise BadInput(f"--level: {word!r} is not a level that can be here{near}")


def _elsewhere(known: Sequence[str], also: Mapping[str, str]) -> dict[str, str]:
    """The names of levels that only other backends have, each with a hint that names those backends."""
    found: dict[str, list[Backend]] = {}
    for name in FOLDERS:
        for word in backend(name).levels:
            if word not in known and word not in also:
                found.setdefault(word, []).append(name)
    own = f"; valid values here: {', '.join(known)}" if len(known) <= _FEW else ""
    return {word: f"it is a level of {listed(those)}{own}" for word, those in found.items()}
