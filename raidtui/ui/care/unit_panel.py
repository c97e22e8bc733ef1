"""The lines that show a unit of another backend than md: state, activity, members, and what it is set to. Pure."""

from textual.content import Content

from raidtui.backends.pace import limit_words
from raidtui.backends.unit_words import member_words
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.unit import Activity, Unit, UnitMember
from raidtui.model.units import both, decimal, rate
from raidtui.ui.care import array_words
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

_PERCENT = 8  # cells of " 100.0 %"
_DEVICE, _DISK = 12, 28  # cells of columns
_WELL = frozenset({"in sync", "in use", "not used", "spare"})


def unit_panel(unit: Unit, machine: Machine | None, *, width: int, most: int) -> list[Content]:
    """How it is, how far what it does is, and a line a member: at most ``most`` of those, the troubled ones first."""
    return [*_state_lines(unit, machine, width=width), Content(""), *_member_lines(unit, most, width=width)]


def unit_detail(unit: Unit, machine: Machine | None, *, width: int) -> list[Content]:
    """All that is known of a unit: what it is and where, how it is, what it is set to, and its members."""
    from raidtui.backends.registry import backend

    noun = backend(unit.backend).noun
    size = both(unit.size_bytes) if unit.size_bytes else ""
    places = ", ".join(unit.mountpoints)
    where = f"{unit.node or 'no disk here'}, {f'at {places}' if places else 'not mounted'}"
    lines = [
        Content.assemble((harmless(f"{noun[:1].upper()}{noun[1:]} {unit.name}"), "bold $text-primary")),
        Content(harmless(", ".join(filter(None, (unit.level, size, where))))),
        *_state_lines(unit, machine, width=width),
        *(Content(harmless(line)) for line in unit.details),
        Content(""),
    ]
    return [*lines, *_member_lines(unit, len(unit.members), width=width)]


def _state_lines(unit: Unit, machine: Machine | None, *, width: int) -> list[Content]:
    said = harmless(unit.state)
    style = array_words.STYLES[unit.health] or "bold"
    lines = [Content.assemble((f"{said[:1].upper()}{said[1:]}", style))]
    if unit.activity is not None:
        lines += _activity_lines(unit, unit.activity, machine, width=width)
        if unit.limits is not None and not unit.activity.waiting:
            lines.append(Content.assemble((limit_words(unit.limits), "$text-muted")))
    elif unit.scrubbed:
        lines.append(Content(harmless(unit.scrubbed)))
    return lines


def _member_lines(unit: Unit, most: int, *, width: int) -> list[Content]:
    header = f"slot {fit('member', _DEVICE)} {fit('disk', _DISK)} state"
    lines = [Content.assemble((header, "bold $text-muted"))]
    members = sorted(unit.members, key=lambda one: one.state in _WELL)
    shown = unit.members if len(members) <= most else tuple(members[: max(1, most - 1)])
    lines += [line for member in shown for line in _member(member, width=width)]
    if rest := len(members) - len(shown):
        lines.append(Content.assemble((f"     and {rest} more", "$text-muted")))
    return lines


def _activity_lines(unit: Unit, now: Activity, machine: Machine | None, *, width: int) -> list[Content]:
    from raidtui.advice.time_left import time_left

    if now.waiting:
        return [Content(harmless(f"{now.what} {now.waiting}"))]
    drawn = Content.assemble(
        (bar(now.fraction, max(10, width - _PERCENT)), "$primary"), f"{100 * now.fraction:>6.1f} %"
    )
    done = f"{decimal(now.done_bytes)} of {decimal(now.total_bytes)}" if now.total_bytes else ""
    if now.paused:
        return [drawn, Content(", ".join(filter(None, (f"{now.what} paused", done))))]
    turning = {disk.identity for disk in machine.disks if disk.rotational} if machine else set()
    speed = left = ""
    if now.bytes_per_second:
        speed = rate(now.bytes_per_second)
        left = time_left(now, rotational=any(member.disk in turning for member in unit.members))
    return [
        drawn,
        Content(", ".join(filter(None, (f"{now.what}: {done}" if done else now.what, speed, left)))),
    ]


def _member(member: UnitMember, *, width: int) -> list[Content]:
    """A line, and another for what is known beside its state where that does not fit."""
    number = "   -" if member.slot is None else f"{member.slot:>4}"
    device = fit(harmless(member.path.removeprefix("/dev/")) or "-", _DEVICE)
    disk = fit(harmless(member.called or member.disk) or "-", _DISK, keep_end=True)
    style = (
        "" if member.state in _WELL
        else array_words.BAD if member.state in {"missing", "faulty"}
        else array_words.WARN
    )  # fmt: skip
    start = f"{number} {device} {disk} "
    said = harmless(member_words(member))
    if len(start) + len(said) <= width:
        return [Content.assemble(start, (said, style))]
    room = " " * (len(number) + 1)
    return [
        Content.assemble(start, (harmless(member.state), style)),
        Content(f"{room}{harmless(member.note)}"),
    ]
