"""The lines that show an array while it is built: its sync, its members, and what happened to them. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from textual.content import Content

from raidtui.backends.pace import limit_words
from raidtui.machine.words import is_paused, percent, share
from raidtui.model.machine import Array, Machine, Member, Sync
from raidtui.model.text import harmless
from raidtui.model.unit import Limits
from raidtui.model.units import decimal, rate
from raidtui.ui.care import array_words
from raidtui.ui.care.activity import Activity
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

_PERCENT = 8  # cells of " 100.0 %"
_DEVICE, _STATE, _NOW = 7, 14, 18  # cells of columns
_IDLE = 50_000  # bytes a second: less is a superblock now and then


def sync_lines(
    array: Array,
    sync: Sync | None,
    limits: Limits | None,
    machine: Machine | None,
    *,
    width: int,
    first: bool,
) -> list[Content]:
    """How the array is, how far its sync is, and its limits. ``sync``: the last one known, if it is paused."""
    words, style = array_words.state(array, first=first)
    lines = [Content.assemble((words[0].upper() + words[1:], style or "bold"))]
    if sync is None or sync.waiting:
        return lines
    size = max(10, width - _PERCENT)
    lines.append(Content.assemble((bar(share(sync), size), "$primary"), f"{percent(sync):>8}"))
    # A level that has parity or copies syncs its members side by side: each passes over the same number of bytes.
    whose = "" if array.level == "raid10" else " of each member"
    done = f"{decimal(sync.done_bytes):>7} of {decimal(sync.total_bytes)}{whose}"
    if is_paused(array):
        lines.append(Content(f"{done}, paused: p resumes"))
    else:
        left = array_words.time_left(array, sync, machine)
        lines.append(Content(f"{done}, {rate(sync.bytes_per_second):>11}, {left}"))
    if limits is not None:
        lines.append(Content.assemble((limit_words(limits), "$text-muted")))
    return lines


def member_lines(
    array: Array, activity: Mapping[str, Activity], *, sync: Sync | None, width: int, most: int
) -> list[Content]:
    """A line for each member and each empty slot, at most ``most`` with the header: the troubled ones stay.

    Args:
        sync: the last one known; how far it is shows on the members that it fills.
    """
    rows = _rows(array)
    shown, rest = rows, []
    if len(rows) + 1 > most:
        by_weight = sorted(range(len(rows)), key=lambda place: (not _is_troubled(rows[place], array), place))
        kept = set(by_weight[: max(0, most - 2)])
        shown = [row for place, row in enumerate(rows) if place in kept]
        rest = [row for place, row in enumerate(rows) if place not in kept]
    columns = _Columns.fitting(width)
    header = (
        f"slot {fit('member', _DEVICE)} {fit('disk', columns.disk)} {fit('in sync', columns.bar)} "
        f"{fit('state', _STATE)} {fit('now', _NOW)} busy"
    )
    lines = [Content.assemble((header.rstrip(), "bold $text-muted"))]
    lines += [_member_line(slot, member, array, activity, sync, columns) for slot, member in shown]
    if rest:
        lines.append(Content.assemble((f"     and {len(rest)} more{_others(rest, array)}", "$text-muted")))
    return lines


def filled(member: Member, array: Array, sync: Sync | None) -> float:
    """The part of a member, 0 to 1, that is known to agree with the others.

    A recovery fills the members that are not in sync yet; a resync passes over all of them side by side.
    """
    passed = share(sync) if sync is not None else 0.0
    if "faulty" in member.state or member.slot is None:
        return 0.0
    if "in_sync" not in member.state:
        return passed
    return passed if sync is not None and sync.action == "resync" else 1.0


class _Columns(NamedTuple):
    """Cells of the columns that take what the others leave."""

    disk: int
    bar: int

    @classmethod
    def fitting(cls, width: int) -> Self:
        room = width - len("slot ") - _DEVICE - _STATE - _NOW - len("busy") - 5
        disk = max(12, min(24, room - 20))
        return cls(disk, max(8, min(40, room - disk)))


def _rows(array: Array) -> list[tuple[int | None, Member | None]]:
    """Slots in order, those without a member too; then spares and what failed."""
    rows: list[tuple[int | None, Member | None]] = [(m.slot, m) for m in array.members]
    filled = {member.slot for member in array.members}
    if array.degraded is not None:
        rows += [(slot, None) for slot in range(array.raid_disks) if slot not in filled]
    return sorted(rows, key=lambda row: (row[0] is None, row[0] or 0))


def _is_troubled(row: tuple[int | None, Member | None], array: Array) -> bool:
    member = row[1]
    return member is None or array_words.member_state(member, array)[0] != "in sync"


def _member_line(
    slot: int | None,
    member: Member | None,
    array: Array,
    activity: Mapping[str, Activity],
    sync: Sync | None,
    columns: _Columns,
) -> Content:
    number = "   -" if slot is None else f"{slot:>4}"
    if member is None:
        lost = next((one for one in array.lost if one.slot == slot), None)
        disk = harmless(lost.disk) if lost is not None else ""
        blank = (
            f"{number} {fit('-', _DEVICE)} {fit(disk, columns.disk, keep_end=True)} {fit('', columns.bar)} "
        )
        return Content.assemble(blank, ("MISSING", array_words.BAD))
    state, style = array_words.member_state(member, array)
    does = activity.get(member.path.removeprefix("/dev/"))
    disk = harmless(member.disk) or "disk is gone"
    holds_data = member.slot is not None and "faulty" not in member.state
    now = f" {_now(does)} {does.busy_percent:>3.0f}%" if does is not None else ""
    return Content.assemble(
        f"{number} {fit(array_words.device(member), _DEVICE)} {fit(disk, columns.disk, keep_end=True)} ",
        (bar(filled(member, array, sync), columns.bar) if holds_data else " " * columns.bar, "$primary"),
        " ",
        (fit(state, _STATE), style),
        now,
    )


def _now(does: Activity) -> str:
    """What a member mostly does at the moment."""
    if max(does.read, does.write) < _IDLE:
        return fit("idle", _NOW)
    word, speed = ("reads", does.read) if does.read >= does.write else ("writes", does.write)
    return fit(f"{word:<6} {rate(speed):>11}", _NOW)


def _others(rest: Sequence[tuple[int | None, Member | None]], array: Array) -> str:
    states = {array_words.member_state(member, array)[0] for _, member in rest if member is not None}
    return f", all {states.pop()}" if len(states) == 1 else ""
