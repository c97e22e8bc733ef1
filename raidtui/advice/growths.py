"""The table of what a unit can become, with the time that each way takes on its disks. Pure."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.advice.hazards.drives import shingled
from raidtui.advice.time import reshape_range, sync_range
from raidtui.backends.growing import Shape, Way
from raidtui.backends.registry import backend, find_grower
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.struct import Record
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Health, Unit
from raidtui.model.units import MIB, decimal, duration_range

_UNKNOWN: Final = "not known"


class Growth(Record, frozen=True, kw_only=True):
    """A shape, and how long the way to it takes."""

    shape: Shape
    low_seconds: float = 0.0  # the shortest time on disks that do nothing else, with the check at the end
    high_seconds: float = 0.0


class Growths(Record, frozen=True, kw_only=True):
    """The table: the document of ``raidtui grow UNIT --json``."""

    unit: str  # UUID
    name: str
    state: str
    host: str
    rows: tuple[Growth, ...]


def table_of(unit: Unit, machine: Machine) -> Growths:
    """What ``unit`` is, what it can become, and what is never done to it.

    Raises:
        Refused: raidtui does not let such a unit grow yet, or it has failed.
    """
    grower = find_grower(unit.backend)
    if grower is None:
        raise Refused(f"raidtui does not let a {backend(unit.backend).noun} grow yet")
    if unit.health is Health.FAILED:
        raise Refused(
            f"{harmless(unit.shown)} does not grow now: {harmless(unit.state)}; 'raidtui care' says what is safe"
        )
    disks = disks_of(unit, machine)
    # What is seldom worth it is the last.
    shapes = sorted(grower.shapes(unit, machine), key=lambda one: bool(one.reserve_bytes))
    return Growths(
        unit=unit.uuid,
        name=unit.shown,
        state=unit.state,
        host=machine.system.hostname,
        rows=tuple(_timed(one, unit, disks, machine) for one in shapes),
    )


def _timed(shape: Shape, unit: Unit, disks: tuple[Disk, ...], machine: Machine) -> Growth:
    if shape.way is Way.NOTHING:
        survives = None if shape.survives is None else max(0, shape.survives - _lost(unit))
        return Growth(shape=replace(shape, survives=survives))
    here = {disk.identity: disk for disk in machine.disks}
    every = (*disks, *(here[one] for one in shape.add if one in here))
    rotational, limit = any(disk.rotational for disk in every), machine.system.raid_speed_max
    slow = any(shingled(disk) for disk in every)
    check = sync_range(
        shape.checked_bytes, rotational=rotational, bytes_per_second=None, limit=limit, shingled=False
    )
    way = (
        reshape_range(shape.moved_bytes, rotational=rotational, bytes_per_second=None, limit=limit)
        if shape.way is Way.MOVE
        else sync_range(
            shape.moved_bytes, rotational=rotational, bytes_per_second=None, limit=limit, shingled=slow
        )
    )
    return Growth(shape=shape, low_seconds=way[0] + check[0], high_seconds=way[1] + check[1])


def _lost(unit: Unit) -> int:
    """How many failures it has behind it that its level still counts as survived."""
    if Left.of_state(unit.state) is None:
        return 0
    return max(1, sum(member.state == "missing" for member in unit.members))


def shape_words(shape: Shape) -> str:
    """What the unit is then: "RAID5 of 4"."""
    return f"{spelled(f'{shape.level} {shape.layout}'.strip())} of {shape.members}"


def size_words(shape: Shape) -> str:
    """What it holds, in short; its profiles or sizes may not be known."""
    return decimal(shape.unit_bytes) if shape.unit_bytes else _UNKNOWN


def survives_words(shape: Shape) -> str:
    """How many disks can fail, whichever they are."""
    if shape.survives is None:
        return _UNKNOWN
    return f"any {shape.survives}" if shape.survives else "nothing"


def time_words(growth: Growth) -> str:
    """How long it takes on disks that do nothing else; empty if it takes none, or is not possible here yet."""
    return duration_range(growth.low_seconds, growth.high_seconds) if growth.shape.moved_bytes else ""


def sentences_about(growth: Growth) -> Iterator[str]:
    """`about_lines` as sentences."""
    for line in about_lines(growth):
        yield f"{line[:1].upper()}{line[1:]}."


def about_lines(growth: Growth) -> Iterator[str]:
    """What a person has to know before, a sentence each: the time, what is needed, the risk, the way back."""
    shape = growth.shape
    if shape.refused:
        yield f"{spelled(shape.change)}: {shape.refused}"
        return
    if words := time_words(growth):
        yield f"takes {words}{', with the check at the end' if shape.checked_bytes else ''}"
    if shape.note:
        yield shape.note
    if shape.reserve_bytes:
        yield (
            f"takes only {shape.reserve_bytes // MIB} MiB at the end of each disk, which a build leaves free. "
            "A disk that is a little smaller can then not replace one of these; it is seldom worth that"
        )
    for label, text in (("needs", shape.needs), ("risk:", shape.risk), ("undo:", shape.undo)):
        if text:
            yield f"{label} {text}"
