"""Options of a spec: how a backend describes the ones it has, and the error for one it does not have."""

from collections.abc import Callable, Mapping
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend
from raidtui.model.struct import Record
from raidtui.model.text import listed, spelled

OF_BACKENDS: Final = ("spares", "chunk", "layout", "metadata", "consistency")
"""Spec keys that not every backend has."""
WHOLE: Final = "whole disk"
"""The word for members that are not partitions."""


class Option(Record, frozen=True, kw_only=True):
    """One option of a backend.

    An option with ``own`` is a key specific to this backend. `Spec.options` keeps its value as text; in a spec file
    it stands beside the other keys.
    """

    label: str  # its name on a screen, in the backend's words
    help: str  # what it does and when to change it, in three lines of 80 characters
    choices: tuple[
        str, ...
    ] = ()  # words to choose from, the default first; empty if they depend on the level
    taken: tuple[str, ...] = ()  # words allowed in a spec, if these are more than a screen offers
    own: Callable[[str], str] | None = None  # returns a value in canonical spelling, or raises BadInput
    default: str = ""  # of an own option; empty: it depends on the disks or the level
    of_level: bool = False  # whether a choice holds for one level and is dropped when another is chosen
    levels: tuple[str, ...] = ()  # the levels that have it; empty: all

    def is_of(self, level: str) -> bool:
        return not self.levels or level in self.levels


def only_whole(options: Mapping[str, Option]) -> bool:
    """Whether members are always whole disks, so that there are no partition options."""
    option = options.get("partition")
    return option is not None and option.choices == (WHOLE,)


NO_OPTIONS: Final[Mapping[str, Option]] = {}


def one_of(*words: str) -> Callable[[str], str]:
    """A function for `Option.own` that accepts only these words."""

    def known(text: str) -> str:
        if text in words:
            return text
        raise BadInput(f"{text!r} is not {' or '.join(words)}")

    return known


def not_an_option(key: str, backend: Backend) -> str:
    """The error for a spec ``key`` that ``backend`` does not have."""
    return f"backend = '{backend}' has no key {key!r}; leave it out"


def own_value(key: str, value: str, options: Mapping[str, Option], *, level: str = "") -> str:
    """The canonical spelling of ``value`` for one of the backend's own options.

    Raises:
        BadInput: there is no such option, ``level`` does not have it, or the value is invalid; the text names the key.
    """
    option = options.get(key)
    if option is None or option.own is None:
        raise BadInput(f"there is no option {key!r}")
    if level and not option.is_of(level):
        raise BadInput(
            f"the key {key!r} is for {spelled(listed(option.levels))}, not {spelled(level)}; leave it out"
        )
    try:
        return option.own(value)
    except BadInput as error:
        raise BadInput(f"{key}: {error}") from error
