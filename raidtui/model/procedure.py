"""What raidtui does about a finding, with its arguments: each is made into a plan. Plain data; a job's request holds it."""

from raidtui.model.struct import Record


class Replace(Record, frozen=True, kw_only=True, tag="replace"):
    """Which disk is replaced with which."""

    old: str  # identity of the disk; empty if it is gone and not known
    new: str  # identity of the disk that takes its place
    missing_from: tuple[
        str, ...
    ] = ()  # UUIDs of the units that lost it, as far as the journal of units knows


class ReAdd(Record, frozen=True, kw_only=True, tag="re-add"):
    """A former member returns to its slot."""

    unit: str  # UUID
    disk: str  # identity of the disk that it is on


class Start(Record, frozen=True, kw_only=True, tag="start"):
    """A unit that is not started is assembled from every member that is here and up to date, and started."""

    unit: str  # UUID
    degraded: bool = False  # without the members that are missing: a person chose that


class RemoveFailed(Record, frozen=True, kw_only=True, tag="remove-failed"):
    """Failed members leave their unit, and no longer keep their disks in use."""

    unit: str  # UUID


Procedure = Replace | ReAdd | Start | RemoveFailed
"""One of them."""


def word_of(procedure: Procedure) -> str:
    """How the command line names it: "re-add", "start-degraded"."""
    match procedure:
        case Replace():
            return "replace"
        case ReAdd():
            return "re-add"
        case Start(degraded=degraded):
            return "start-degraded" if degraded else "start"
        case RemoveFailed():
            return "remove-failed"


def is_choice(procedure: Procedure) -> bool:
    """Whether it is done only if it is named: it is not the first thing to try."""
    return isinstance(procedure, Start) and procedure.degraded
