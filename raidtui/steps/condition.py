"""A condition that a plan asks of the machine just before or just after a step: one object a kind.

A kind is everything about such a condition in one place: how it is asked, how it is said, how it is written in a
plan's shell script, and what an interruption means for it. Plans carry it as data (`Check`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from raidtui.model.plan import Check
from raidtui.model.struct import Record
from raidtui.model.text import harmless


class Answer(Record, frozen=True, kw_only=True):
    """Whether a condition holds, and what was seen."""

    holds: bool
    text: str


Held = Callable[[str], bool]
"""Whether a device is on a disk that the asking job holds itself."""


class Condition(ABC):
    """One kind of condition. A subclass sets what is said of it, and `ask`s the machine."""

    kind: ClassVar[str]  # as plans store it
    says: ClassVar[str]  # with {subject}, {expect}, and its {first} word and the {rest}
    shell: ClassVar[str]  # the function of a script that asks the same: subject, then what is expected
    source: ClassVar[str]  # of that function, and of those that only it calls
    splits: ClassVar[bool] = True  # whether the function takes the words of what is expected one by one
    can_be_lost: ClassVar[bool] = False  # a reboot or a power cut takes it back: asked again after one
    can_be_half_true: ClassVar[bool] = (
        False  # may look so after a power cut, and not be: half of it was written
    )
    may_be_older: ClassVar[bool] = False  # may have been so before the step, and says nothing about it
    runs_unit: ClassVar[bool] = (
        False  # something runs: a reboot stopped it, and its step knows how to start it
    )

    def of(self, subject: str, expect: str = "") -> Check:
        """The condition about one thing."""
        return Check(kind=self.kind, subject=subject, expect=expect)

    @abstractmethod
    def ask(self, check: Check, held: Held) -> Answer:
        """Whether it is so now."""

    def ask_all(self, checks: Sequence[Check], held: Held) -> list[Answer]:
        """The answers to several of this kind; for kinds where one look answers all."""
        return [self.ask(check, held) for check in checks]

    def why(self, printed: str) -> str:
        """What a command of its step ``printed`` about why it does not hold; empty where that says nothing.

        For programs whose exit status does not say whether they did it.
        """
        return ""

    def words(self, check: Check) -> str:
        """It as a statement."""
        first, _, rest = check.expect.partition(" ")
        text = self.says.format(subject=check.subject, expect=check.expect, first=first, rest=rest)
        return harmless(text)


def yes(text: str) -> Answer:
    """It holds."""
    return Answer(holds=True, text=text)


def no(text: str) -> Answer:
    """It does not hold."""
    return Answer(holds=False, text=text)


def unknown(path: str, problem: str) -> Answer:
    """What cannot be found out does not hold."""
    return no(f"cannot read what is on {path}: {problem}")
