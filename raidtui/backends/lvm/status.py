"""What the kernel says of RAID volumes: ``dmsetup status`` of the target ``raid`` (device-mapper/dm-raid.rst).

A sixth of what ``lvs`` costs, with what ``lvs`` leaves out: which leg is dead, and the sectors that are done.
"""

import re
from typing import Final

from raidtui.machine.ask import Ask
from raidtui.model.struct import Record
from raidtui.model.units import SECTOR

_LINE: Final = re.compile(
    r"(?:(?P<name>\S+): )?(?P<start>\d+) (?P<length>\d+) raid (?P<level>[a-z]\w*) (?P<legs>\d+) (?P<letters>[AaD-]+)"
    r" (?P<done>\d+)/(?P<total>\d+)"
    r"(?: (?P<action>[a-z]+) (?P<mismatches>\d+)(?: (?P<offset>\d+)(?: (?P<journal>[AaD-]))?)?)?",
    re.ASCII,
)
_IN_SYNC: Final = "A"
_ALIVE: Final = "a"
_IDLE: Final = "idle"


class RaidStatus(Record, frozen=True, kw_only=True):
    """One RAID volume as the kernel has it now."""

    name: str  # of the device-mapper device, a dash inside the group's or the volume's name doubled
    size_bytes: int
    level: str  # with its layout: raid5_ls, raid6_zr
    letters: str  # one a leg: A in sync, a alive and not in sync, D dead, - not there
    done_bytes: int  # of each leg; of raid10 of the whole volume
    total_bytes: int
    action: str = ""  # idle, resync, recover, check, repair, reshape, frozen; empty before dm-raid 1.5
    mismatches: int = 0  # sectors that the last check found to differ

    @property
    def dead(self) -> tuple[int, ...]:
        """The legs that the volume runs without, from 0."""
        return tuple(place for place, letter in enumerate(self.letters) if letter not in {_IN_SYNC, _ALIVE})

    @property
    def fraction(self) -> float:
        """How much of the running action is done; 1 of a volume that is in sync, also with a leg dead."""
        return min(1.0, self.done_bytes / self.total_bytes) if self.total_bytes else 0.0

    @property
    def settled(self) -> bool:
        """Whether every leg is in sync and nothing runs.

        All four must say so: after its table was loaded anew a first sync calls itself ``repair`` with letters
        ``AAA``, and one that is frozen says ``AAA`` and nothing done.
        """
        all_in_sync = set(self.letters) == {_IN_SYNC}
        return all_in_sync and self.done_bytes == self.total_bytes > 0 and self.action in {_IDLE, ""}


def parse_line(line: str) -> RaidStatus | None:
    """One line of ``dmsetup status``; ``None`` if it is cut off or of another target than ``raid``."""
    found = _LINE.fullmatch(line.strip())
    if found is None or len(found["letters"]) != int(found["legs"]):
        return None
    return RaidStatus(
        name=found["name"] or "",
        size_bytes=int(found["length"]) * SECTOR,
        level=found["level"],
        letters=found["letters"],
        done_bytes=int(found["done"]) * SECTOR,
        total_bytes=int(found["total"]) * SECTOR,
        action=found["action"] or "",
        mismatches=int(found["mismatches"] or 0),
    )


def read_statuses(ask: Ask) -> dict[str, RaidStatus] | None:
    """Every RAID volume by the name of its device; ``None`` where the kernel cannot be asked."""
    answer = ask(["dmsetup", "status", "--target", "raid"])
    if answer.returncode != 0:
        return None
    found = (parse_line(line) for line in answer.stdout.splitlines())
    return {one.name: one for one in found if one is not None}


def device_name(group: str, volume: str) -> str:
    """The name of a logical volume's device: a dash within either name is doubled, one stands between them."""
    return f"{group.replace('-', '--')}-{volume.replace('-', '--')}"
