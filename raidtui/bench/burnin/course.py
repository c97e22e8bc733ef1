"""What has been read of a disk so far: as the journal has it, so that an interrupted burn-in continues from there."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from raidtui.advice.burnin import TRIES, Reading
from raidtui.bench.burnin.surface import blocks_of, zone_size
from raidtui.jobs.journal import data_of
from raidtui.model.history import Sectors, SelfTest
from raidtui.model.journal import BurnInNote, BurnInRequest, Entry, Event
from raidtui.model.machine import Disk
from raidtui.model.struct import Record, to_record

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


_WHOLE: Final = frozenset({READ, WRITE, VERIFY, BLANK})  # steps that go over the whole disk


class DiskProgress(Record, frozen=True, kw_only=True):
    """How far one disk is in the current step."""

    share: float | None = None  # of the disk, or of its self-test; None: not known in this step
    bytes_per_second: float | None = None  # of the last zones
    left_seconds: float | None = None  # of this step, at that speed
    rates: tuple[int, ...] = ()  # of each zone read so far; 0: not known
    gave_up: str = ""


class BurnInProgress(Record, frozen=True, kw_only=True):
    """How far all of it is."""

    step: str = ""  # empty before the first
    disks: dict[str, DiskProgress]  # by identity

    @property
    def share(self) -> float:
        """Of the current step, from 0 to 1."""
        known = [one.share for one in self.disks.values() if one.share is not None]
        return sum(known) / len(known) if known else 0.0

    @property
    def left_seconds(self) -> float | None:
        """Until the slowest disk is done with the current step; None if that is not known."""
        return max(
            (one.left_seconds for one in self.disks.values() if one.left_seconds is not None), default=None
        )


def progress_of(request: BurnInRequest, entries: Sequence[Entry]) -> BurnInProgress:
    steps = [one.step for one in entries if one.event is Event.STEP]
    step = steps[-1] if steps else ""
    noted: defaultdict[str, list[BurnInNote]] = defaultdict(list)
    for entry in entries:
        if entry.event is Event.CELL:
            one = to_record(data_of(entry), BurnInNote)
            noted[one.disk].append(one)
    sizes = zip(request.disks, request.sizes, strict=False)
    return BurnInProgress(step=step, disks={disk: _of_disk(size, step, noted[disk]) for disk, size in sizes})


def _of_disk(size: int, step: str, noted: Sequence[BurnInNote]) -> DiskProgress:
    length = zone_size(size)
    zones = -(-size // length)
    rates = [0] * zones
    for one in noted:
        for word, rate in one.rates.items() if one.step not in {WRITE, VERIFY, BLANK} else ():
            if 0 <= int(word) < zones:
                rates[int(word)] = max(rate, rates[int(word)])
    gave_up = next((one.gave_up for one in noted if one.gave_up), "")
    if step not in _WHOLE:
        left_percent = [one.test_left for one in noted if one.step == step and one.test_left is not None]
        tested = any(one.step == step and one.self_test is not None for one in noted)
        share = 1.0 if tested else 1 - left_percent[-1] / 100 if left_percent else None
        return DiskProgress(share=share, rates=tuple(rates), gave_up=gave_up)
    own = [one for one in noted if one.step == step and one.rates]
    done = len({zone for one in own for zone in one.rates})
    last = [rate for rate in (own[-1].rates.values() if own else ()) if rate]
    speed = sum(last) / len(last) if last else None
    left = (zones - done) * length / speed if speed and not gave_up else None
    return DiskProgress(
        share=done / zones,
        bytes_per_second=speed,
        left_seconds=0.0 if done == zones else left,
        rates=tuple(rates),
        gave_up=gave_up,
    )
