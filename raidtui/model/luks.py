"""What is left of a LUKS header that was overwritten. Plain data; `raidtui.machine.contents.luks_header` reads it."""

from enum import StrEnum

from raidtui.model.struct import Bytes, Record, Whole


class Left(StrEnum):
    """Which part of it."""

    SECOND = "second"  # of LUKS2: its second header is whole, and the first is not
    MARKS = "marks"  # all but the few bytes by which it is known, as wipefs(8) leaves it
    DESCRIPTION = "description"  # of LUKS2: that of its key slots, without a header
    ENTRIES = "entries"  # of LUKS1: its header, in which the entries of some key slots were overwritten


class LuksLeft(Record, frozen=True, kw_only=True):
    """A LUKS header that cannot be used as it is."""

    version: Whole  # 1 or 2
    left: Left
    at_bytes: Bytes = 0  # where that is on the device
    uuid: str = ""  # of the container; empty if it is not known
    keys: Whole = (
        0  # the key slots over whose area nothing seems to be written: without one, no passphrase opens it
    )
