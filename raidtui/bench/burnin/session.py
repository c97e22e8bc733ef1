"""A burn-in, in the process of its job: read the disks side by side, read again what is doubtful, and judge.

Everything learned is in the journal before the next command of that disk starts, so it can be interrupted at any time.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from raidtui.advice.burnin import doubtful, grown, verdict
from raidtui.backends.reading import read_whole
from raidtui.bench.burnin.children import Command, Ran, Work, run_all
from raidtui.bench.burnin.course import (
    AGAIN,
    BLANK,
    LONG,
    READ,
    SECTORS,
    SHORT,
    VERIFY,
    WRITE,
    Course,
    courses_of,
)
from raidtui.bench.burnin.disks import check_to_write, disks_to_read
from raidtui.bench.burnin.results import as_sectors, results_of
from raidtui.bench.burnin.self_tests import Kind, has_self_tests, self_test
from raidtui.bench.burnin.surface import (
    MOST_FAULTS,
    Faults,
    Pass,
    Piece,
    blocks_of,
    fio_argv,
    pieces_of,
    rates_of,
    zone_size,
)
from raidtui.bench.fio import MINIMUM
from raidtui.bench.stop import Cancelled, StopRequests
from raidtui.jobs.disk_locks import lock_disk
from raidtui.jobs.ending import record_start, to_the_end, words_of
from raidtui.jobs.guard import check_same_disks, check_same_signatures
from raidtui.jobs.holding import Holding, locked_disk, opened_disk
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.store import read_confirmed_machine, read_request
from raidtui.machine.ask import ask_patiently
from raidtui.machine.contents.signatures import probe
from raidtui.machine.disks import disks_here
from raidtui.machine.history import HistoryFile
from raidtui.machine.smart import read_smart
from raidtui.machine.tools import find_tool, require
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput, RaidtuiError, StepFailed
from raidtui.model.history import SelfTest
from raidtui.model.journal import BurnInNote, BurnInRequest, Event, Outcome
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.units import GIB, duration, millions

_MOST_AT_ONCE: Final = 10  # zones of one fio: starting it takes a second on a slow processor
_BYTES_AT_ONCE: Final = 16 * GIB  # about two minutes: what is lost by an interruption
_DONE: Final = {READ: "read", WRITE: "written", VERIFY: "compared", BLANK: "zeroed"}
_NARROWED: Final = 100  # blocks whose single sectors are looked for; the rest stay whole
_FOUND: Final = StepFailed.exit_code  # a disk is not as it should be
_TENTHS: Final = 10


def run_burn_in(folder: Path) -> int:
    """Run, or continue, the burn-in of the job in ``folder``; return its exit code, 4 if a disk is not well."""
    earlier = read_journal(folder)
    with Journal(folder) as journal, StopRequests() as stop:
        record_start(journal, "resume" if earlier else "run")
        return to_the_end(
            journal,
            lambda: (Outcome.DONE, *_Session(folder, journal, stop).run()),
            canceled=Cancelled,
            said=f"canceled; 'raidtui resume {folder.name}' continues from here",
        )


class _Session:
    """One run of a burn-in."""

    def __init__(self, folder: Path, journal: Journal, stop: StopRequests) -> None:
        self._folder = folder
        self._journal = journal
        self._stop = stop
        job = read_request(folder)
        if job.burn_in is None:
            raise BadInput(f"the job {job.id} is not a burn-in")
        self._request: BurnInRequest = job.burn_in
        self._begun = job.created
        self._program = require("fio", MINIMUM)
        self._files: dict[str, int] = {}  # descriptors of the disks, by identity
        self._courses: dict[str, Course] = {}

    def run(self) -> tuple[str, int]:
        """Do what is left of it; return a sentence about every disk, and the exit code."""
        disks, gone = self._disks(read_whole(smart=False))
        self._courses = courses_of((*disks, *gone), read_journal(self._folder))
        for disk in gone:
            if not self._courses[disk.identity].gave_up:
                self._note(BurnInNote(disk=disk.identity, step=READ, gave_up="it is not connected any more"))
        with ExitStack() as stack:
            for disk in sorted(disks, key=lambda one: one.identity):
                stack.enter_context(lock_disk(disk.identity))
            holding = Holding(disks, own=tuple)
            stack.callback(holding.release_all)
            holding.hold_all()
            if self._request.writes:
                # Detect changes between the reading and these handles; from here on there can be none.
                check_same_disks(disks, disks_here())
                check_same_signatures(disks, probe)
            for disk in disks:
                # Closing it after it was written would make udev probe the disk: fio is started often.
                file = locked_disk(disk) if self._request.writes else opened_disk(disk, os.O_RDONLY)
                stack.callback(os.close, file)
                self._files[disk.identity] = file
            self._all_steps()
        return self._judge()

    def _all_steps(self) -> None:
        what = count_of(self._courses, "disk")
        self._self_tests(SHORT, "short")
        self._step(READ, f"Read all of {what}", self._pass(READ, Pass.READ))
        self._step(AGAIN, "Read again what was slow", self._read_again)
        self._step(SECTORS, "Find the sectors that cannot be read", self._narrow)
        if self._request.writes:
            self._step(WRITE, f"Write all of {what}", self._pass(WRITE, Pass.WRITE))
            self._step(VERIFY, "Read it and compare", self._pass(VERIFY, Pass.VERIFY))
            self._step(SECTORS, "Find the sectors that cannot be read", self._narrow)
            self._step(BLANK, "Write zeros: the disks are blank again", self._pass(BLANK, Pass.BLANK))
        self._self_tests(LONG, "long")

    def _disks(self, live: Machine) -> tuple[tuple[Disk, ...], tuple[Disk, ...]]:
        """The disks that are here, and those that are gone, as they were."""
        before = [read_confirmed_machine(self._folder).disk(word) for word in self._request.disks]
        here = {disk.identity: disk for disk in live.disks}
        gone = tuple(disk for disk in before if disk.identity not in here)
        left = [disk.identity for disk in before if disk.identity in here]
        disks = disks_to_read(left, live) if left else ()
        if self._request.writes:
            entries = read_journal(self._folder)
            begun = any(one.event is Event.STEP and one.step == WRITE for one in entries)
            named = before if begun else list(disks)
            check_to_write(named, read_request(self._folder).erase, live, begun=begun)
        for old in before:
            new = here.get(old.identity, old)
            if (new.size_bytes, new.model) != (old.size_bytes, old.model):
                raise BadInput(f"{harmless(old.identity)} is another disk now: its size or model has changed")
        return disks, gone

    def _step(self, step: str, title: str, works: Callable[[], Mapping[str, Work]]) -> None:
        """Do one step on all disks at the same time, if anything is left to do."""
        self._journal.append(Event.STEP, step=step, text=title)
        while found := works():
            names = {f"disk-{place}": work for place, work in enumerate(found.values())}
            run_all(
                names,
                self._folder / "fio",
                stop=self._stop,
                patience_seconds=self._request.patience_seconds,
            )
        self._journal.append(Event.STEP_DONE, step=step)

    def _self_tests(self, step: str, kind: Kind) -> None:
        """Run that self-test on every disk that has them."""
        program = find_tool("smartctl")
        wanted = [one for one in self._courses.values() if has_self_tests(one.disk) and not one.gave_up]
        if not self._request.self_tests or not wanted:
            return
        if program is None:
            self._journal.append(
                Event.NOTE, text="smartctl (package smartmontools) is missing: no self-tests"
            )
            return

        def work(course: Course) -> Work:
            def learned(found: SelfTest) -> None:
                self._note(BurnInNote(disk=course.disk.identity, step=step, self_test=found))

            def waits(left: int) -> None:
                self._note(BurnInNote(disk=course.disk.identity, step=step, test_left=left))

            return self_test(course.disk, kind, program, learned, waits)

        self._step(
            step,
            f"Run the {kind} self-test of {count_of(wanted, 'disk')}",
            lambda: {one.disk.identity: work(one) for one in wanted if kind not in one.self_tests},
        )

    def _pass(self, step: str, what: Pass) -> Callable[[], dict[str, Work]]:
        """The works of a step that does the same with all zones."""
        return lambda: {
            name: self._zones(course, zones, step, what)
            for name, course in self._courses.items()
            if (zones := course.left(step))
        }

    def _read_again(self) -> dict[str, Work]:
        courses = list(self._courses.values())
        wanted = [
            course.may_try(zones)
            for course, zones in zip(courses, doubtful([one.reading for one in courses]), strict=True)
        ]
        return {
            course.disk.identity: self._zones(course, zones, AGAIN, Pass.READ)
            for course, zones in zip(courses, wanted, strict=True)
            if zones
        }

    def _narrow(self) -> dict[str, Work]:
        return {
            name: self._sectors(course)
            for name, course in self._courses.items()
            if course.faults and not course.gave_up
        }

    def _zones(self, course: Course, zones: Sequence[int], step: str, what: Pass) -> Work:
        """Read or write ``zones`` of a disk, some with each command."""
        size = course.disk.size_bytes
        count = max(1, min(_MOST_AT_ONCE, _BYTES_AT_ONCE // zone_size(size)))
        for begin in range(0, len(zones), count):
            batch = zones[begin : begin + count]
            pieces = list(pieces_of(batch, size))
            ran = yield self._command(course.disk, pieces, what)
            assert ran is not None, "a command was run"
            noted = self._noted(course, step, batch, pieces, ran, what)
            self._note(noted)
            if noted.gave_up:
                return

    def _noted(
        self,
        course: Course,
        step: str,
        zones: Sequence[int],
        pieces: Sequence[Piece],
        ran: Ran,
        what: Pass,
    ) -> BurnInNote:
        """What is learned from a command that read or wrote ``pieces``."""
        disk, faults = course.disk, ran.faults.ranges
        rates: dict[int, int] = {}
        gave_up = ""
        if ran.returncode is None:
            gave_up = f"it completed nothing for {duration(ran.silent_seconds)}, {_where(zones, disk)}"
        elif not os.path.exists(f"/sys/dev/block/{disk.device_number}"):
            gave_up = "it is not connected any more"
        else:
            rates = rates_of(ran.output, pieces, what, said=ran.faults.last)
            broken = [zone for zone in zones if zone not in rates and not _touches(zone, faults, disk)]
            gave_up = f"fio ends early, {_where(broken, disk)}" if broken else ""
        if ran.faults.blocks + course.fault_blocks > MOST_FAULTS:
            gave_up = f"more than {MOST_FAULTS:,} MiB are bad"
        known = zones if rates and not gave_up else list(rates)
        return BurnInNote(
            disk=disk.identity,
            step=step,
            rates={str(zone): rates.get(zone, 0) for zone in known},
            faults=tuple(faults),
            differs=tuple(ran.faults.differs),
            gave_up=gave_up,
        )

    def _sectors(self, course: Course) -> Work:
        """Find the single sectors in the blocks that could not be read, as small as the disk has them."""
        disk = course.disk
        blocks = sorted(set(blocks_of(course.faults)))
        unit = max(disk.logical_sector_bytes, disk.physical_sector_bytes)
        near, rest = blocks[:_NARROWED], blocks[_NARROWED:]
        pieces = [Piece(zone=0, offset=start, size=size, block=unit) for start, size in near]
        ran = yield self._command(disk, pieces)
        assert ran is not None, "a command was run"
        found = Faults()
        found.ranges += ran.faults.ranges
        if ran.returncode is None:  # it hangs: what was not looked at stays whole
            end = sum(found.ranges[-1]) if found.ranges else 0
            rest = [(start, size) for start, size in blocks if start + size > end]
        seen = [block for block in near if block not in rest]
        steady = [
            (start, size)
            for start, size in seen
            if not any(start < at + length and at < start + size for at, length in found.ranges)
        ]
        self._note(
            BurnInNote(
                disk=disk.identity,
                step=SECTORS,
                bad=as_sectors((*found.ranges, *rest), disk),
                unsteady=as_sectors(steady, disk),
            )
        )

    def _command(self, disk: Disk, pieces: Sequence[Piece], what: Pass = Pass.READ) -> Command:
        descriptor = self._files[disk.identity]
        return Command(
            argv=fio_argv(f"/proc/self/fd/{descriptor}", pieces, what),
            program=self._program,
            device=disk.name,
            keep=(descriptor,),
        )

    def _note(self, noted: BurnInNote) -> None:
        """Record what was learned, with a line for people if it is grave, or a tenth of the disk is done."""
        course = self._courses[noted.disk]
        before = course.share(noted.step)
        course.learn(noted)
        share = course.share(noted.step)
        text = ""
        if noted.gave_up:
            text = f"gave up: {noted.gave_up}"
        elif noted.self_test is not None:
            text = f"{noted.self_test.kind} self-test: {noted.self_test.words}"
        elif noted.faults or noted.differs:
            bad = len(noted.faults) + len(noted.differs)
            text = f"{count_of(bad, 'bad place')} found"
        elif noted.step in _DONE and int(share * _TENTHS) > int(before * _TENTHS):
            rates = [rate for rate in noted.rates.values() if rate]
            speed = f", {millions(sum(rates) / len(rates))} MB/s" if rates else ""
            text = f"{in_percent(share)} {_DONE[noted.step]}{speed}"
        shown = f"{harmless(noted.disk)}: {text}" if text else ""
        self._journal.append(Event.CELL, step=noted.step, text=shown, data=noted)

    def _counted(self) -> dict[str, tuple[str, ...]]:
        """By identity of the disk, its own counts of errors that have grown since the burn-in was asked for."""
        confirmed = read_confirmed_machine(self._folder)
        now = read_smart(
            [one.disk for name, one in self._courses.items() if name in self._files], ask_patiently
        )
        return {
            name: grown(confirmed.disk(name).smart, now.get(course.disk.name))
            for name, course in self._courses.items()
        }

    def _judge(self) -> tuple[str, int]:
        """Record the result of each disk; return a sentence about all, and the exit code."""
        results = results_of(list(self._courses.values()), self._begun, self._counted())
        try:
            HistoryFile().add(results)
        except (RaidtuiError, OSError) as error:
            self._journal.append(Event.NOTE, text=f"the result is not recorded: {words_of(error)}")
        for one in results:
            self._journal.append(Event.RESULT, text=f"{harmless(one.subject)}: {verdict(one)}", data=one)
        text = ". ".join(f"{harmless(one.subject)}: {verdict(one)}" for one in results)
        dirty = [harmless(name) for name, one in self._courses.items() if one.is_dirty]
        if dirty:
            left = f"Test data is left on {listed(dirty)}; the next burn-in or build overwrites it"
            self._journal.append(Event.NOTE, text=left)
            text += f". {left}"
        return text, 0 if all(one.is_well for one in results) else _FOUND


def _where(zones: Sequence[int], disk: Disk) -> str:
    return f"from sector {zones[0] * zone_size(disk.size_bytes) // disk.logical_sector_bytes:,} on"


def _touches(zone: int, faults: Sequence[tuple[int, int]], disk: Disk) -> bool:
    length = zone_size(disk.size_bytes)
    return any(
        start < (zone + 1) * length and zone * length < start + size for start, size in blocks_of(faults)
    )
