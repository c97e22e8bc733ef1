"""Where the data of a layout lies: the map of its first rows, and the pairs of disks that must not both fail. Pure."""

from collections.abc import Iterator, Sequence
from math import comb
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # the Level screen draws before it calculates
    from raidtui.advice.report import Report
    from raidtui.backends.data_map import Cell, DataMap

_NAMED: Final = 48  # pairs at most that are listed by name


def data_map_of(report: "Report", names: Sequence[str], *, layout: str, rows: int) -> "DataMap":
    """The first ``rows`` rows of a layout; ``names`` are its disks in slot order."""
    from raidtui.backends.data_map import Arrangement
    from raidtui.backends.registry import backend

    wanted = Arrangement(
        level=report.level,
        layout=layout,
        names=tuple(names),
        used=tuple(use.used_bytes for use in report.members),
        groups=report.groups,
        piece=report.piece_bytes // report.chunk_bytes if report.piece_bytes else 0,
    )
    return backend(report.backend).data_map(wanted, rows)


def map_sentences(found: "DataMap", names: Sequence[str]) -> Iterator[str]:
    """The map read aloud: a sentence for each row, and what it means."""
    for zone in found.zones:
        before = f"{zone.title}, row" if zone.title else "Row"
        for number, row in enumerate(zone.rows, 1):
            cells = zip(names, row, strict=False)
            yield f"{before} {number}: {', '.join(f'{name} {_aloud(cell)}' for name, cell in cells)}."
    yield found.words


def _aloud(cell: "Cell") -> str:
    if cell.kind == "data":
        return f"copy of D{cell.chunk + 1}" if cell.copy else f"D{cell.chunk + 1}"
    return {"empty": "empty", "P": "parity P", "Q": "parity Q"}[cell.kind]


def pairs_words(report: "Report", names: Sequence[str]) -> str:
    """A sentence: which pairs of disks must not both fail."""
    lives = report.survives
    if lives is None:
        return ""
    if not lives.guaranteed:
        return "Any failed disk loses data."
    if report.fatal_pairs:
        pairs = ", ".join(f"{names[a]}+{names[b]}" for a, b in report.fatal_pairs[:_NAMED])
        more = " …" if len(report.fatal_pairs) > _NAMED else ""
        count = f"{len(report.fatal_pairs)} of {comb(len(names), 2)}"
        return f"Data is lost if both disks of a pair fail, {count}: {pairs}{more}."
    if lives.second_failure_fatal_probability:
        return "Any two failed disks lose data."
    return "Any two disks can fail."
