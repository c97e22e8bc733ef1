"""A partition table as it was before it was overwritten, as far as what is left of it and the members say. Plain data."""

from raidtui.model.struct import Bytes, Count, Record, Whole


class PartBefore(Record, frozen=True, kw_only=True):
    """A partition of it, and what is on it."""

    number: Count = 1
    start_bytes: Bytes
    size_bytes: Bytes
    type: str = ""  # GPT type GUID, lower case; empty: not known
    uuid: str = ""  # PARTUUID; empty: not known
    name: str = ""
    attributes: tuple[Count, ...] = ()  # the bits that are set: 2 for one that old firmware boots from
    kind: str = ""  # what begins there, libblkid's name: linux_raid_member; empty: nothing that is known
    holds: str = ""  # the UUID of that
    digest: str = ""  # SHA-256 of its first and last MiB


class TableBefore(Record, frozen=True, kw_only=True):
    """All of it."""

    copied: bool = False  # from the intact copy of a GPT; else from the one member that was found
    label: str = "gpt"  # sfdisk's word for its kind
    uuid: str = ""  # of the table; empty: not known
    first: Whole = 0  # sector that a partition can begin with; 0: not known
    last: Whole = 0  # sector that one can end with
    entries: Whole = 0  # that it has room for
    parts: tuple[PartBefore, ...] = ()
    unsure: str = (
        ""  # why it is not certain that it was like this, or can be written: a sentence without its full stop
    )
