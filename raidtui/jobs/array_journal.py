"""The journal of arrays: records the members of each array, so that a missing disk can still be named.

A pulled disk leaves no trace in the kernel: its entry disappears and, if a spare took over, no slot is empty. So
every look at the arrays as root records their members in ``STATE/arrays.jsonl``, one line whenever they change. A
member missing at the next look is lost, until it comes back or is acknowledged. The file is append-only; read and
write errors are ignored.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from raidtui.jobs.durable import append_line
from raidtui.machine.seats import read_seat
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.machine import Array, LostMember, Member
from raidtui.model.paths import state_folder
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.unit import Unit

FILE: Final = "arrays.jsonl"
_HEALTHY: Final = frozenset(
    {"in_sync", "spare", "journal"}
)  # states that do not explain why a member is gone
_PARTITION: Final = re.compile(r"(?:\dp|[a-z])(\d+)$")


class Line(Record, frozen=True, kw_only=True):
    """One line: the members of an array at that time, or lost members that were acknowledged."""

    at: str  # ISO 8601, UTC
    uuid: str
    name: str = ""
    members: tuple[LostMember, ...] | None = None  # as they would be shown if lost
    acknowledged: tuple[str, ...] = ()  # keys


class _Memory:
    """The contents of the journal about one array."""

    def __init__(self) -> None:
        self.seats: dict[str, LostMember] = {}
        self.lost: dict[str, LostMember] = {}

    def take(self, line: Line) -> None:
        if line.members is not None:
            now = {_key(seat.disk, seat.path): seat for seat in line.members}
            for key in self.seats.keys() - now.keys():
                self.lost[key] = msgspec.structs.replace(self.seats[key], noticed=line.at)
            for key in now:
                self.lost.pop(key, None)
            self.seats = now
        for key in line.acknowledged:
            self.lost.pop(key, None)


class ArrayJournal:
    """Records members between looks, and between runs of the program."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        seat_of: Callable[[str], tuple[str, str]] = read_seat,
        may_write: bool | None = None,
    ) -> None:
        """``seat_of`` returns model and place of the disk under a member's path; ``may_write`` is by default True for root."""
        self._file = state_folder() / FILE if file is None else file
        self._seat_of = seat_of
        self._may_write = os.geteuid() == 0 if may_write is None else may_write
        self._arrays: dict[str, _Memory] = {}
        self._looked: dict[str, tuple[tuple[Member, ...], str, Array]] = {}  # the last look, by UUID
        self._read_to = 0  # bytes of the file
        self._inode = 0

    def look(self, units: Sequence[Unit]) -> tuple[Unit, ...]:
        """Add the lost members to the arrays among ``units``, and record changes of their members.

        Units of other backends report their missing members themselves.
        """
        if any(isinstance(one.reading, Array) for one in units):
            self._catch_up()
        return tuple(
            _remembered(one, self._look_again(one.reading)) if isinstance(one.reading, Array) else one
            for one in units
        )

    def acknowledge(self, unit: Unit) -> tuple[LostMember, ...]:
        """Acknowledge the lost members of ``unit``, and return them.

        Raises:
            BadInput: it has no lost members.
            StepFailed: the journal cannot be written.
        """
        (seen,) = self.look([unit])
        if not seen.lost:
            raise BadInput(f"{unit.name} has no lost members to acknowledge")
        keys = tuple(_key(lost.disk, lost.path) for lost in seen.lost)
        try:
            self._append(Line(at=_now(), uuid=unit.uuid, name=unit.name, acknowledged=keys))
        except OSError as error:
            raise StepFailed(f"{self._file} cannot be written: {error.strerror}") from error
        return seen.lost

    def _look_again(self, array: Array) -> Array:
        """Like `_look`, but returns the last result if the members are the same, as every second during a sync."""
        key = array.uuid or array.node
        before = self._looked.get(key)
        if before is not None and before[0] is array.members and before[1] == array.state:
            seen = before[2]
            if seen.members is array.members and not seen.lost:
                return array
            return msgspec.structs.replace(array, members=seen.members, lost=seen.lost)
        seen = self._look(array)
        self._looked[key] = array.members, array.state, seen
        return seen

    def _look(self, array: Array) -> Array:
        if not array.uuid:
            return array
        memory = self._arrays.get(array.uuid)
        if memory is None:
            memory = _Memory()
        members = tuple(_named(member, memory) for member in array.members)
        present = {_key(m.disk, m.path): _seat(m) for m in members if m.disk}
        if array.state != "inactive" and present and _differs(present, memory):
            seats = tuple(self._described(key, seat, memory) for key, seat in present.items())
            line = Line(at=_now(), uuid=array.uuid, name=array.name, members=seats)
            try:
                if self._may_write:
                    self._append(line)
            except OSError:
                self._may_write = False  # do not try again: the folder is read-only; keep it in memory only
            if not self._may_write:
                self._arrays.setdefault(array.uuid, memory).take(line)
            memory = self._arrays.get(array.uuid, memory)
        gone = {key: seat for key, seat in memory.seats.items() if key not in present}
        lost = tuple((gone | memory.lost).values())
        if members == array.members and lost == array.lost:
            return array
        return msgspec.structs.replace(array, members=members, lost=lost)

    def _described(self, key: str, seat: LostMember, memory: _Memory) -> LostMember:
        """Add model and place to ``seat``; if its device is already gone, the earlier ones."""
        before = memory.seats.get(key)
        model, place = self._seat_of(seat.path)
        return msgspec.structs.replace(
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
                self._arrays, self._read_to, self._inode = {}, 0, status.st_ino
            if status.st_size > self._read_to:
                with open(self._file, "rb") as file:
                    file.seek(self._read_to)
                    raw = file.read()
                whole = raw[: raw.rfind(b"\n") + 1]
                self._read_to += len(whole)
                self._looked.clear()
                for line in _lines(whole):
                    self._arrays.setdefault(line.uuid, _Memory()).take(line)


def _lines(raw: bytes) -> Iterator[Line]:
    for one in raw.splitlines():
        with contextlib.suppress(BadInput):
            yield from_json(one, Line, origin=FILE)


def _remembered(unit: Unit, array: Array) -> Unit:
    """``unit`` with the members and lost members of ``array``."""
    if array is unit.reading:
        return unit
    disks = {member.path: member.disk for member in array.members}
    return msgspec.structs.replace(
        unit,
        members=tuple(
            msgspec.structs.replace(one, disk=one.disk or disks.get(one.path, "")) for one in unit.members
        ),
        lost=array.lost,
        reading=array,
    )


def _named(member: Member, memory: _Memory) -> Member:
    """``member`` with the recorded identity of its disk, if the device is gone but md still lists it."""
    if member.disk:
        return member
    seat = next((seat for seat in memory.seats.values() if seat.path == member.path), None)
    return member if seat is None else msgspec.structs.replace(member, disk=seat.disk)


def _seat(member: Member) -> LostMember:
    return LostMember(
        path=member.path,
        disk=member.disk,
        slot=member.slot,
        state=tuple(word for word in member.state if word not in _HEALTHY),
    )


def _differs(present: dict[str, LostMember], memory: _Memory) -> bool:
    return present != {
        key: msgspec.structs.replace(seat, model="", place="") for key, seat in memory.seats.items()
    }


def _key(disk: str, path: str) -> str:
    """A key for a member that survives a reboot: its disk and partition number."""
    part = _PARTITION.search(path)
    return f"{disk} {part[1] if part else ''}".rstrip()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
