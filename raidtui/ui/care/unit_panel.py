"""The lines that show a unit of another backend than md while it is built: state, activity, members. Pure."""

from textual.content import Content

from raidtui.backends.pace import limit_words
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.unit import Activity, Unit, UnitMember
from raidtui.model.units import decimal, rate
from raidtui.ui.care import array_words
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

_PERCENT = 8  # cells of " 100.0 %"
_DEVICE, _DISK = 12, 28  # cells of columns
_WELL = frozenset({"in sync", "in use", "not used", "spare"})


def unit_panel(unit: Unit, machine: Machine | None, *, width: int, most: int) -> list[Content]:
    """How it is, how far what it does is, and a line a member: at most ``most`` of those, the troubled ones first."""
    said = harmless(unit.state)
    style = array_words.STYLES[unit.health] or "bold"
    lines = [Content.assemble((f"{said[:1].upper()}{said[1:]}", style))]
    if unit.activity is not None:
        lines += _activity_lines(unit, unit.activity, machine, width=width)
        if unit.limits is not None and not unit.activity.waiting:
            lines.append(Content.assemble((limit_words(unit.limits), "$text-muted")))
    elif unit.scrubbed:
        lines.append(Content(harmless(unit.scrubbed)))
    lines.append(Content(""))
    header = f"slot {fit('member', _DEVICE)} {fit('disk', _DISK)} state"
    lines.append(Content.assemble((header, "bold $text-muted")))
    members = sorted(unit.members, key=lambda one: one.state in _WELL)
    shown = unit.members if len(members) <= most else tuple(members[: max(1, most - 1)])
    lines += [_member_line(member) for member in shown]
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


def _member_line(member: UnitMember) -> Content:
    number = "   -" if member.slot is None else f"{member.slot:>4}"
    device = fit(harmless(member.path.removeprefix("/dev/")) or "-", _DEVICE)
    disk = fit(harmless(member.called or member.disk) or "-", _DISK, keep_end=True)
    style = (
        "" if member.state in _WELL
        else array_words.BAD if member.state in {"missing", "faulty"}
        else array_words.WARN
    )  # fmt: skip
    return Content.assemble(f"{number} {device} {disk} ", (harmless(member.state), style))
