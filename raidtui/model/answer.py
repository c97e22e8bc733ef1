"""An answer about the computer is yes, no or unknown. Unknown is never no, and never none."""

from enum import Enum

from raidtui.model.struct import Record


class Truth(Enum):
    """Whether a statement holds. Not a bool: unknown must be asked for by its name."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"  # the tool failed, did not end, or printed what cannot be read

    def __bool__(self) -> bool:
        """Refused: of unknown, neither is right."""
        raise TypeError("compare with YES, NO or UNKNOWN")


class Answer(Record, frozen=True, kw_only=True):
    """Whether a condition holds, and what was found."""

    truth: Truth
    text: str

    @property
    def holds(self) -> bool:
        """It holds for certain."""
        return self.truth is Truth.YES

    @property
    def fails(self) -> bool:
        """It does not hold, for certain."""
        return self.truth is Truth.NO


def yes(text: str) -> Answer:
    """The condition holds."""
    return Answer(truth=Truth.YES, text=text)


def no(text: str) -> Answer:
    """The condition does not hold."""
    return Answer(truth=Truth.NO, text=text)


def unknown(text: str) -> Answer:
    """Nobody can say now; ``text``: why."""
    return Answer(truth=Truth.UNKNOWN, text=text)


def either(holds: bool, text: str) -> Answer:
    """It is known whether the condition holds."""
    return yes(text) if holds else no(text)
