"""What has been read of a disk so far: as the journal has it, so that an interrupted burn-in continues from there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from raidtui.advice.burnin import TRIES, Reading
from raidtui.bench.burnin.surface import zone_size
from raidtui.jobs.journal import data_of
from raidtui.model.history import Sectors, SelfTest
from raidtui.model.journal import Entry, Event
from raidtui.model.machine import Disk
from raidtui.model.struct import Record, to_record

SHORT, READ, AGAIN, SECTORS, LONG = "short-test", "read", "again", "sectors", "long-test"
"""The steps of a burn-in, in this order."""


class Noted(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The data of a journal entry: what has just been learned about the disk with this identity."""

    disk: str
    step: str
    rates: dict[str, int] = msgspec.field(default_factory=dict)  # by zone; 0: it could not be read to its end
    faults: tuple[tuple[int, int], ...] = ()  # offset and length of what could not be read
    bad: tuple[Sectors, ...] = ()
    unsteady: tuple[Sectors, ...] = ()
    gave_up: str = ""
    self_test: SelfTest | None = None


@dataclass
class Course:
    """What is known of one disk."""

    disk: Disk
    rates: dict[int, int] = field(default_factory=dict)  # by zone, the best reading
    tries: dict[int, int] = field(default_factory=dict)  # by zone, how often it was read again
    faults: list[tuple[int, int]] = field(default_factory=list)
    bad: tuple[Sectors, ...] = ()
    unsteady: tuple[Sectors, ...] = ()
    narrowed: bool = False  # whether the sectors of the faults are known
    gave_up: str = ""
    self_tests: dict[str, SelfTest] = field(default_factory=dict)  # by kind

    @property
    def zones(self) -> int:
        """How many zones the disk has."""
        return -(-self.disk.size_bytes // zone_size(self.disk.size_bytes))

    @property
    def unread(self) -> list[int]:
        """The zones that were not read yet."""
        return [] if self.gave_up else [zone for zone in range(self.zones) if zone not in self.rates]

    @property
    def reading(self) -> Reading:
        """What the advice compares."""
        return Reading(
            like=f"{self.disk.model} {self.disk.size_bytes}",
            rates=tuple(self.rates.get(zone, 0) for zone in range(self.zones)),
            again=tuple(sorted(self.tries)),
        )

    def may_try(self, zones: Iterable[int]) -> list[int]:
        """Those of ``zones`` that may be read once more."""
        return [] if self.gave_up else [zone for zone in zones if self.tries.get(zone, 0) < TRIES]

    def learn(self, noted: Noted) -> None:
        """Take what was noted."""
        self.gave_up = noted.gave_up or self.gave_up
        self.faults += noted.faults
        for word, rate in noted.rates.items():
            zone = int(word)
            if noted.step == AGAIN:
                self.tries[zone] = self.tries.get(zone, 0) + 1
            self.rates[zone] = max(rate, self.rates.get(zone, 0))
        if noted.self_test is not None:
            self.self_tests[noted.self_test.kind] = noted.self_test
        if noted.step == SECTORS:
            self.bad, self.unsteady, self.narrowed = noted.bad, noted.unsteady, True


def courses_of(disks: Sequence[Disk], entries: Sequence[Entry]) -> dict[str, Course]:
    """What the journal knows of ``disks``, by identity."""
    courses = {disk.identity: Course(disk) for disk in disks}
    for entry in entries:
        if entry.event is Event.CELL:
            noted = to_record(data_of(entry), Noted)
            if noted.disk in courses:
                courses[noted.disk].learn(noted)
    return courses
