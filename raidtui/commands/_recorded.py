"""What acts on this computer is refused with ``--machine``."""

from raidtui.model.errors import Refused


def refuse_recorded(machine: str | None, why: str = "cannot be changed") -> None:
    """Refuse what acts on this computer, not on the recorded one. Raises Refused: ``--machine`` was given."""
    if machine is not None:
        raise Refused(
            f"{machine} is a recorded machine and {why}; run this on that computer, without --machine"
        )
