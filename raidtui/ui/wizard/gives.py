"""What disks would give as an array: a line for each level, and where the data of the recommended one would lie. Pure."""

from collections import Counter
from itertools import groupby
from typing import Final

from textual.content import Content

from raidtui.machine.attachment import attachment
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import Spec
from raidtui.model.units import decimal
from raidtui.ui.widgets.parts import Parts
from raidtui.ui.widgets.rows import Column, Row, fit
from raidtui.ui.wizard import disk_words
from raidtui.ui.wizard.chosen_disks import COUNTED
from raidtui.ui.wizard.level_names import advised_key, key_of, level_name

_LEAST: Final = 5  # lines: fewer say too little
_DRAWN: Final = 9  # lines of a map of four rows, its head and the line above
_ROWS: Final = 12  # of a map, at most


def what_they_give(spec: Spec, machine: Machine, *, width: int, room: int) -> Content:
    """What each level gives on the chosen disks, or on those that are free and alike, in at most ``room`` lines.

    Empty if there are fewer than two, or more than `COUNTED`: then calculating takes long.
    """
    words = spec.members if len(spec.members) > 1 else alike(machine)
    if room < _LEAST or not 2 <= len(words) <= COUNTED:
        return Content("")
    from raidtui.advice.recommend import recommend
    from raidtui.backends.suited import suited_to
    from raidtui.ui.wizard.estimates import disks_of, question_of, reports_of
    from raidtui.ui.wizard.level_lines import columns, row
    from raidtui.ui.wizard.level_view import LevelView, shown_levels

    asked = spec if spec.members == words else Spec(name=spec.name, level="", members=words)
    try:
        disks = disks_of(asked, machine)
        home = suited_to(tuple(disks.values()))[0]
        found = reports_of(question_of(asked, machine), home)
    except RaidtuiError:
        return Content("")  # Next says why
    advised = advised_key(home, recommend(found, home))
    shown, _ = shown_levels(found, LevelView(), (advised,))
    lines = [one for one in shown.values() if one.refused is None][: room - 2]
    if not lines:
        return Content("")
    size = sum(disk.size_bytes for disk in disks.values())
    each = decimal(next(iter(disks.values())).size_bytes)
    which = f"these {len(words)} disks" if asked is spec else f"the {len(words)} free disks of {each}"
    title = f"What {which} would give"
    heads = columns("level", every=False, width=width)
    kept = _fitting(heads, width)
    parts: Parts = [(f"{title}\n", "bold $text-primary")]
    titles = Row("", tuple(one.title for one in heads), ("bold $text-muted",))
    rows = [row(one, size, every=False, width=width, recommended=key_of(one) == advised) for one in lines]
    for one in (titles, *rows):
        parts += [*_line(heads, one, kept), "\n"]
    best = next((one for one in lines if key_of(one) == advised), None)
    names = [disk.short for disk in disks.values()]
    room -= len(lines) + 2
    if best is not None and room >= _DRAWN:
        from raidtui.ui.widgets.data_map import drawn_map

        title = f"* {level_name(best)} is recommended: where its data would lie"
        drawn = drawn_map(
            best, names[: len(words)], (), layout=best.layout, width=width, rows=min(_ROWS, room - _DRAWN + 4)
        )
        return Content.assemble(*parts, "\n", (f"{title}\n", "bold $text-primary"), drawn)
    return Content.assemble(*parts)


def where_it_lies(spec: Spec, machine: Machine, *, width: int, room: int) -> Content:
    """Where the data of the array that ``spec`` describes would lie; empty if ``room`` lines do not hold it."""
    from raidtui.ui.widgets.data_map import drawn_map
    from raidtui.ui.wizard.estimates import disks_of, question_of, reports_of

    if room < _DRAWN or len(spec.members) < 2:
        return Content("")
    try:
        disks = disks_of(spec, machine)
        found = reports_of(question_of(spec, machine), spec.backend, spec.level, spec.layout or "")
    except RaidtuiError:
        return Content("")  # Next says why
    ours = [one for one in found if one.level == spec.level and one.refused is None]
    report = next((one for one in ours if one.layout == spec.layout), next(iter(ours), None))
    if report is None:
        return Content("")
    names, spares = ([disks[word].short for word in words] for words in (spec.members, spec.spares))
    rows = min(_ROWS, room - _DRAWN + 4)
    drawn = drawn_map(report, names, spares, layout=spec.layout or report.layout, width=width, rows=rows)
    return Content.assemble(("Where its data would lie\n", "bold $text-primary"), drawn)


def alike(machine: Machine) -> tuple[str, ...]:
    """The free disks of the size that most of them have; empty for fewer than two."""
    free = [disk for disk in machine.disks if disk.free and disk.has_device]
    most = Counter(map(_kind, free)).most_common(1)
    if not most or most[0][1] < 2:
        return ()
    words = (disk_words.spec_name(disk, machine) for disk in free if _kind(disk) == most[0][0])
    return tuple(filter(None, words))


def _kind(disk: Disk) -> tuple[int, str]:
    return disk.size_bytes, attachment(disk)


def _fitting(columns: tuple[Column, ...], width: int) -> tuple[int, ...]:
    """The columns that fit: without speeds, which say the least, if all are too wide."""
    if sum(one.width + 1 for one in columns) <= width:
        return tuple(range(len(columns)))
    return tuple(index for index, one in enumerate(columns) if one.title not in {"Read", "Write"})


def _line(columns: tuple[Column, ...], row: Row, kept: tuple[int, ...]) -> Parts:
    parts: Parts = []
    for index in kept:
        column, cell = columns[index], row.cells[index]
        text = fit(cell, column.width, right=column.right)
        style = row.styles[index if len(row.styles) > 1 else 0]
        if row.marks is not None and row.marks[0] == index:
            parts += [("".join(run), row.marks[1].get(mark, style)) for mark, run in groupby(text)]
        else:
            parts.append((text, style))
        parts.append(" ")
    return parts
