"""The arrays as Overview shows them: a mark, how full each is, one sentence, and who is missing. Pure."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Final

from textual.content import Content

from raidtui.machine.space import Space
from raidtui.machine.words import health, is_paused, lost_words, share
from raidtui.model.machine import Array, Health, Machine
from raidtui.model.text import harmless
from raidtui.model.units import both, decimal, rate
from raidtui.ui.care import array_words
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

_MARKS: Final = {
    Health.OK: "OK",
    Health.SYNCING: "SYNC",
    Health.BUILDING: "BUILDING",
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
    Health.BUILDING,
    Health.SYNCING,
    Health.OK,
)


def array_blocks(
    arrays: Sequence[Array], spaces: Mapping[str, Space], machine: Machine | None, *, width: int
) -> list[Content]:
    """Every array in a few lines; what needs looking after comes first."""
    lines = []
    for array in sorted(arrays, key=_weight):
        lines += array_lines(array, spaces, machine, width=width)
    return lines


def _weight(array: Array) -> tuple[int, bool, str]:
    return _ORDER.index(health(array)), not array.lost, array.name


def array_lines(
    array: Array, spaces: Mapping[str, Space], machine: Machine | None, *, width: int
) -> list[Content]:
    """An array: mark, name and place; its space and its sync as bars; its state in a sentence; its lost members."""
    words, style = array_words.state(array)
    mark = f" {_MARKS[health(array)]}".ljust(_MARK)
    name = fit(array_words.called(array), min(_NAME, max(12, width // 4)))
    head = Content.assemble(
        (mark, f"reverse {style or 'bold'}"),
        " ",
        (name, "bold"),
        f" {fit(_about(array), width - len(name) - 12)}",
    )
    lines = [head]
    size = max(10, min(60, width - len(_INDENT) - _LABEL - _BESIDE))
    space = next((spaces[place] for place in array.mountpoints if place in spaces), None)
    if space is not None:
        full = space.share >= _FULL
        beside = (
            f"{decimal(space.used_bytes)} of {decimal(space.total_bytes)}, {100 * space.share:.0f} % used"
        )
        lines.append(_bar("space", space.share, size, beside, "$text-warning" if full else "$text-success"))
    if array.sync is not None and not array.sync.waiting and not is_paused(array):
        left = array_words.time_left(array, array.sync, machine)
        lines.append(
            _bar("sync", share(array.sync), size, f"{rate(array.sync.bytes_per_second)}, {left}", "$primary")
        )
    room = width - len(_INDENT)
    lines += [Content.assemble(_INDENT, (line, style)) for line in wrap(words, room)]
    for lost in array.lost:
        said = wrap(f"lost: {harmless(lost_words(lost))}", room, subsequent_indent="      ")
        lines += [Content.assemble(_INDENT, (line, array_words.BAD)) for line in said]
    if array.lost:
        lines.append(Content.assemble(_INDENT, ("a acknowledges: shown no more", "$text-muted")))
    return lines


def _about(array: Array) -> str:
    level = (array.level or "array").upper() if array.level.startswith("raid") else array.level or "array"
    size = both(array.size_bytes) if array.size_bytes else ""
    places = ", ".join(harmless(place) for place in array.mountpoints)
    where = f"at {places}" if places else "not mounted"
    return ", ".join(
        filter(None, [f"{level} of {array.raid_disks}" if array.raid_disks else level, size, where])
    )


def _bar(label: str, part: float, size: int, beside: str, style: str) -> Content:
    return Content.assemble(f"{_INDENT}{label.ljust(_LABEL)}", (bar(part, size), style), f" {beside}")
