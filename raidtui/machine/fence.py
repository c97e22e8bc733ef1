"""Keep a fault of one reader to itself: what it should have read becomes unknown, with a sentence that says why."""

import os
import traceback
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Claim, ClaimKind, Disk, Weight
from raidtui.model.problem import Problem

T = TypeVar("T")
D = TypeVar("D")


class Fence:
    """Calls readers, and collects a problem for each that fails."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read(self, what: str, called: str, read: Callable[[], T], default: D) -> T | D:
        """The result of ``read``; ``default`` if it fails.

        Args:
            what: the part that it reads, for `Problem.what`.
            called: the same for people: "the mounts", "ZFS".
        """
        try:
            return read()
        # Readers parse what tools and the kernel print on any computer: whatever is wrong there, the others go on.
        except Exception as error:
            self.problems.append(Problem(what=what, text=f"{called} cannot be read: {_why(error)}"))
            return default


def _why(error: Exception) -> str:
    """The sentence of our own errors; of a bug its kind and place, for the report."""
    if isinstance(error, RaidtuiError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {os.path.basename(place.filename)}, line {place.lineno} ({error})"


def taken_by_unknown(disk: Disk, problems: Sequence[Problem]) -> Disk:
    """``disk`` as taken by what could not be read."""
    claims = tuple(
        Claim(
            what=ClaimKind.UNREAD,
            weight=Weight.BUSY,
            device=disk.path,
            detail=f"it may be in use: {problem.text}",
            how_to_free="'raidtui doctor' lists what cannot be read; repair that first",
        )
        for problem in problems
    )
    return msgspec.structs.replace(disk, taken_by=(*claims, *disk.taken_by), free=disk.free and not claims)
