"""The errors of raidtui, each with the exit code that scripts rely on.

The text of every error is one sentence for the user: what is wrong, where, and what would be right.
"""

from typing import ClassVar

from raidtui.model.text import as_sentence


class RaidtuiError(Exception):
    """An error with a sentence for the user; any other exception is a bug."""

    exit_code: ClassVar[int] = 4

    def __init__(self, sentence: str) -> None:
        """``sentence`` may repeat any input: it is made harmless and shortened."""
        super().__init__(as_sentence(sentence))


class BadInput(RaidtuiError):
    """The command line, spec or file cannot be parsed or cannot be built. Nothing was changed."""

    exit_code = 2


class CannotBuild(BadInput):
    """No array can be built from these disks, level and options; the text says why."""


class Refused(RaidtuiError):
    """Possible, but not safe: a disk in use, a wrong serial, a machine that has changed. Nothing was changed."""

    exit_code = 3


class StepFailed(RaidtuiError):
    """A step of a job failed; the journal shows which step, and what remains."""

    exit_code = 4


class ToolMissing(RaidtuiError):
    """A required program is missing or too old; the text says what to install."""

    exit_code = 5
