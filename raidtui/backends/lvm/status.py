"""The kernel's status of RAID volumes: ``dmsetup status`` of the target ``raid`` (device-mapper/dm-raid.rst).

It takes a sixth of the time of ``lvs`` and has what ``lvs`` lacks: which leg is dead, and the sectors done.
"""

import re
from typing import Final

from raidtui.machine.ask import Ask
from raidtui.model.struct import Bytes, Record, Whole
from raidtui.model.units import SECTOR

_LINE: Final = re.compile(
    r"(?:(?P<name>\S+): )?(?P<start>\d{1,19}) (?P<length>\d{1,19}) raid (?P<level>[a-z]\w*) (?P<legs>\d{1,19}) (?P<letters>[AaD-]+)"
    r" (?P<done>\d{1,19})/(?P<total>\d{1,19})"
    r"(?: (?P<action>[a-z]+) (?P<mismatches>\d{1,19})(?: (?P<offset>\d{1,19})(?: (?P<journal>[AaD-]))?)?)?",
    re.ASCII,
)
# What has a snapshot lies on a device of its own: tank-data on tank-data-real. A dash inside a name is doubled.
_OF_ORIGIN: Final = re.compile(r"^(?P<volume>(?:[^-]|--)+-(?:[^-]|--)+)-real$")
_IN_SYNC: Final = "A"
_ALIVE: Final = "a"
_IDLE: Final = "idle"
FROZEN: Final = "frozen"
"""The action of a volume that starts no sync, whatever it lacks, until it gets the message ``idle``."""


class RaidStatus(Record, frozen=True, kw_only=True):
    """The current status of one RAID volume."""

    name: str  # of the device-mapper device: dashes inside the group's or the volume's name are doubled
    size_bytes: Bytes
    level: str  # with its layout: raid5_ls, raid6_zr
    letters: str  # one per leg: A in sync, a alive and not in sync, D dead, - missing
    done_bytes: Bytes  # per leg; for raid10 of the whole volume
    total_bytes: Bytes
    action: str = ""  # idle, resync, recover, check, repair, reshape, frozen; empty before dm-raid 1.5
    mismatches: Whole = 0  # sectors that differed in the last check

    @property
    def dead(self) -> tuple[int, ...]:
        """The dead or missing legs, counted from 0."""
        return tuple(place for place, letter in enumerate(self.letters) if letter not in {_IN_SYNC, _ALIVE})

    @property
    def fraction(self) -> float:
        """How much of the running action is done; 1 for a volume in sync, even with a dead leg."""
        return min(1.0, self.done_bytes / self.total_bytes) if self.total_bytes else 0.0

    @property
    def settled(self) -> bool:
        """Whether every leg is in sync and nothing is running.

        No single field is enough: after a table reload, an initial sync reports ``repair`` with letters ``AAA``, and
        a frozen one reports ``AAA`` with nothing done.
        """
        all_in_sync = set(self.letters) == {_IN_SYNC}
        return all_in_sync and self.done_bytes == self.total_bytes > 0 and self.action in {_IDLE, ""}


def parse_line(line: str) -> RaidStatus | None:
    """Parse one line of ``dmsetup status``; ``None`` if it is truncated or not of the target ``raid``."""
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
    """Every RAID volume by the device name of its logical volume; ``None`` if dmsetup fails."""
    answer = ask(["dmsetup", "status", "--target", "raid"])
    if answer.returncode != 0:
        return None
    found = (parse_line(line) for line in answer.stdout.splitlines())
    return {_OF_ORIGIN.sub(r"\g<volume>", one.name): one for one in found if one is not None}


def device_name(group: str, volume: str) -> str:
    """The device name of a logical volume: both names joined by a dash, dashes inside them doubled."""
    return f"{group.replace('-', '--')}-{volume.replace('-', '--')}"
