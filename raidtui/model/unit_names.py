"""What names a unit: one answer for every backend and command. Pure.

A unit is named by its name, with or without the host that it was made on, its UUID, its node with or without /dev, or
the path that its tool gives it.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from raidtui.model.text import harmless, listed
from raidtui.model.uuids import same_uuid


class HasUnitNames(Protocol):
    """A unit, or what a reader keeps of it."""

    @property
    def name(self) -> str:
        """Its name; empty if it has none."""

    @property
    def full_name(self) -> str:
        """With its host, as its tool shows it: nas:tank."""

    @property
    def node(self) -> str:
        """The kernel's: /dev/md127; empty if it has none."""

    @property
    def path(self) -> str:
        """The path that its tool gives it: /dev/md/tank."""

    @property
    def uuid(self) -> str:
        """Its UUID, in its tool's spelling."""


def shown_name(unit: HasUnitNames) -> str:
    """Its name for people: its node if it has none, or a number alone as mdadm gives /dev/md0."""
    named = unit.name and not (unit.node and unit.name.isdecimal())
    return unit.name if named else unit.node


class Nameable(HasUnitNames, Protocol):
    """A unit that a command may name."""

    @property
    def shown(self) -> str:
        """Its name for people."""

    def is_called(self, word: str) -> bool:
        """Whether ``word`` names it."""


def command_word(unit: Nameable, every: Iterable[Nameable]) -> str:
    """What a command calls ``unit``, one of ``every``: its name; or its UUID, where another has its name or it reads as
    something else. That is an option, or the number of a finding in the list.
    """
    name = unit.shown
    alone = sum(one.is_called(name) for one in every) == 1
    plain = alone and not name.startswith("-") and not name.isdecimal()
    return name if plain or not unit.uuid else unit.uuid


def not_one_called(word: str, found: int, every: Sequence[Nameable], noun: str = "unit") -> str:
    """Why ``word`` is not the name of one unit: ``found`` of ``every`` are called so."""
    if not every:
        return harmless(f"no {noun} is called {word!r}: there is none here")
    named = f"{found} {noun}s are" if found else f"no {noun} is"
    names = [command_word(one, every) for one in every]
    return harmless(f"{named} called {word!r}; the {noun}s here: {listed(names)}")


def is_unit_called(unit: HasUnitNames, word: str, *, given: str = "") -> bool:
    """Whether ``word`` names ``unit``; ``given``: its name in the spec, where the card stores a longer one."""
    names = {unit.name, unit.full_name, given, unit.node, unit.path, unit.node.removeprefix("/dev/")} - {""}
    return word in names or same_uuid(word, unit.uuid)
