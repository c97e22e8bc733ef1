"""Arrays and other units as Overview shows them: a mark, how full each is, one sentence, who is missing. Pure."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from textwrap import wrap
from typing import Final

from textual.content import Content

from raidtui.machine.space import Space
from raidtui.machine.words import check_words, health, is_paused, lost_words, share
from raidtui.model.machine import Array, Machine
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.units import both, decimal, rate
from raidtui.ui.care import array_words
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

_MARKS: Final = {
    Health.OK: "OK",
    Health.SYNCING: "SYNC",
    Health.BUILDING: "BUILDING",
    Health.ERRORS: "ERRORS",
    Health.DEGRADED: "DEGRADED",
    Health.FAILED: "FAILED",
    Health.INACTIVE: "INACTIVE",
}
_MARK: Final = 10  # cells of " DEGRADED "
_INDENT: Final = " " * (_MARK + 1)
_LABEL: Final = 6  # cells of "space "
_BESIDE: Final = 43  # cells of " 182.3 MB/s, 3 h 28 min to 4 h 22 min left"
_NAME: Final = 24
_FULL: Final = 0.9  # of a filesystem: from here on its bar warns
_ORDER: Final = (
    Health.FAILED,
    Health.INACTIVE,
    Health.DEGRADED,
    Health.ERRORS,
    Health.BUILDING,
    Health.SYNCING,
    Health.OK,
)


def unit_blocks(
    arrays: Sequence[Array],
    units: Sequence[Unit],
    spaces: Mapping[str, Space],
    machine: Machine | None,
    *,
    width: int,
) -> list[Content]:
    """Every array, and every ``units`` of another backend, in a few lines; what needs looking after comes first."""
    blocks = [
        (
            _ORDER.index(health(array)),
            not array.lost,
            array.name,
            array_lines(array, spaces, machine, width=width, inside=_inside(array, units)),
        )
        for array in arrays
    ]
    blocks += [
        (_ORDER.index(unit.health), True, unit.name, unit_lines(unit, spaces, machine, width=width))
        for unit in units
    ]
    return [line for block in sorted(blocks, key=itemgetter(0, 1, 2)) for line in block[3]]


def _inside(array: Array, units: Sequence[Unit]) -> str:
    """Which unit stands on an array, in words; empty if none does."""
    if not any(unit.below for unit in units):
        return ""
    from raidtui.backends.unit_words import within

    return within(array, units)


def unit_lines(
    unit: Unit, spaces: Mapping[str, Space], machine: Machine | None, *, width: int
) -> list[Content]:
    """A unit of another backend than md: mark, name and place; space and activity as bars; state; who is missing."""
    from raidtui.advice.time_left import time_left
    from raidtui.backends.registry import backend
    from raidtui.backends.unit_words import activity_words

    style, active = array_words.STYLES[unit.health], unit.activity
    shape = f"{unit.level} of {len(unit.members)}" if unit.level else count_of(unit.members, "disk")
    if unit.below:
        shape = unit.level
    about = f"{backend(unit.backend).noun}, {_about(shape, unit.size_bytes, unit.mountpoints)}"
    if len(about) > width - _name_cells(width) - 12:
        about = f"{unit.backend} {_about(shape, unit.size_bytes, unit.mountpoints, short=True)}"
    lines = [_head(unit.health, style, harmless(unit.name), about, width=width)]
    lines += _space(unit.mountpoints, spaces, width=width)
    said = harmless(unit.state)
    if unit.below:
        said += f", on {harmless(', '.join(member.called for member in unit.members if member.called))}"
    if active is not None and (active.waiting or active.paused):
        said += f", {harmless(activity_words(active))}"
    elif active is not None:
        said += f", {harmless(active.what)} {100 * active.fraction:.1f} %"
        beside = ""
        if active.bytes_per_second:
            turning = {disk.identity for disk in machine.disks if disk.rotational} if machine else set()
            left = time_left(active, rotational=any(member.disk in turning for member in unit.members))
            beside = f"{rate(active.bytes_per_second)}, {left}"
        lines.append(_bar("sync", active.fraction, _bar_size(width), beside, "$primary"))
    lines += [Content.assemble(_INDENT, (line, style)) for line in wrap(said, width - len(_INDENT))]
    lines += _told(unit.scrubbed, width=width)
    for member in unit.members:
        if member.state in {"missing", "faulty"}:
            named = member.called or member.disk
            what = " ".join(filter(None, (member.path or "a disk that is not connected", named)))
            lines.append(Content.assemble(_INDENT, (harmless(f"{member.state}: {what}"), array_words.BAD)))
    return lines


def array_lines(
    array: Array, spaces: Mapping[str, Space], machine: Machine | None, *, width: int, inside: str = ""
) -> list[Content]:
    """An array: mark, name and place; its space and its sync as bars; its state in a sentence; its lost members.

    Args:
        inside: the unit that stands on it, in words.
    """
    words, style = array_words.state(array)
    level = (array.level or "array").upper() if array.level.startswith("raid") else array.level or "array"
    shape = f"{level} of {array.raid_disks}" if array.raid_disks else level
    about = _about(shape, array.size_bytes, array.mountpoints, short=bool(inside), inside=inside)
    lines = [_head(health(array), style, array_words.called(array), about, width=width)]
    lines += _space(array.mountpoints, spaces, width=width)
    size = _bar_size(width)
    if array.sync is not None and not array.sync.waiting and not is_paused(array):
        left = array_words.time_left(array, array.sync, machine)
        lines.append(
            _bar("sync", share(array.sync), size, f"{rate(array.sync.bytes_per_second)}, {left}", "$primary")
        )
    room = width - len(_INDENT)
    lines += [Content.assemble(_INDENT, (line, style)) for line in wrap(words, room)]
    lines += _told(check_words(array), width=width)
    for lost in array.lost:
        said = wrap(f"lost: {harmless(lost_words(lost))}", room, subsequent_indent="      ")
        lines += [Content.assemble(_INDENT, (line, array_words.BAD)) for line in said]
    if array.lost:
        lines.append(Content.assemble(_INDENT, ("a acknowledges it", "$text-muted")))
    return lines


def _told(scrubbed: str, *, width: int) -> list[Content]:
    """What came of the last scrub."""
    room = width - len(_INDENT)
    return [Content.assemble(_INDENT, (fit(harmless(scrubbed), room), "$text-muted"))] if scrubbed else []


def _head(health: Health, style: str, called: str, about: str, *, width: int) -> Content:
    mark = f" {_MARKS[health]}".ljust(_MARK)
    name = fit(called, _name_cells(width))
    return Content.assemble(
        (mark, f"reverse {style or 'bold'}"), " ", (name, "bold"), f" {fit(about, width - len(name) - 12)}"
    )


def _name_cells(width: int) -> int:
    return min(_NAME, max(12, width // 4))


def _about(
    shape: str, size: int, mountpoints: Sequence[str], *, short: bool = False, inside: str = ""
) -> str:
    how_much = decimal(size) if short else both(size)
    places = ", ".join(harmless(place) for place in mountpoints)
    where = f"at {places}" if places else harmless(inside) or "not mounted"
    return ", ".join(filter(None, [shape, how_much if size else "", where]))


def _space(mountpoints: Sequence[str], spaces: Mapping[str, Space], *, width: int) -> list[Content]:
    """How full the filesystem is; nothing where that is not known."""
    space = next((spaces[place] for place in mountpoints if place in spaces), None)
    if space is None:
        return []
    full = space.share >= _FULL
    beside = f"{decimal(space.used_bytes)} of {decimal(space.total_bytes)}, {100 * space.share:.0f} % used"
    style = "$text-warning" if full else "$text-success"
    return [_bar("space", space.share, _bar_size(width), beside, style)]


def _bar_size(width: int) -> int:
    return max(10, min(60, width - len(_INDENT) - _LABEL - _BESIDE))


def _bar(label: str, part: float, size: int, beside: str, style: str) -> Content:
    return Content.assemble(f"{_INDENT}{label.ljust(_LABEL)}", (bar(part, size), style), f" {beside}")
