"""On a wide terminal, every disk: its size, health and temperature, and what uses it. Pure."""

from collections.abc import Sequence

from textual.content import Content

from raidtui.model.machine import Machine
from raidtui.model.spec import Spec
from raidtui.model.unit import Unit
from raidtui.ui.care.unit_panel import unit_detail
from raidtui.ui.wizard import disk_words


def disk_page(machine: Machine, *, width: int, room: int) -> Content:
    """The disks and, if ``room`` lines hold it, what the free ones would give."""
    from raidtui.ui.wizard.gives import what_they_give

    lines = disk_lines(machine, width=width)
    spec = Spec(name="array", level="")
    gives = what_they_give(spec, machine, width=width, room=room - len(machine.disks) - 3)
    return Content.assemble(lines, "\n\n", gives) if gives.plain else lines


def unit_page(
    unit: Unit | None,
    units: Sequence[Unit],
    machine: Machine | None,
    plan: Sequence[Content] = (),
    *,
    width: int,
    room: int,
) -> Content:
    """A unit with its members and, if ``room`` lines hold them, the lines of a ``plan`` and all disks."""
    lines = unit_detail(unit, units, machine, width=width, room=room) if unit is not None else []
    if plan and len(lines) + len(plan) < room:
        lines += [Content(""), *(line.truncate(width, ellipsis=True) for line in plan)]
    if machine is not None and len(lines) + len(machine.disks) + 1 < room:
        lines += [*([Content("")] if lines else []), disk_lines(machine, width=width)]
    return Content("\n").join(lines)


def disk_lines(machine: Machine, *, width: int, title: str = "Disks", room: int | None = None) -> Content:
    """All disks of ``machine`` under ``title``; in ``room`` lines, with the number of those that are not named."""
    rows = [
        (
            disk.short,
            disk_words.short_number(disk) or "no serial",
            disk_words.size(disk),
            disk_words.health(disk),
            disk_words.temperature(disk),
            disk_words.state(disk, machine),
        )
        for disk in machine.disks
    ]
    if all(word == "-" for _, _, _, (word, _), _, _ in rows):  # without a heading, it says nothing
        rows = [(*row[:3], ("", ""), *row[4:]) for row in rows]
    names, serials, sizes, healths, warmths = (
        (
            max((len(text) for text in column), default=0)
            for column in zip(*((a, b, c, d[0], e) for a, b, c, d, e, _ in rows), strict=True)
        )
        if rows
        else (0, 0, 0, 0, 0)
    )
    lines = [Content.assemble((title, "bold $text-primary"))]
    named = rows if room is None or len(rows) < room else rows[: max(0, room - 2)]
    for name, serial, size, health, warmth, (used, style) in named:
        line = Content.assemble(
            f"{name:<{names}} {serial:<{serials}} {size:>{sizes}} ",
            (f"{health[0]:<{healths}}", health[1]),
            f"{' ' if healths else ''}{warmth:>{warmths}} ",
            (used, style),
        )
        lines.append(line.truncate(width, ellipsis=True))
    if named is not rows:
        lines.append(Content.assemble((f"and {len(rows) - len(named)} more", "$text-muted")))
    return Content("\n").join(lines)
