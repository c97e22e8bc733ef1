"""Options of a spec: what a backend says of those that it has, and what is said of one that it does not have."""

from collections.abc import Mapping
from typing import Final

from raidtui.model.struct import Record


class Option(Record, frozen=True, kw_only=True):
    """What can be chosen with the levels of a backend, beside what every backend has."""

    label: str  # what it is called on a screen, in the backend's words
    help: str  # what it does and when to change it, in three lines of 80 characters
    choices: tuple[str, ...] = ()  # words to choose from, the default first; none where the level says which
    taken: tuple[str, ...] = ()  # words that a spec may have, where these are more than a screen offers


NO_OPTIONS: Final[Mapping[str, Option]] = {}


def not_an_option(key: str, noun: str) -> str:
    """The sentence about a ``key`` of a spec that a unit of this kind, ``noun``, has not."""
    return f"the key {key!r} is of an array, and a {noun} has none; leave it out"
