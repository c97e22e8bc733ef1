"""Options of a spec: what a backend says of those that it has, and what is said of one that it does not have."""

from collections.abc import Callable, Mapping
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend
from raidtui.model.struct import Record

OF_BACKENDS: Final = ("spares", "chunk", "layout", "metadata", "consistency")
"""Keys of a spec that not every backend has."""
WHOLE: Final = "whole disk"
"""The word for members that are not partitions."""


class Option(Record, frozen=True, kw_only=True):
    """What can be chosen with the levels of a backend, beside what every backend has.

    One with ``own`` is a key that only this backend knows: a spec keeps its value, as text, in ``options``, and a
    spec file has it beside the other keys.
    """

    label: str  # what it is called on a screen, in the backend's words
    help: str  # what it does and when to change it, in three lines of 80 characters
    choices: tuple[str, ...] = ()  # words to choose from, the default first; none where the level says which
    taken: tuple[str, ...] = ()  # words that a spec may have, where these are more than a screen offers
    own: Callable[[str], str] | None = (
        None  # brings a value into the one spelling that it has, or raises BadInput
    )
    default: str = ""  # of one that is own; empty: it comes from the disks or the level
    of_level: bool = False  # whether an answer was about one level, and is left open when another is chosen
    levels: tuple[str, ...] = ()  # that it is of; empty: of all

    def is_of(self, level: str) -> bool:
        """Whether it can be chosen with ``level``."""
        return not self.levels or level in self.levels


def only_whole(options: Mapping[str, Option]) -> bool:
    """Whether members are always whole disks, so that nothing of partitions can be chosen."""
    option = options.get("partition")
    return option is not None and option.choices == (WHOLE,)


NO_OPTIONS: Final[Mapping[str, Option]] = {}


def one_of(*words: str) -> Callable[[str], str]:
    """Takes one of these words, for `Option.own`."""

    def known(text: str) -> str:
        if text in words:
            return text
        raise BadInput(f"{text!r} is not {' or '.join(words)}")

    return known


def not_an_option(key: str, backend: Backend) -> str:
    """The sentence about a ``key`` of a spec that ``backend`` does not have."""
    return f"backend = '{backend}' has no key {key!r}; leave it out"


def own_value(key: str, value: str, options: Mapping[str, Option]) -> str:
    """``value`` of an own option in its one spelling.

    Raises:
        BadInput: it is none; the sentence names the key.
    """
    option = options.get(key)
    if option is None or option.own is None:
        raise BadInput(f"there is no option {key!r}")
    try:
        return option.own(value)
    except BadInput as error:
        raise BadInput(f"{key}: {error}") from error
