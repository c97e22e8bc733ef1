"""The lines about a unit: its state, activity, members and settings. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Self

from textual.content import Content

from raidtui.backends.pace import limit_words
from raidtui.backends.registry import backend
from raidtui.backends.unit_words import member_words
from raidtui.backends.units import is_rotational
from raidtui.model.chance import in_percent
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import WELL, Activity, Health, Unit, UnitMember
from raidtui.model.units import both, decimal, rate
from raidtui.ui.care import unit_styles
from raidtui.ui.care.traffic import Traffic
from raidtui.ui.widgets.bars import bar, percent_bar
from raidtui.ui.widgets.rows import fit

_SLOT, _STATE, _NOW, _BUSY = 5, 14, 18, 5  # cells of columns
_IDLE: Final = 50_000  # bytes a second: less is only superblock updates


def unit_detail(
    unit: Unit, units: Sequence[Unit], machine: Machine | None, *, width: int, room: int | None = None
) -> list[Content]:
    """All details of a unit: what it is and where, its state, settings and members.

    Args:
        room: lines; None: as many as all members need.
    """
    noun = backend(unit.backend).noun
    size = both(unit.size_bytes) if unit.size_bytes else ""
    places = ", ".join(unit.mountpoints)
    mounted = f"at {places}" if places else "not mounted"
    lines = [
        Content.assemble((harmless(f"{noun[:1].upper()}{noun[1:]} {unit.shown}"), "bold $text-primary")),
        Content(harmless(", ".join(filter(None, (spelled(unit.level), size, unit.node, mounted))))),
        *state_lines(unit, units, machine, width=width),
        *(Content(harmless(line)) for line in unit.details),
        Content(""),
    ]
    most = len(unit.members) + 1 if room is None else room - len(lines)
    return [*lines, *member_lines(unit, None, width=width, most=most)] if most > 1 else lines[:room]


def state_lines(
    unit: Unit,
    units: Sequence[Unit],
    machine: Machine | None,
    *,
    width: int,
    first: bool = False,
    resumes: str = "",
    built: bool = True,
) -> list[Content]:
    """The state of a unit, the progress of its activity, and its speed limits.

    Args:
        first: its resync is the first one.
        resumes: the key that resumes a paused activity; empty if there is none.
        built: False: steps that build it are still to come, so it is not to be used yet.
    """
    now, state = unit.activity, harmless(unit.state)
    if not built:
        state = state.removesuffix(", usable now")
    if (
        first
        and now is not None
        and now.what == "resync"
        and not now.paused
        and unit.health is Health.SYNCING
    ):
        state = f"initial {state}"
    style = unit_styles.style_of(unit) or "bold"
    lines = [Content.assemble((f"{state[:1].upper()}{state[1:]}", style))]
    if now is None:
        return [*lines, Content(harmless(unit.scrubbed))] if unit.scrubbed else lines
    if now.waiting:
        return lines
    if now.paused and not now.fraction and not now.total_bytes:
        return lines  # its progress is unknown
    lines.append(Content.assemble((percent_bar(now.fraction, width), "$primary")))
    if words := _activity_words(unit, now, machine, resumes):
        lines.append(Content(words))
    if unit.limits is not None:
        lines.append(Content.assemble((limit_words(unit.limits), "$text-muted")))
    return lines


def _activity_words(unit: Unit, now: Activity, machine: Machine | None, resumes: str) -> str:
    from raidtui.advice.time_left import time_left

    done = ""
    if now.total_bytes:
        whose = " of each member" if now.of_each else ""
        done = f"{decimal(now.done_bytes):>7} of {decimal(now.total_bytes)}{whose}"
    if now.paused:
        return ", ".join(filter(None, (done, f"paused: {resumes} resumes" if resumes else "paused")))
    if now.bytes_per_second is None:
        return done
    left = time_left(now, rotational=is_rotational(unit, machine))
    return f"{done}, {rate(now.bytes_per_second):>11}, {left}"


def member_lines(
    unit: Unit, traffic: Mapping[str, Traffic] | None, *, width: int, most: int
) -> list[Content]:
    """A line for each member, at most ``most`` with the header: healthy members are left out first.

    Args:
        traffic: the current I/O of each device, by kernel name; None to show none.
    """
    rows = sorted(unit.members, key=lambda one: (one.slot is None, one.slot or 0))
    shown, rest = rows, []
    if len(rows) + 1 > most:
        by_weight = sorted(range(len(rows)), key=lambda at: (rows[at].state in WELL, at))
        kept = set(by_weight[: max(0, most - 2)])
        shown = [row for at, row in enumerate(rows) if at in kept]
        rest = [row for at, row in enumerate(rows) if at not in kept]
    has_devices = any(member.path.startswith("/dev/") for member in unit.members)
    columns = _Columns.fitting(unit, width, with_traffic=traffic is not None and has_devices)
    lines = [Content.assemble((columns.header, "bold $text-muted"))]
    lines += [line for one in shown for line in _member_lines(one, unit, traffic, columns, width)]
    if rest:
        states = {member.state for member in rest}
        others = f", all {states.pop()}" if len(states) == 1 else ""
        lines.append(Content.assemble((harmless(f"     and {len(rest)} more{others}"), "$text-muted")))
    return lines


class _Columns(NamedTuple):
    """The widths of the columns in cells; 0 for a column that is not shown."""

    device: int
    disk: int
    bar: int
    state: int
    now: int

    @classmethod
    def fitting(cls, unit: Unit, width: int, *, with_traffic: bool) -> Self:
        """Fit the columns to ``width``: disk and bar take what the others leave."""
        names = [len(member.path.removeprefix("/dev/")) for member in unit.members]
        if not with_traffic:
            return cls(device=12, disk=28, bar=0, state=0, now=0)
        device = min(12, max([7, *names]))
        room = width - _SLOT - device - _STATE - _NOW - _BUSY - 5
        if all(member.filled is None for member in unit.members):
            disk = max(12, min(28, room))
            longest = max([_STATE, *(len(member_words(member)) for member in unit.members)])
            state = min(longest, _STATE + max(0, room + 1 - disk))
            return cls(device=device, disk=disk, bar=0, state=state, now=_NOW)
        disk = max(12, min(24, room - 20))
        return cls(device=device, disk=disk, bar=max(8, room - disk), state=_STATE, now=_NOW)

    @property
    def header(self) -> str:
        parts = [
            f"slot {fit('member', self.device)} {fit('disk', self.disk)}",
            *([fit("in sync", self.bar)] if self.bar else []),
            fit("state", self.state) if self.state else "state",
            *([f"{fit('now', self.now)} {'busy':>{_BUSY}}"] if self.now else []),
        ]
        return " ".join(parts).rstrip()


def _member_lines(
    member: UnitMember, unit: Unit, traffic: Mapping[str, Traffic] | None, columns: _Columns, width: int
) -> list[Content]:
    """A line for a member, and a second one for a note that does not fit."""
    number = f"{'-' if member.slot is None else member.slot:>4}"
    device = fit(harmless(member.path.removeprefix("/dev/")) or "-", columns.device)
    start = f"{number} {device} {fit(_disk(member, unit), columns.disk, keep_end=True)} "
    style, words = unit_styles.member_style(member, unit), harmless(member_words(member))
    drawn = (
        bar(member.filled, columns.bar) if columns.bar and member.filled is not None else " " * columns.bar
    )
    space = " " if columns.bar else ""
    if member.state == "missing":
        return [Content.assemble(start, drawn, space, ("MISSING", style))]
    if not columns.state:
        if len(start) + len(words) <= width:
            return [Content.assemble(start, (words, style))]
        more = [Content(f"{' ' * _SLOT}{harmless(member.note)}")]
        return [Content.assemble(start, (harmless(member.state), style)), *more]
    does = (traffic or {}).get(member.path.removeprefix("/dev/"))
    now = f" {_now(does)} {in_percent(does.busy_percent / 100):>{_BUSY}}" if does is not None else ""
    state = (fit(harmless(member.state), columns.state), style)
    line = Content.assemble(start, (drawn, "$primary"), space, state, now)
    return [line] if len(words) <= columns.state else [line, Content(f"{' ' * _SLOT}{words}")]


def _disk(member: UnitMember, unit: Unit) -> str:
    """The disk of a member, or the lost disk of its slot."""
    if member.where:
        return harmless(member.where)
    if member.state == "missing":
        return next((harmless(one.disk) for one in unit.lost if one.slot == member.slot), "")
    return "disk is gone" if member.role == "faulty" else "-"


def _now(does: Traffic) -> str:
    """The current I/O of a member: idle, or the larger of reads and writes."""
    if max(does.read, does.write) < _IDLE:
        return fit("idle", _NOW)
    word, speed = ("reads", does.read) if does.read >= does.write else ("writes", does.write)
    return fit(f"{word:<6} {rate(speed):>11}", _NOW)
