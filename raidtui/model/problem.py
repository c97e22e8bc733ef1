"""What of a computer could not be read."""

from raidtui.model.struct import Record


class Problem(Record, frozen=True, kw_only=True):
    """A part of the computer that could not be read. It is unknown, and the disks that it may concern count as taken."""

    what: str  # a backend, by its word in a spec; or the part: "mounts", "swap"
    text: str  # a sentence: what cannot be read, and why
