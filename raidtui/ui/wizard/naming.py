"""What a person types to name a disk that is erased, and what is said if it is wrong. Does not load Textual."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.disk_names import SHORTEST, find_called
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import PlannedDisk
from raidtui.model.text import harmless
from raidtui.ui.wizard import disk_words

LONGEST_SHOWN: Final = 18  # maximum characters of a serial number in the message that it does not match

Named = PlannedDisk | Disk
"""A disk of the plan or of the machine."""


def expected_endings(disks: Sequence[PlannedDisk], machine: Machine) -> list[str]:
    """What must be typed for each disk at least: the end of its serial number that names no other disk here.

    If the serial number is shorter than four characters, the end of its WWN, or of its by-id name if it has neither.
    """
    every: tuple[Named, ...] = (*disks, *machine.disks)
    return [_ending(disk, every) for disk in disks]


def whole_name(disk: PlannedDisk) -> str:
    """The name of which the end is typed: the serial number, or the WWN or identity if that is too short."""
    return disk.serial if len(disk.serial) >= SHORTEST else disk.wwn or disk.identity


def _ending(disk: PlannedDisk, every: Sequence[Named]) -> str:
    word = whole_name(disk)
    ends = (word[-length:] for length in range(SHORTEST, len(word)))
    return next((end for end in ends if names(end, disk, every)), word)


def names(typed: str, disk: PlannedDisk, every: Sequence[Named]) -> bool:
    """Whether ``typed`` names ``disk`` and no other of ``every``; see `raidtui.model.disk_names`."""
    found = find_called(typed.strip(), every)
    return bool(found) and all(one.identity == disk.identity for one in found)


def no_match(typed: str, number: int, ending: str) -> str:
    """A phrase: why ``typed`` does not name disk ``number``, from 1, as the ``ending`` of its serial number does."""
    if typed.strip() and ending.lower().endswith(typed.strip().lower()):
        return f"Too short: type the last {len(ending)}"  # another disk's name may end so too
    return f"Doesn't match disk {number} (…{harmless(ending[-LONGEST_SHOWN:])})"


def kind_of_name(disk: PlannedDisk) -> str:
    """What `whole_name` is of it: serial, WWN or id."""
    name = whole_name(disk)
    return "serial" if name == disk.serial else "WWN" if name == disk.wwn else "id"


def lost_on(planned: PlannedDisk, disk: Disk, also: str) -> list[str]:
    """What is lost with a disk, a phrase each; empty for one that is apparently blank.

    ``also``: its part of a unit that is removed.
    """
    lost = [also] if also else []
    if not planned.shares:
        return [*lost, *disk_words.losses(disk)]
    return lost or ["a part of it"]
