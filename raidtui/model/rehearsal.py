"""What a rehearsal of a plan showed: the document of ``raidtui rehearse --json``."""

from typing import Final

from raidtui.model.plan import PlanKind
from raidtui.model.spec import Backend
from raidtui.model.struct import Record, Whole

NEVER: Final = "Not rehearsed"
"""What is said of a plan that was never rehearsed."""
NOT_REHEARSED: Final = {
    Backend.MEGARAID: "its firmware does the work, and the lab has no card",
    Backend.ADAPTEC: "its firmware does the work, and the lab has no card",
}
"""The backends whose plans the lab cannot run, and why."""
ONLY_BUILDS: Final = "a recording has no superblocks to copy, so only a build can be rehearsed on it"
"""Why a removal, a replacement or a growth of a recorded machine is not rehearsed."""


class RehearsedStep(Record, frozen=True, kw_only=True):
    """A step of the plan, as it ran in the lab."""

    id: str
    title: str
    seconds: float | None = None  # None: it did not run to its end
    error: str = ""


class Rehearsal(Record, frozen=True, kw_only=True):
    """One rehearsal of a plan on copies of its disks."""

    at: str  # ISO 8601, UTC
    name: str  # of the unit
    fingerprint: str  # of the plan
    seed: str
    kind: PlanKind = PlanKind.BUILD
    passed: bool
    sentence: str = ""  # the first thing that went wrong; empty if it passed
    steps: tuple[RehearsedStep, ...] = ()
    left_out: tuple[str, ...] = ()  # commands of the plan that were not run in the lab
    instead: tuple[str, ...] = ()  # commands that were run in the lab and are not in the plan
    limits: tuple[str, ...] = ()  # what the lab could not have, in sentences
    calculated_bytes: Whole = 0
    usable_bytes: Whole | None = None  # as measured in the lab; None: not known
    after_reboot: bool | None = None  # all is as it should be after a reboot; None: not looked at
    blank: bool = False  # the copies were blank: the disks are those of a recorded machine
    copied_bytes: Whole = 0  # read from the disks
    written_bytes: Whole = 0  # what the copies took in the end
    seconds: float = 0.0

    @property
    def done(self) -> int:
        """How many steps ran to their end."""
        return sum(step.seconds is not None and not step.error for step in self.steps)
