"""Conditions that a plan checks on the machine just before or after a step: one object per kind.

A kind holds everything about a condition in one place: how to check it, its words, its shell function in a plan's
script, and what an interruption means for it. Plans store a condition as data (`Check`).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import ClassVar, Final

from raidtui.model.answer import Answer
from raidtui.model.plan import Check
from raidtui.model.text import harmless

_FUNCTION: Final = re.compile(r"^(\w+)\(\)", re.MULTILINE)

Held = Callable[[str], bool]
"""Returns whether a device is on a disk that this job itself holds open."""


class Condition(ABC):
    """One kind of condition. A subclass sets the words and implements `ask`."""

    kind: ClassVar[str]  # its name in plans
    says: ClassVar[
        str
    ]  # the statement, with {subject}, {expect}, and the {first} word of {expect} and the {rest}
    source: ClassVar[str]  # of the shell function that checks the same, and its helpers
    shell: ClassVar[str]  # its name, if it is not the first; it takes the subject, then the expectation
    helpers: ClassVar[str] = ""  # those that several kinds share, before it
    # Whether the function takes the words of the expectation as separate arguments.
    splits: ClassVar[bool] = True
    can_be_lost: ClassVar[bool] = False  # a reboot or power cut may undo it, so check it again afterwards
    # May seem to hold after a power cut although only half was written.
    can_be_half_true: ClassVar[bool] = False
    # May have held before the step, so it does not prove that the step ran.
    may_be_older: ClassVar[bool] = False
    # A unit is running; a reboot stops it, and its step knows how to start it again.
    runs_unit: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "source" in vars(cls) and "shell" not in vars(cls) and (first := _FUNCTION.search(cls.source)):
            cls.shell = first[1]

    def of(self, subject: str, expect: str = "") -> Check:
        """A check of this kind."""
        return Check(kind=self.kind, subject=subject, expect=expect)

    @abstractmethod
    def ask(self, check: Check, held: Held) -> Answer:
        """Check it now."""

    def ask_all(self, checks: Sequence[Check], held: Held) -> list[Answer]:
        """Check several of this kind; override it if one reading answers all."""
        return [self.ask(check, held) for check in checks]

    def why(self, printed: str) -> str:
        """Why it does not hold, from the output of its step's command; empty if the output does not say.

        For programs whose exit status does not indicate success.
        """
        return ""

    def words(self, check: Check) -> str:
        """The condition as a statement."""
        first, _, rest = check.expect.partition(" ")
        text = self.says.format(
            subject=check.subject, expect=_Word(check.expect), first=_Word(first), rest=_Word(rest)
        )
        return harmless(text)


def conditions_in(*modules: ModuleType) -> tuple[Condition, ...]:
    """Every kind of condition that these modules have, in their order."""
    every = (one for module in modules for one in vars(module).values())
    return tuple(dict.fromkeys(one for one in every if isinstance(one, Condition)))


class _Word(str):
    """A word of a check, which ``:,`` writes as a number if it is one."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return f"{int(self):,}" if spec == "," and self.isdecimal() else str(self)
