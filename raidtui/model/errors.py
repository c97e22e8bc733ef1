"""What can go wrong, in four kinds, each with the exit code that scripts rely on.

The text of every error is one sentence for a person: what is wrong, where, and what would be right.
"""

from typing import ClassVar


class RaidtuiError(Exception):
    """An error with a sentence for the user; anything else that is raised is a bug."""

    exit_code: ClassVar[int] = 4


class BadInput(RaidtuiError):
    """A command line, spec or file that cannot be understood or cannot be built. Nothing was changed."""

    exit_code = 2


class CannotBuild(BadInput):
    """These disks, level and options do not make an array; the text says why."""


class Refused(RaidtuiError):
    """Possible, but not safe: a taken disk, a wrong serial, a machine that moved. Nothing was changed."""

    exit_code = 3


class StepFailed(RaidtuiError):
    """A step of a job failed; the journal says which, and what is left."""

    exit_code = 4


class ToolMissing(RaidtuiError):
    """A program that is needed is absent or too old; the text says what to install."""

    exit_code = 5
