"""What acts on this computer is refused with ``--machine``."""

from raidtui.model.errors import Refused


def refuse_recorded(machine: str | None, why: str = "cannot be changed", *, rehearsed: bool = False) -> None:
    """Refuse what acts on this computer, not on the recorded one. Raises Refused: ``--machine`` was given.

    Args:
        rehearsed: what is on the disks would be copied, and nothing changed.
    """
    if machine is not None:
        why = "has no superblocks to copy, so only a build can be rehearsed on it" if rehearsed else why
        raise Refused(
            f"{machine} is a recorded machine and {why}; run this on that computer, without --machine"
        )
