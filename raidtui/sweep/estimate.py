"""Estimate how long a sweep will take and how much it will write. Pure."""

from typing import Final

from raidtui.advice.time import sync_range
from raidtui.backends.facts import Facts
from raidtui.backends.registry import backend
from raidtui.backends.resolve import place
from raidtui.bench.rows import MIX, READ
from raidtui.bench.schedule import Turn, expected_seconds, turns_of
from raidtui.bench.settings import settle
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.sweep import Sweep
from raidtui.model.units import decimal, duration_range, spell_size
from raidtui.sweep.matrix import Combination, combinations_of, spec_of
from raidtui.sweep.measurement import Measurement, measurements_of, request_of

_STEPS_SECONDS: Final = (15.0, 60.0)  # to build and remove one unit, without a sync
_WRITE_RATE: Final = 150e6  # bytes a second of a write cell, a guess


class Estimate(Record, frozen=True, kw_only=True):
    """Least and most seconds, and bytes written to the disks, for one combination built and measured once."""

    low_seconds: float
    high_seconds: float
    written_bytes: float
    refused: str | None = None  # why it cannot be built

    @property
    def times(self) -> str:
        """``20 to 60 min``, or one time if both round to the same."""
        return duration_range(self.low_seconds, self.high_seconds)

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            low_seconds=self.low_seconds + other.low_seconds,
            high_seconds=self.high_seconds + other.high_seconds,
            written_bytes=self.written_bytes + other.written_bytes,
        )


NOTHING: Final = Estimate(low_seconds=0, high_seconds=0, written_bytes=0)


def estimates(sweep: Sweep, machine: Machine) -> dict[Combination, Estimate]:
    """An estimate for each combination; one that cannot be built says why, and takes no time.

    Raises:
        BadInput: a disk of the sweep does not exist.
    """
    return {one: estimate(sweep, one, machine) for one in combinations_of(sweep)}


def estimate(sweep: Sweep, combination: Combination, machine: Machine) -> Estimate:
    disks = [machine.disk(word) for word in sweep.disks[: combination.members]]
    rotational = any(disk.rotational for disk in disks)
    try:
        facts = None if combination.bare else place(spec_of(sweep, combination), machine).facts
        measured = [
            _measuring(sweep, one, combination, machine, facts, rotational=rotational)
            for one in measurements_of(sweep, chunks=combination.has_chunk)
        ]
    except (BadInput, Refused) as error:
        return Estimate(low_seconds=0, high_seconds=0, written_bytes=0, refused=str(error))
    seconds, written = sum(one for one, _ in measured), sum(one for _, one in measured)
    if facts is None:
        return Estimate(low_seconds=seconds, high_seconds=seconds, written_bytes=written)
    low, high = _STEPS_SECONDS
    if synced := _synced(combination, facts):
        fast, slow = sync_range(
            facts.component_bytes,
            rotational=rotational,
            bytes_per_second=None,
            limit=facts.sync_limit(machine.system.raid_speed_max),
            disks=len(disks),
        )
        low, high = low + fast, high + slow
        written += synced
    return Estimate(low_seconds=low + seconds, high_seconds=high + seconds, written_bytes=written)


def _synced(combination: Combination, facts: Facts) -> int:
    """Bytes that the first sync writes: all copies but one, and parity; none if only written data is kept in sync."""
    level = backend(combination.backend).levels[combination.level]
    if not level.redundant or facts.rebuilds_data_only:
        return 0
    return sum(member.used_bytes for member in facts.members) - facts.array_bytes


def _measuring(
    sweep: Sweep,
    measurement: Measurement,
    combination: Combination,
    machine: Machine,
    facts: Facts | None,
    *,
    rotational: bool,
) -> tuple[float, float]:
    """Seconds and written bytes of one benchmark."""
    settings = settle(
        request_of(sweep, measurement, machine, target=""),
        chunk=facts.chunk_bytes if facts is not None else 0,
        stripe=facts.stripe_width_bytes if facts is not None else 0,
        files=combination.filesystem != "none",
        rotational=rotational,
    )
    room = facts.array_bytes if facts is not None else machine.disk(sweep.disks[0]).size_bytes
    if settings.size_bytes > room:
        raise BadInput(
            f"there is room for {decimal(room)}, less than the {spell_size(settings.size_bytes)} to be measured"
        )
    written = settings.size_bytes if settings.prefills else 0
    return expected_seconds(settings), written + sum(map(_written, turns_of(settings)))


def _written(turn: Turn) -> float:
    share = {READ: 0.0, MIX: 0.3}.get(turn.cell.direction, 1.0)
    return turn.wall_seconds * _WRITE_RATE * share
