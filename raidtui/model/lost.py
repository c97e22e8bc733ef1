"""A member that has disappeared from its unit."""

from raidtui.model.struct import Record


class LostMember(Record, frozen=True, kw_only=True):
    """A member that has disappeared from its unit, as recorded in the journal of units."""

    path: str  # its device node when last seen: /dev/sdb1
    disk: str  # the identity of the whole disk
    model: str = ""
    place: str = ""  # where it was connected: "ata3", the slot of an enclosure
    slot: int | None = None  # None for a spare, or a member that had failed
    state: tuple[str, ...] = ()  # its last state: faulty, write error
    noticed: str = ""  # when it was found to be missing, ISO 8601, UTC
    here: str = ""  # the node of its disk, if that is connected now: /dev/sdb
