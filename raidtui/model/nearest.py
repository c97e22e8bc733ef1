"""Suggest the known words closest to a mistyped one."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

_ALIKE: Final = 0.6  # least ratio, 0 to 1, for a word to be suggested
_MOST: Final = 3  # a word as close to more than these is close to none


def nearest(word: str, known: Iterable[str], also: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The ``known`` words closest to ``word``, at most three; none if none is similar, or as many are.

    Args:
        also: names from other tools and the known word each stands for: ``mirror`` is LVM's raid1.
    """
    plain = word.lower().replace("-", "").replace("_", "")
    words = list(map(str, known))
    if also and plain in also and plain not in words:
        return (also[plain],)
    alike = {one: SequenceMatcher(None, one, plain).ratio() for one in words}
    # raidz7 is as close to raidz1 as to raidz3: suggest all that tie.
    best = max(alike.values(), default=0.0)
    near = tuple(one for one, ratio in alike.items() if ratio == best >= _ALIKE)
    return near if len(near) <= _MOST else ()


def either(words: Sequence[str]) -> str:
    """Words to choose from, as a sentence lists them: ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def hint(
    word: str,
    known: Iterable[str],
    otherwise: str = "",
    also: Mapping[str, str] | None = None,
    instead: Mapping[str, str] | None = None,
) -> str:
    """The end of the error for ``word``: the nearest words as a question, or ``otherwise``.

    Args:
        also: see `nearest`.
        instead: words that mean something else, each with its hint.
    """
    if instead and word in instead:
        return f"; {instead[word]}"
    near = nearest(word, known, also)
    return (
        f"; did you mean {either([repr(str(one)) for one in near])}?"
        if near
        else f"; {otherwise}"
        if otherwise
        else ""
    )
