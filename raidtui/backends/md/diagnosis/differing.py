"""What a check found in an array: members that do not agree. Pure."""

from collections.abc import Iterator

from raidtui.backends.care import about_mismatches
from raidtui.backends.md.states import has_copies, mismatches
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array
from raidtui.model.procedure import Recover


def differing(array: Array) -> Iterator[Remedy]:
    """What a mismatch means depends on the level: copies may differ without harm, parity may not."""
    if not mismatches(array) or array.sync is not None:
        return
    copies = has_copies(array)
    if copies and any(one.type == "swap" for one in array.signatures):
        return  # pages change while they are written; nothing reads the difference
    again, repair = about_mismatches(array.uuid, copies=copies)
    if len({one.offset_bytes for one in array.members if one.slot is not None}) > 1:
        # md takes the member that missed the last superblock of a reshape with the offset of before (measured on 6.1).
        yield Remedy(
            text="look for its files with each of its members left out: the data of one begins elsewhere. A power cut as a reshape "
            "ended leaves it so, and a repair would make wrong data permanent",
            procedure=Recover(unit=array.uuid),
        )
        yield again
        return
    yield from (again, repair)
