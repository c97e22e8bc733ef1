"""Differences between results that forbid or limit their comparison."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from raidtui.model.result import Cell, Result
from raidtui.model.units import spell_size
from raidtui.results.as_cdm import TITLES

NOT_COMPARABLE: Final = "CSRFE"  # cells with one of these flags measured something other than their name says
_FEW: Final = 2  # results that are listed one by one; more are grouped by value
_LISTED: Final = 3  # names that are listed; of more, only the number
_FASTER_CLOCK: Final = (
    3,
    34,
)  # from this version fio reads the clock less: up to 1.5 times the IOPS on a busy processor
_BUSY_PERCENT: Final = 60.0  # of a processor


def letters(cell: Cell) -> str:
    """The letters of the cell's flags, those that forbid a comparison first: ``RV``."""
    found = {flag[0] for flag in cell.flags if flag}
    return "".join(sorted(found, key=lambda letter: (letter not in NOT_COMPARABLE, letter)))


def is_sound(cell: Cell) -> bool:
    """Whether no flag says that the cell measured something other than its name says."""
    return not set(letters(cell)) & set(NOT_COMPARABLE)


def clocks_differ(one: Result, other: Result, name: str, direction: str) -> bool:
    """Whether two cells were CPU-bound under versions of fio of which only one has the cheaper clock."""
    mine, theirs = _fio(one), _fio(other)
    if not mine or not theirs or (mine < _FASTER_CLOCK) == (theirs < _FASTER_CLOCK):
        return False
    cells = (one.cell(name, direction), other.cell(name, direction))
    return any(cell is not None and _is_busy(cell) for cell in cells)


def are_unlike(one: Cell, other: Cell) -> bool:
    """Whether two cells of one name have different I/Os: the blocks of a chunk row are as large as the chunk."""
    pairs = (
        (one.block_bytes, other.block_bytes),
        (one.queue_depth, other.queue_depth),
        (one.threads, other.threads),
    )
    return any(mine and theirs and mine != theirs for mine, theirs in pairs)


def remarks(results: Sequence[Result], names: Sequence[str]) -> tuple[str, ...]:
    """A sentence for everything that differs, and for every result with cells that cannot be compared.

    Args:
        names: the name of each result; results of one column share a name.
    """
    notes = []
    for what in _OF_CARDS:  # these matter more than anything below
        answers = [_property(result, what) for result in results]
        if len({answer for answer in answers if answer}) > 1:
            notes.append(f"not the same: the {what} ({_each(names, [one or 'unknown' for one in answers])})")
    for what, ask in _SAME:
        answers = [ask(result) for result in results]
        if len(set(answers)) > 1:
            notes.append(f"not the same: {what} ({_each(names, answers)})")
    for what, ask in (*_KNOWN, *_built(results)):
        answers = [ask(result) for result in results]
        if len({answer for answer in answers if answer}) > 1:
            missing = _WITHOUT.get(what, "unknown")
            notes.append(f"not the same: {what} ({_each(names, [one or missing for one in answers])})")
    notes += _not_comparable(results, names)
    for name, result in zip(names, results, strict=True):
        bad = [
            f"{cell.name} {cell.direction} ({found})"
            for cell in result.cells
            if (found := "".join(letter for letter in letters(cell) if letter in NOT_COMPARABLE))
        ]
        if bad:
            notes.append(f"{name} has cells that are not comparable: {', '.join(bad)}")
    return tuple(notes)


def _built(results: Sequence[Result]) -> Sequence[tuple[str, Callable[[Result], str]]]:
    """How the units were made, unless their levels are what is compared.

    Different backends have different default chunks, whatever they call the level.
    """
    if len({_level(result) for result in results}) == 1:
        return _BUILT
    makers = {result.context.unit.backend for result in results if result.context.unit}
    return _BUILT[:1] if len(makers) > 1 else ()


def _each(names: Sequence[str], answers: Sequence[str]) -> str:
    each = dict.fromkeys(f"{name}: {answer}" for name, answer in zip(names, answers, strict=True))
    if len(each) <= _FEW:
        return ", ".join(each)
    pairs = list(zip(names, answers, strict=True))
    common = {answer: [name for name, one in pairs if one == answer] for answer in answers}
    return "; ".join(
        f"{answer}: {', '.join(dict.fromkeys(some)) if len(set(some)) <= _LISTED else f'{len(some)} results'}"
        for answer, some in sorted(common.items(), key=lambda one: len(one[1]))  # the odd ones first
    )


def _not_comparable(results: Sequence[Result], names: Sequence[str]) -> list[str]:
    """Sentences on single cells that cannot be compared with those of the first result, and why."""

    def is_unlike(result: Result, cell: Cell) -> bool:
        base = results[0].cell(cell.name, cell.direction)
        return base is not None and are_unlike(cell, base)

    def has_another_clock(result: Result, cell: Cell) -> bool:
        return clocks_differ(results[0], result, cell.name, cell.direction)

    reasons: tuple[tuple[str, Callable[[Result, Cell], bool]], ...] = (
        ("I/Os of another size or number", is_unlike),
        (
            "fio since 3.34 reads the clock less and does more I/Os when CPU-bound",
            has_another_clock,
        ),
    )
    notes = []
    for reason, applies in reasons:
        found = [
            f"{cell.name} {cell.direction} of {name}"
            for name, result in zip(names[1:], results[1:], strict=True)
            for cell in result.cells
            if applies(result, cell)
        ]
        if found:
            notes.append(f"{reason}; not comparable with {names[0]}: {', '.join(found)}")
    return notes


def _fio(result: Result) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,6}", result.context.tools.get("fio", ""))[:2])


def _is_busy(cell: Cell) -> bool:
    # fio's figure is the mean of its threads.
    return "B" in letters(cell) or any(run.processor_percent > _BUSY_PERCENT for run in cell.runs)


def _state(result: Result) -> str:
    """What the array was doing: ``in sync``, ``resync``, ``degraded``."""
    unit = result.context.unit
    words = [result.context.during_sync] if result.context.during_sync else []
    # md calls an array degraded during its initial recovery too; then naming the sync is enough.
    if unit is not None and unit.degraded and not result.context.during_sync:
        words.append("degraded")
    return " and ".join(words) or "in sync"


def _models(result: Result) -> str:
    models = sorted({disk.model for disk in result.context.disks if disk.model})
    return " and ".join(models) or "unknown"


_SAME: Final[tuple[tuple[str, Callable[[Result], str]], ...]] = (
    ("who measured", lambda r: r.context.origin or "raidtui"),
    (
        "the size of the test file",
        lambda r: spell_size(r.context.size_bytes) if r.context.size_bytes else "unknown",
    ),
    ("the cache (O_DIRECT)", lambda r: {True: "direct", False: "cached", None: "unknown"}[r.context.direct]),
    ("the place on the disks", lambda r: r.context.slice or "all of them"),
    ("the I/O engine", lambda r: r.context.engine or "unknown"),
    ("the version of fio", lambda r: r.context.tools.get("fio", "unknown")),
    ("the seconds of a run", lambda r: str(r.context.seconds or "unknown")),
    ("the number of runs", lambda r: str(r.context.runs or "unknown")),
    ("the profile", lambda r: r.profile),
    ("the array's state", _state),
    ("the model of the disks", _models),
    ("the computer", lambda r: r.context.hostname or "unknown"),
    ("the kernel", lambda r: r.context.kernel or "unknown"),
    ("the processor's governor", lambda r: r.context.governor or "none"),
)

_OF_CARDS: Final = ("write policy", "drive cache", "read-ahead", "battery", "cache", "controller", "firmware")
"""What makes a RAID card fast or slow, the most important first."""

_BACKEND: Final = "the backend"
_WITHOUT: Final = {_BACKEND: "none"}
"""The word for an empty value, where it does not mean unknown: a single disk has no backend."""
# Named only if known on both sides and different: other programs do not report any of it.
_KNOWN: Final[tuple[tuple[str, Callable[[Result], str]], ...]] = (
    (_BACKEND, lambda r: _maker(r)),
    ("whose method", lambda r: "" if r.context.origin else TITLES.get(r.context.compat, "raidtui's")),
    ("the mount options", lambda r: _mount_options(r)),
    ("the I/O scheduler", lambda r: r.context.scheduler),
    ("how full the filesystem is", lambda r: _fullness(r)),
)
# For arrays of one level only; otherwise the levels are what is compared.
_BUILT: Final[tuple[tuple[str, Callable[[Result], str]], ...]] = (
    ("the chunk", lambda r: spell_size(u.chunk_bytes) if (u := r.context.unit) and u.chunk_bytes else ""),
    ("the layout", lambda r: r.context.unit.layout if r.context.unit else ""),
    ("the consistency policy", lambda r: r.context.unit.consistency if r.context.unit else ""),
    (
        "the bitmap's chunk",
        lambda r: spell_size(u.bitmap_chunk_bytes) if (u := r.context.unit) and u.bitmap_chunk_bytes else "",
    ),
)
# These mount options follow from the array's geometry, or are the same everywhere.
_GEOMETRY: Final = ("stripe=", "sunit=", "swidth=", "logbsize=", "logbufs=", "subvol", "space_cache")
_FULL_PERCENT: Final = 80  # above this a filesystem has to search for free space


def _property(result: Result, what: str) -> str:
    return result.context.unit.properties.get(what, "") if result.context.card and result.context.unit else ""


def _maker(result: Result) -> str:
    """The backend or card of a unit; only the backend if a card reports its settings, which are compared one by one."""
    unit = result.context.unit
    if unit is None:
        return ""
    return unit.backend if unit.properties else result.context.card or unit.backend


def _level(result: Result) -> str:
    return result.context.unit.kind if result.context.unit else ""


def _mount_options(result: Result) -> str:
    options = result.context.mount_options.split(",")
    return ",".join(sorted(option for option in options if option and not option.startswith(_GEOMETRY)))


def _fullness(result: Result) -> str:
    percent = result.context.fill_percent
    if percent is None:
        return ""
    return f"more than {_FULL_PERCENT} %" if percent > _FULL_PERCENT else f"at most {_FULL_PERCENT} %"
