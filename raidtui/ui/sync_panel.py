"""The lines that show an array while it is built: its sync, its members, and what happened to them. Pure."""

from collections.abc import Mapping, Sequence

from textual.content import Content

from raidtui.model.machine import Array, Machine, Member, Sync
from raidtui.model.text import harmless
from raidtui.model.units import decimal, rate
from raidtui.ui import array_words, pace
from raidtui.ui.activity import Activity
from raidtui.ui.array_words import percent
from raidtui.ui.bars import bar
from raidtui.ui.widgets.rows import fit

_PERCENT = 8  # cells of " 100.0 %"


def sync_lines(
    array: Array, sync: Sync | None, machine: Machine | None, *, width: int, first: bool
) -> list[Content]:
    """How the array is, and how far its sync is. ``sync``: the last one known, if it is paused."""
    words, style = array_words.state(array, first=first)
    lines = [Content.assemble((words[0].upper() + words[1:], style or "bold"))]
    if sync is None or sync.waiting:
        return lines
    share = sync.done_bytes / sync.total_bytes if sync.total_bytes else 0.0
    size = max(10, width - _PERCENT)
    lines.append(Content.assemble((bar(share, size), "$primary"), f"{percent(sync):>6.1f} %"))
    # A level that has parity or copies syncs its members side by side: each passes over the same number of bytes.
    whose = "" if array.level == "raid10" else " of each member"
    done = f"{decimal(sync.done_bytes):>7} of {decimal(sync.total_bytes)}{whose}"
    if array_words.is_paused(array):
        lines.append(Content(f"{done}, paused: p goes on"))
    else:
        rotational = array_words.is_rotational(array, machine)
        left = array_words.time_left(sync, rotational=rotational)
        lines.append(Content(f"{done}, {rate(sync.bytes_per_second):>11}, {left}"))
    limits = pace.limits(array, machine.system if machine else None)
    if limits:
        lines.append(Content.assemble((limits, "$text-muted")))
    return lines


def member_lines(array: Array, activity: Mapping[str, Activity], *, width: int, most: int) -> list[Content]:
    """A line for each member and each empty slot, at most ``most`` with the header: the troubled ones stay."""
    rows = _rows(array)
    shown, rest = rows, []
    if len(rows) + 1 > most:
        by_weight = sorted(range(len(rows)), key=lambda place: (not _is_troubled(rows[place], array), place))
        kept = set(by_weight[: max(0, most - 2)])
        shown = [row for place, row in enumerate(rows) if place in kept]
        rest = [row for place, row in enumerate(rows) if place not in kept]
    identity = max(12, min(24, width - 66))
    header = f"slot member  {fit('disk', identity)} {'state':<16} {'read':>11} {'write':>11}  busy"
    lines = [Content.assemble((header, "bold $text-muted"))]
    lines += [_member_line(slot, member, array, activity, identity) for slot, member in shown]
    if rest:
        lines.append(Content.assemble((f"     and {len(rest)} more{_others(rest, array)}", "$text-muted")))
    return lines


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
    identity: int,
) -> Content:
    number = "   -" if slot is None else f"{slot:>4}"
    if member is None:
        return Content.assemble(f"{number} {'-':<7} {fit('', identity)} ", ("MISSING", array_words.BAD))
    state, style = array_words.member_state(member, array)
    does = activity.get(member.path.removeprefix("/dev/"))
    disk = harmless(member.disk) or "disk is gone"
    told = ""
    if does is not None:
        told = f" {rate(does.read):>11} {rate(does.write):>11} {does.busy_percent:>4.0f}%"
    return Content.assemble(
        f"{number} {fit(array_words.device(member), 7)} {fit(disk, identity, keep_end=True)} ",
        (fit(state, 16), style),
        told,
    )


def _others(rest: Sequence[tuple[int | None, Member | None]], array: Array) -> str:
    states = {array_words.member_state(member, array)[0] for _, member in rest if member is not None}
    return f", all {states.pop()}" if len(states) == 1 else ""
