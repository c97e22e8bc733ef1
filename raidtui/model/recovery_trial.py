"""A recovery trial that is recorded and has not ended. Plain data."""

from typing import Final

from raidtui.model.struct import Record

ARRAYS: Final = "md_raidtui_try"
"""How the kernel names of the arrays begin that a trial puts together, without metadata."""


class RecoveryTrial(Record, frozen=True, kw_only=True):
    """What `raidtui recover` has set on this computer since it was booted, and not taken back: it runs, or was killed."""

    name: str = ""  # of the lost unit
    read_only: tuple[str, ...] = ()  # the devices that it set read-only, as the kernel names them
    kept: bool = False  # its files are mounted for a person
    mounted_at: str = ""
    read: bool = True  # False: there is a record, and it cannot be understood
