"""The journal of units: records the members of each unit, so that a missing disk can still be named.

A pulled disk leaves no trace in the kernel: its entry in the array disappears and, if a spare took over, no slot is
empty; LVM and Btrfs list a missing device without its name. So every look at the units as root records their members
in ``STATE/arrays.jsonl``, one line whenever they change. A member missing at the next look is lost, until it comes
back or is acknowledged. The file is append-only; read and write errors are ignored.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Final

from msgspec.structs import replace

from raidtui.backends.registry import reader
from raidtui.jobs.durable import append_line
from raidtui.jobs.makers import Makers
from raidtui.machine.seats import connected_disks, read_seat
from raidtui.model.errors import BadInput, Refused, StepFailed
from raidtui.model.lost import LostMember
from raidtui.model.paths import state_folder
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.unit import ALIKE, WELL, Health, Unit, UnitMember

FILE: Final = "arrays.jsonl"  # arrays were the only units when it was named
_PLACES: Final = frozenset({"spare", "journal"})  # what a member without a slot is
_PARTITION: Final = re.compile(r"(?:\dp|(?:[shv]|xv|ub)d[a-z]+)(\d+)$")


class Line(Record, frozen=True, kw_only=True):
    """One line: the members of a unit at that time, or lost members that were acknowledged."""

    at: str  # ISO 8601, UTC
    uuid: str
    name: str = ""
    members: tuple[LostMember, ...] | None = None  # as they would be shown if lost
    acknowledged: tuple[str, ...] = ()  # keys


class _Memory:
    """The contents of the journal about one unit."""

    def __init__(self) -> None:
        self.seats: dict[str, LostMember] = {}
        self.lost: dict[str, LostMember] = {}
        self.back: dict[str, str] = {}  # those that were lost and are there again: since when
        self.former: set[str] = set()  # the disks of those that were acknowledged

    def take(self, line: Line) -> None:
        if line.members is not None:
            now = {_key(seat.disk, seat.path): seat for seat in line.members}
            for key in [key for key in self.seats if key not in now]:
                self.lost[key] = replace(self.seats[key], noticed=line.at)
            for key in now:
                if self.lost.pop(key, None) is not None:
                    self.back[key] = line.at
            self.seats = now
        for key in line.acknowledged:
            if (seat := self.lost.pop(key, None)) is not None:
                self.former.add(seat.disk)


class UnitJournal:
    """Records members between looks, and between runs of the program. It is thread-safe."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        seat_of: Callable[[str], tuple[str, str]] = read_seat,
        connected: Callable[[], Mapping[str, str]] | None = None,
        may_write: bool | None = None,
    ) -> None:
        """Open the journal.

        Args:
            seat_of: returns model and place of the disk under a member's path.
            connected: returns the nodes of the disks that are connected, by identity, by default of this computer;
                asked only if a member is lost.
            may_write: True for root by default.
        """
        self._file = state_folder() / FILE if file is None else file
        self._seat_of = seat_of
        self._connected = connected_disks if connected is None else connected
        self._may_write = os.geteuid() == 0 if may_write is None else may_write
        self._units: dict[str, _Memory] = {}
        self._makers = Makers()
        self._read_to = 0  # bytes of the file
        self._inode = 0
        self._lock = RLock()

    def look(self, units: Sequence[Unit]) -> tuple[Unit, ...]:
        """Add to ``units`` their lost members and the job they belong to, and record changes of their members."""
        with self._lock:
            if units:
                self._catch_up()
            used = {_key(one.disk, one.path) for unit in units for one in unit.members if one.disk}
            return tuple(self._makers.with_job(self._look(unit, used)) for unit in units)

    def acknowledge(self, unit: Unit) -> tuple[LostMember, ...]:
        """Acknowledge the lost members of ``unit``, and return them.

        Raises:
            BadInput: it has no lost members.
            StepFailed: the journal cannot be written.
        """
        with self._lock:
            (seen,) = self.look([unit])
            if not seen.lost:
                raise BadInput(f"{unit.name} has no lost members to acknowledge")
            keys = tuple(_key(lost.disk, lost.path) for lost in seen.lost)
            try:
                self._append(Line(at=_now(), uuid=unit.uuid, name=unit.name, acknowledged=keys))
            except OSError as error:
                raise StepFailed(f"{self._file} cannot be written: {error.strerror}") from error
            return seen.lost

    def replaced(self, disk: str, units: Sequence[Unit]) -> None:
        """Acknowledge ``disk``, which a job has replaced, in each of ``units`` that it is lost from.

        Raises:
            OSError, Refused: the journal cannot be written.
        """
        with self._lock:
            for unit in self.look(units):
                keys = tuple(_key(one.disk, one.path) for one in unit.lost if one.disk == disk)
                if keys:
                    self._append(Line(at=_now(), uuid=unit.uuid, name=unit.name, acknowledged=keys))

    def _look(self, unit: Unit, used: Set[str]) -> Unit:
        """Add its lost members; ``used``: the keys of the members of all units."""
        if not unit.uuid:
            return unit
        memory = self._units.get(unit.uuid, _Memory())
        members = tuple(_named(member, memory) for member in unit.members)
        present = {_key(m.disk, m.path): _seat(m) for m in members if m.disk and m.state != ALIKE}
        if unit.health is not Health.INACTIVE and present and _differs(present, memory):
            self._note(unit, tuple(self._described(key, seat, memory) for key, seat in present.items()))
            memory = self._units[unit.uuid]
        gone = {key: seat for key, seat in memory.seats.items() if key not in present}
        # mdadm's monitor moves a spare within a spare group: it is not lost then.
        lost = tuple(
            seat for key, seat in (gone | memory.lost).items() if key not in used or not _was_spare(seat)
        )
        if lost:
            nodes = self._connected()
            lost = tuple(replace(one, here=nodes.get(one.disk, "")) for one in lost)
        back = () if reader(unit.backend).catches_up else _returned(memory)
        former = tuple(sorted(memory.former))
        if (members, lost, back, former) == (unit.members, unit.lost, unit.back, unit.former):
            return unit
        return replace(unit, members=members, lost=lost, back=back, former=former)

    def _note(self, unit: Unit, seats: tuple[LostMember, ...]) -> None:
        """Record the members of ``unit``; in memory only if the file cannot be written."""
        line = Line(at=_now(), uuid=unit.uuid, name=unit.name, members=seats)
        if self._may_write:
            try:
                self._append(line)
            except (OSError, Refused):
                self._may_write = (
                    False  # do not try again: the folder is read-only, or others may write there
                )
        if not self._may_write:
            self._units.setdefault(unit.uuid, _Memory()).take(line)

    def _described(self, key: str, seat: LostMember, memory: _Memory) -> LostMember:
        """Add model and place to ``seat``; if its device is already gone, those recorded before."""
        before = memory.seats.get(key)
        model, place = self._seat_of(seat.path)
        return replace(
            seat,
            model=model or (before.model if before else ""),
            place=place or (before.place if before else ""),
        )

    def _append(self, line: Line) -> None:
        append_line(self._file, to_json(line, pretty=False).encode())
        self._catch_up()

    def _catch_up(self) -> None:
        """Read what this or another process has appended since."""
        with contextlib.suppress(OSError):
            status = os.stat(self._file)
            if status.st_ino != self._inode or status.st_size < self._read_to:
                self._units, self._read_to, self._inode = {}, 0, status.st_ino
            if status.st_size > self._read_to:
                with open(self._file, "rb") as file:
                    file.seek(self._read_to)
                    raw = file.read()
                whole = raw[: raw.rfind(b"\n") + 1]
                self._read_to += len(whole)
                for line in _lines(whole):
                    self._take(line)

    def _take(self, line: Line) -> None:
        self._units.setdefault(line.uuid, _Memory()).take(line)
        used = {one.disk for one in line.members or ()}
        for memory in self._units.values():
            memory.former -= used


def _lines(raw: bytes) -> Iterator[Line]:
    for one in raw.splitlines():
        with contextlib.suppress(BadInput):
            yield from_json(one, Line, origin=FILE)


def _named(member: UnitMember, memory: _Memory) -> UnitMember:
    """``member`` with the recorded identity of its disk, if the device is gone but the unit still lists it."""
    if member.disk or not member.path:
        return member
    seat = next((seat for seat in memory.seats.values() if seat.path == member.path), None)
    return member if seat is None else replace(member, disk=seat.disk)


def _seat(member: UnitMember) -> LostMember:
    return LostMember(
        path=member.path,
        disk=member.disk,
        slot=member.slot,
        state=tuple(word for word in member.state.split(", ") if _explains(word)),
    )


def _explains(word: str) -> bool:
    """Whether ``word`` may later explain a loss; counts of errors are left out, since each new one would add a line."""
    return word in _PLACES or (word not in WELL and not any(map(str.isdigit, word)))


def _returned(memory: _Memory) -> tuple[LostMember, ...]:
    """The members that were lost and are there again, with the time at which this was noticed."""
    here = {key: at for key, at in memory.back.items() if key in memory.seats}
    return tuple(replace(memory.seats[key], noticed=at) for key, at in here.items())


def _was_spare(seat: LostMember) -> bool:
    return seat.slot is None and "faulty" not in seat.state


def _differs(present: dict[str, LostMember], memory: _Memory) -> bool:
    return present != {key: replace(seat, model="", place="") for key, seat in memory.seats.items()}


def _key(disk: str, path: str) -> str:
    """A key for a member that survives a reboot: its disk and partition number."""
    part = _PARTITION.search(path)
    return f"{disk} {part[1] if part else ''}".rstrip()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
