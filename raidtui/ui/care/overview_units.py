"""Units on the Overview: health, used space, activity, state, missing members. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from raidtui.advice.findings.pages import PAGES, news_of
from raidtui.backends.registry import backend
from raidtui.backends.unit_words import lost_words, reported_time_left, within
from raidtui.backends.units import is_rotational
from raidtui.backends.urgency import urgency
from raidtui.machine.space import Space
from raidtui.model.finding import Finding, Urgency
from raidtui.model.machine import Machine
from raidtui.model.text import count_of, fold, harmless, spelled
from raidtui.model.unit import WELL, Health, Unit, UnitMember
from raidtui.model.units import both, decimal, rate
from raidtui.ui.care import unit_styles
from raidtui.ui.widgets.bars import percent_bar
from raidtui.ui.widgets.rows import fit

_MARK: Final = 10  # cells of " DEGRADED "
_INDENT: Final = " " * (_MARK + 1)
_LABEL: Final = 6  # cells of "space "
_BESIDE: Final = 36  # cells of " 182.3 MB/s, 45 min to 4 h left"
_LEAST_BAR: Final = 12
_NAME: Final = 24
_BETWEEN: Final = "   "  # members
_FULL: Final = 0.9  # share of a filesystem from which its bar is a warning


def unit_blocks(
    units: Sequence[Unit],
    spaces: Mapping[str, Space],
    machine: Machine | None,
    findings: Sequence[Finding] = (),
    *,
    width: int,
) -> list[Content]:
    """A few lines for each unit; those that need attention come first."""
    head, lines = _head_cells(units, width), []
    for unit in sorted(units, key=urgency):
        own = [one for one in findings if one.unit and one.unit == unit.uuid]
        lines += _unit_lines(unit, units, spaces, machine, own, head, width=width)
    return lines


def _unit_lines(
    unit: Unit,
    units: Sequence[Unit],
    spaces: Mapping[str, Space],
    machine: Machine | None,
    findings: Sequence[Finding],
    head: int,
    *,
    width: int,
) -> list[Content]:
    """Health, name and place; space and activity as bars; the state; what else is wrong; missing and lost members."""
    style, room = unit_styles.style_of(unit), width - len(_INDENT)
    news = [one for finding in findings if (one := _news(finding, unit)) is not None]
    # A mark of health is never better than what stands below it.
    warns = unit.health is Health.OK and news
    mark, shade = ("WARNING", unit_styles.WARN) if warns else (unit_styles.MARKS[unit.health], style)
    lines = [_head(unit, mark, shade, head, _about(unit, units, width - head))]
    lines += _members(unit, room)
    lines += _activity(unit, machine, width=width)
    lines += _space(unit.mountpoints, spaces, width=width)
    below = ", ".join(member.called for member in unit.members if member.called) if unit.below else ""
    state = harmless(f"{unit.state}, on {below}" if below else unit.state)
    lines += [Content.assemble(_INDENT, (line, style)) for line in fold(state, room)]
    lines += [Content.assemble(_INDENT, (line, unit_styles.WARN)) for one in news for line in fold(one, room)]
    if unit.scrubbed:
        lines.append(Content.assemble(_INDENT, (fit(harmless(unit.scrubbed), room), "$text-muted")))
    return [*lines, *_lost(unit, room)]


def _news(finding: Finding, unit: Unit) -> str | None:
    """What a finding that cannot wait says beside the state; None if it can wait, or says nothing more."""
    if PAGES[finding.kind].urgency is Urgency.NOTE:
        return None
    return harmless(news_of(finding, unit)) or None


def _members(unit: Unit, room: int) -> list[Content]:
    """Its members in one line: slot, device, serial number, state; if they do not fit, the healthy ones are counted.

    What is gone and does not fit has lines of its own.
    """
    rows = sorted(unit.members, key=lambda one: (one.slot is None, one.slot or 0))
    if unit.below or not rows:
        return []
    gone = _gone(unit)
    bad = [one for one in rows if one.state not in WELL and (one.role not in unit_styles.GONE or one in gone)]
    well = [one for one in rows if one.state in WELL]
    whole = [_member(one, unit) for one in rows if one in well or one in bad]
    if _cells(whole) <= room:
        return [_in_a_row(whole)]
    if not bad:
        return []  # its state says that all is well
    slots = unit.raid_disks or sum(one.slot is not None for one in rows)
    counted = [(f"{len(well)} of {max(slots, len(well))} in sync", "$text-muted")] if well else []
    short = [*counted, *(_member(one, unit) for one in bad)]
    if _cells(short) <= room:
        return [_in_a_row(short)]
    lines = [_in_a_row(counted)] if counted else []
    return [*lines, *(_in_a_row([_member(one, unit)]) for one in gone)]


def _in_a_row(parts: Sequence[tuple[str, str]]) -> Content:
    spaced = [piece for part in parts for piece in ((_BETWEEN, ""), part)][1:]
    return Content.assemble(_INDENT, *spaced)


def _member(member: UnitMember, unit: Unit) -> tuple[str, str]:
    state = "ok" if member.state in WELL else member.state
    state = state.upper() if member.role in unit_styles.GONE else state
    slot = "-" if member.slot is None else str(member.slot)
    words = (slot, member.path.removeprefix("/dev/"), member.where, state)
    return harmless(" ".join(filter(None, words))), unit_styles.member_style(member, unit)


def _cells(parts: Sequence[tuple[str, str]]) -> int:
    return sum(cell_len(text) for text, _ in parts) + len(_BETWEEN) * (len(parts) - 1)


def _gone(unit: Unit) -> list[UnitMember]:
    """The members that are missing or faulty, each once."""
    known = {lost.slot for lost in unit.lost}
    # A faulty member has left its slot, so one of the empty slots was its own, also if it was removed since.
    faulty = [m for m in unit.members if m.path and m.slot is None and m.role == "faulty"]
    removed = [one for one in unit.lost if one.slot is None and "faulty" in one.state]
    empty = [m for m in unit.members if not m.path and m.slot not in known][len(faulty) + len(removed) :]
    return [m for m in unit.members if m.role in unit_styles.GONE and (m.path or m in empty)]


def _lost(unit: Unit, room: int) -> Iterator[Content]:
    """Lost members from the journal."""
    for lost in unit.lost:
        for line in fold(harmless(lost_words(lost)), room, then="      "):
            yield Content.assemble(_INDENT, (line, unit_styles.BAD))
    if unit.lost:
        yield Content.assemble(_INDENT, ("a acknowledges it", "$text-muted"))


def _activity(unit: Unit, machine: Machine | None, *, width: int) -> Iterator[Content]:
    """The progress of its activity, unless that is delayed or paused."""
    active = unit.activity
    if active is None or active.waiting or active.paused:
        return
    from raidtui.advice.time_left import time_left

    beside = ""
    if active.bytes_per_second is not None:
        left = time_left(active, rotational=is_rotational(unit, machine))
        beside = f"{rate(active.bytes_per_second)}, {left}"
    else:
        beside = reported_time_left(active)
    yield from _bar("scrub" if active.is_scrub else "sync", active.fraction, beside, "$primary", width)


def _head(unit: Unit, word: str, style: str, cells: int, about: str) -> Content:
    scrubbing = unit.health is Health.SYNCING and unit.activity is not None and unit.activity.is_scrub
    mark = f" {'SCRUB' if scrubbing else word}".ljust(_MARK)
    name = fit(unit_styles.called(unit), cells - len(_INDENT) - 2)
    return Content.assemble((mark, f"reverse {style or 'bold'}"), " ", (name, "bold"), f"  {about}")


def _head_cells(units: Sequence[Unit], width: int) -> int:
    """The width of mark and name: as the longest name needs, but at most a quarter of the line."""
    longest = max((cell_len(unit_styles.called(unit)) for unit in units), default=0)
    return len(_INDENT) + min(longest, _NAME, max(12, width // 4)) + 2


def _about(unit: Unit, units: Sequence[Unit], room: int) -> str:
    """What it is and where: "RAID5 of 4, 12.0 TB (10.9 TiB), at /srv/data"; shorter if there is no room."""
    known = backend(unit.backend)
    level = known.levels.get(unit.level)
    shown = level.shown if level is not None else ""  # "RAID5" needs no noun
    count = unit.raid_disks or len(unit.members)
    shape = f"{shown or spelled(unit.level)} of {count}" if unit.level else count_of(unit.members, "disk")
    if unit.below:
        shape = spelled(unit.level)
    inside = harmless(within(unit, units))
    places = ", ".join(harmless(place) for place in unit.mountpoints)
    where = f"at {places}" if places else inside or "not mounted"
    long, short = both(unit.size_bytes), decimal(unit.size_bytes)
    noun = "" if shown else f"{known.noun}, "
    about = _listed(f"{noun}{shape}", unit, short if inside else long, where)
    if len(about) > room:
        about = _listed(spelled(f"{unit.backend} {shape}") if noun else shape, unit, short, where)
    return fit(about, room)


def _listed(what: str, unit: Unit, size: str, where: str) -> str:
    return ", ".join(filter(None, [what, size if unit.size_bytes else "", where]))


def _space(mountpoints: Sequence[str], spaces: Mapping[str, Space], *, width: int) -> list[Content]:
    """The used space of the filesystem; empty if unknown."""
    space = next((spaces[place] for place in mountpoints if place in spaces), None)
    if space is None:
        return []
    full = space.share >= _FULL
    beside = f"{decimal(space.used_bytes)} of {decimal(space.total_bytes)} used"
    style = "$text-warning" if full else "$text-success"
    return list(_bar("space", space.share, beside, style, width))


def _bar(label: str, part: float, beside: str, style: str, width: int) -> Iterator[Content]:
    """A bar with words beside it; on a line of their own if there is no room for both."""
    start, room = f"{_INDENT}{label.ljust(_LABEL)}", width - len(_INDENT) - _LABEL
    size = max(_LEAST_BAR, room - _BESIDE)
    if size + 1 + cell_len(beside) <= room:
        yield Content.assemble(start, (percent_bar(part, size), style), f" {beside}")
    else:
        yield Content.assemble(start, (percent_bar(part, room), style))
        yield Content(f"{_INDENT}{beside}")
