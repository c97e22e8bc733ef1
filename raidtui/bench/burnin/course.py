"""What has been read of a disk so far: as the journal has it, so that an interrupted burn-in continues from there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from raidtui.advice.burnin import TRIES, Reading
from raidtui.bench.burnin.surface import blocks_of, zone_size
from raidtui.jobs.journal import data_of
from raidtui.model.history import Sectors, SelfTest
from raidtui.model.journal import BurnInNote, Entry, Event
from raidtui.model.machine import Disk
from raidtui.model.struct import to_record

SHORT, READ, AGAIN, SECTORS = "short-test", "read", "again", "sectors"
WRITE, VERIFY, BLANK, LONG = "write", "verify", "blank", "long-test"
"""The steps of a burn-in, in this order; with a written pass the sectors are looked for once more after it."""


@dataclass
class Course:
    """What is known of one disk."""

    disk: Disk
    rates: dict[int, int] = field(default_factory=dict)  # by zone, the best reading
    tries: dict[int, int] = field(default_factory=dict)  # by zone, how often it was read again
    done: dict[str, set[int]] = field(default_factory=dict)  # by step of the written pass, the zones
    faults: list[tuple[int, int]] = field(default_factory=list)  # whose sectors are not known yet
    fault_blocks: int = 0  # all that were found
    unwritten: list[tuple[int, int]] = field(default_factory=list)
    differs: list[int] = field(default_factory=list)
    bad: tuple[Sectors, ...] = ()
    unsteady: tuple[Sectors, ...] = ()
    gave_up: str = ""
    self_tests: dict[str, SelfTest] = field(default_factory=dict)  # by kind

    @property
    def zones(self) -> int:
        """How many zones the disk has."""
        return -(-self.disk.size_bytes // zone_size(self.disk.size_bytes))

    def left(self, step: str) -> list[int]:
        """The zones with which ``step`` was not done yet."""
        done = self.rates.keys() if step == READ else self.done.get(step, set())
        return [] if self.gave_up else [zone for zone in range(self.zones) if zone not in done]

    def share(self, step: str) -> float:
        """How much of the disk ``step`` has done, from 0 to 1."""
        return len(self.rates if step == READ else self.done.get(step, ())) / self.zones

    @property
    def is_dirty(self) -> bool:
        """Whether test data is on it, which the burn-in has not replaced by zeros."""
        return WRITE in self.done and len(self.done.get(BLANK, ())) < self.zones

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

    def learn(self, noted: BurnInNote) -> None:
        """Take what was noted."""
        self.gave_up = noted.gave_up or self.gave_up
        self.differs += noted.differs
        (self.unwritten if noted.step in {WRITE, BLANK} else self.faults).extend(noted.faults)
        self.fault_blocks += len(list(blocks_of(noted.faults))) + len(noted.differs)
        if noted.step in {READ, AGAIN}:
            self._read(noted)
        else:
            self.done.setdefault(noted.step, set()).update(map(int, noted.rates))
        if noted.self_test is not None:
            self.self_tests[noted.self_test.kind] = noted.self_test
        if noted.step == SECTORS:
            self.bad, self.unsteady = (*self.bad, *noted.bad), (*self.unsteady, *noted.unsteady)
            self.faults.clear()

    def _read(self, noted: BurnInNote) -> None:
        for word, rate in noted.rates.items():
            zone = int(word)
            if noted.step == AGAIN:
                self.tries[zone] = self.tries.get(zone, 0) + 1
            self.rates[zone] = max(rate, self.rates.get(zone, 0))


def courses_of(disks: Sequence[Disk], entries: Sequence[Entry]) -> dict[str, Course]:
    """What the journal knows of ``disks``, by identity."""
    courses = {disk.identity: Course(disk) for disk in disks}
    for entry in entries:
        if entry.event is Event.CELL:
            noted = to_record(data_of(entry), BurnInNote)
            if noted.disk in courses:
                courses[noted.disk].learn(noted)
    return courses
