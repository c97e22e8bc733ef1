"""The words that somebody meant by one that is not known."""

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Final

_ALIKE: Final = 0.5  # of 1: from here on a word may have been meant


def nearest(word: str, known: Iterable[str], also: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The ``known`` words that ``word`` is nearest to; none if it is like none of them.

    Args:
        also: what other tools call them, and which of the known each is: ``mirror`` is LVM's raid1.
    """
    plain = word.lower().replace("-", "").replace("_", "")
    if also and plain in also:
        return (also[plain],)
    alike = {one: SequenceMatcher(None, one, plain).ratio() for one in map(str, known)}
    # raid7 is as near to raid0 as to raid6: all of the nearest are named.
    best = max(alike.values(), default=0.0)
    return tuple(one for one, ratio in alike.items() if ratio == best >= _ALIKE)


def hint(word: str, known: Iterable[str], otherwise: str = "", also: Mapping[str, str] | None = None) -> str:
    """The end of a sentence that refuses ``word``: the nearest words as a question, or ``otherwise``."""
    near = nearest(word, known, also)
    return (
        f"; did you mean {' or '.join(repr(str(one)) for one in near)}?"
        if near
        else f"; {otherwise}"
        if otherwise
        else ""
    )
