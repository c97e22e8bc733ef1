"""Check a sweep before it starts: its disks are free and named, an array can be built; and how long it will take."""

from collections.abc import Sequence
from typing import Final

import msgspec

from raidtui.advice.time import sync_range
from raidtui.backends.facts import Facts
from raidtui.backends.registry import backend
from raidtui.backends.resolve import place
from raidtui.backends.suited import suited_to
from raidtui.bench.rows import MIX, READ
from raidtui.bench.schedule import Turn, expected_seconds, turns_of
from raidtui.bench.settings import settle
from raidtui.jobs.confirm import check_accepted, check_named
from raidtui.jobs.start import check_machine, start_sweep
from raidtui.model.disk_names import find_called
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Plan, PlannedDisk, Severity
from raidtui.model.struct import Record
from raidtui.model.sweep import Sweep
from raidtui.model.units import both, decimal, duration_range, spell_size
from raidtui.plan.build import make_plan
from raidtui.steps.pieces import planned
from raidtui.sweep.file import find_sweep
from raidtui.sweep.matrix import Combination, combinations_of, spec_of, why_not_bare
from raidtui.sweep.measurement import Measurement, measurements_of, request_of
from raidtui.sweep.quick import quickened

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


class Preview(Record, frozen=True, kw_only=True):
    """What a sweep will do."""

    sweep: Sweep
    disks: tuple[PlannedDisk, ...]  # all of them are erased
    unused: tuple[
        str, ...
    ] = ()  # disks that were named and that none of its arrays needs; they are left alone
    combinations: tuple[tuple[Combination, Estimate], ...]
    hazards: tuple[Hazard, ...]  # of all its arrays, each once

    @property
    def part(self) -> str:
        """The part of each disk that is used, in words."""
        size = self.sweep.slice
        if all(one.whole for one, _ in self.combinations):
            size = None
        if size is None or all(disk.size_bytes <= size for disk in self.disks):
            return "the whole of each disk"
        return f"the first {both(size)} of each disk"

    @property
    def total(self) -> Estimate:
        """The estimate for all passes over every combination that can be built."""
        total = NOTHING
        for _, one in self.combinations:
            total += one
        return Estimate(
            low_seconds=total.low_seconds * self.sweep.passes,
            high_seconds=total.high_seconds * self.sweep.passes,
            written_bytes=total.written_bytes * self.sweep.passes,
        )


def with_disks(study: str, disks: Sequence[str], *, quick: bool = False) -> Sweep:
    """The published study of that name on these disks, or its quick form.

    Raises:
        BadInput: there is no such study.
    """
    sweep = msgspec.structs.replace(find_sweep(study), disks=tuple(disks))
    return quickened(sweep) if quick else sweep


def preview(sweep: Sweep, machine: Machine, *, seed: str) -> Preview:
    """What ``sweep`` will do on ``machine``; on drives behind a card, virtual drives, unless it names backends.

    Raises:
        BadInput: it names no disks, one that does not exist or one twice, or nothing can be built on them.
        Refused: a disk is in use or the system's.
        ToolMissing: nothing can be built without a missing program; otherwise, what needs it is left out.
    """
    if not sweep.disks:
        raise BadInput(f"the sweep {sweep.name} names no disks; add --disks SERIAL,SERIAL…")
    disks = [machine.disk(word) for word in sweep.disks]
    for word, disk in zip(sweep.disks, disks, strict=True):
        if [one.key for one in disks].count(disk.key) > 1:
            raise BadInput(f"the sweep {sweep.name} names the disk {word!r} twice")
    if not sweep.backends and not any(disk.has_device for disk in disks):
        sweep = msgspec.structs.replace(sweep, backends=suited_to(disks))
    most = max(one.members for one in combinations_of(sweep))
    unused, disks = sweep.disks[most:], disks[:most]
    sweep = msgspec.structs.replace(sweep, disks=sweep.disks[:most])
    found: list[tuple[Combination, Estimate]] = []
    hazards: dict[tuple[str, str], Hazard] = {}
    missing: ToolMissing | None = None
    for combination, estimate in estimates(sweep, machine).items():
        refused = estimate.refused
        if refused is None and combination.bare:
            refused = why_not_bare(disks[0])
        elif refused is None:
            try:
                plan = make_plan(spec_of(sweep, combination), machine, seed=seed)
            except (BadInput, ToolMissing) as error:
                refused = str(error)
                missing = error if isinstance(error, ToolMissing) else missing
            else:
                refused = _blocked(plan)
                hazards |= {(one.id, one.seen): one for one in plan.hazards if _matters(one)}
        if refused is not None:
            estimate = msgspec.structs.replace(NOTHING, refused=refused)
        found.append((combination, estimate))
    if all(estimate.refused for _, estimate in found):
        if missing is not None:
            raise missing
        whys = [estimate.refused for one, estimate in found if not one.bare] or [found[0][1].refused]
        raise BadInput(f"none of the arrays of the sweep {sweep.name} can be built: {whys[0]}")
    return Preview(
        sweep=sweep,
        disks=tuple(planned(disk, disk.stable_path, "member") for disk in disks),
        unused=unused,
        combinations=tuple(found),
        hazards=tuple(hazards.values()),
    )


def begin(
    seen: Preview, machine: Machine, *, seed: str, erase: Sequence[str], accepted: Sequence[str]
) -> JobRequest:
    """Start the previewed sweep.

    Raises:
        Refused: not root, a disk not named or one too many named, or a hazard not accepted.
    """
    check_machine(machine)
    unused = [machine.disk(word) for word in seen.unused]  # may be named as well: they were, for the sweep
    check_named(seen.disks, [word for word in erase if not find_called(word, unused)], machine)
    check_accepted([one for one in seen.hazards if one.severity is not Severity.BLOCK], accepted)
    return start_sweep(
        seen.sweep,
        seed=seed,
        erase=[disk.named for disk in seen.disks],
        accepted=accepted,
    )


def _matters(hazard: Hazard) -> bool:
    """Whether a hazard matters for a sweep: its arrays keep no data, so later risks to data do not matter."""
    return bool(hazard.disks) or hazard.severity is not Severity.WARN


def _blocked(plan: Plan) -> str | None:
    try:
        check_accepted([one for one in plan.hazards if one.severity is Severity.BLOCK], ())
    except Refused as error:
        return str(error)
    return None
