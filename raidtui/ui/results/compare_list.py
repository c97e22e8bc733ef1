"""The list of results to pick from: its rows, filter, picks and baseline. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from raidtui.model.text import harmless, spelled
from raidtui.model.units import millions
from raidtui.results.summary import Summary
from raidtui.ui.shell import clock
from raidtui.ui.widgets.rows import Column, Row

COLUMNS: Final = (
    Column("", 6),
    Column("Label", 24, share=3),
    Column("Measured", 16),
    Column("What", 11, share=1),
    Column("Read", 8, right=True),
    Column("Write", 8, right=True),
)
PUBLISHED: Final = (  # published results have only a year, and a longer label
    Column("", 6),
    Column("Label", 30, share=2),
    Column("Year", 4),
    Column("What", 11, share=1),
    Column("Read", 9, right=True),
    Column("Write", 9, right=True),
)
_STYLES: Final = ("bold $text-accent", "", "$text-muted", "", "", "")


def when(created: str) -> str:
    """The time in local time; a published result may have only a year, or nothing."""
    return clock.local(created) if "T" in created else created


def plain_row(summary: Summary) -> Row:
    """The row of a result that is not picked."""
    # Name a backend only once if it is its own filesystem: "ZFS stripe".
    shape, filesystem = spelled(summary.level), summary.filesystem
    is_its_own = shape.lower().startswith(f"{filesystem} ")
    what = (shape if is_its_own else f"{shape} {filesystem}").strip() or summary.target
    return Row(
        summary.id,
        (
            "",
            harmless(summary.label or summary.id),
            when(summary.created),
            harmless(what),
            _megabytes(summary.read_bytes_per_second),
            _megabytes(summary.write_bytes_per_second),
        ),
        _STYLES,
    )


def picked_row(row: Row, place: int, *, base: bool) -> Row:
    """The same row, marked as the ``place``-th pick, counted from 1."""
    return Row(row.key, (f"{place}{' base' if base else ''}", *row.cells[1:]), row.styles)


def _megabytes(bytes_per_second: float) -> str:
    return millions(bytes_per_second) if bytes_per_second else "-"


FEWEST: Final = 2  # minimum results of a comparison
LONGEST: Final = 200  # maximum results of a history: the newest


@dataclass
class Picking:
    """The list of results, with the user's picks."""

    picked: list[str]  # ids, in the order of picking
    baseline: str = ""  # id of a result, or value of a group
    shows_published: bool = False
    only: str = ""  # the filter in lower case: list only rows that contain it
    own: dict[str, Row] = field(default_factory=dict)
    published: dict[str, Row] = field(default_factory=dict)
    _targets: dict[str, str] = field(default_factory=dict)

    def take(self, own: Sequence[Summary], others: Sequence[Summary]) -> None:
        """Set the own results, newest first, and the published ones."""
        self.own = {summary.id: plain_row(summary) for summary in own}
        self.published = {summary.id: plain_row(summary) for summary in others}
        self._targets = {summary.id: summary.target for summary in own}
        self.picked = [word for word in self.picked if word in self.own or word in self.published]

    @property
    def can_compare(self) -> bool:
        """Whether enough results are picked."""
        return len(self.picked) >= FEWEST

    @property
    def opens(self) -> bool:
        """Whether Enter opens the highlighted result: nothing is picked, or there is no second one to pick."""
        return (
            not self.shows_published and (not self.picked or len(self.own) < FEWEST) and not self.can_compare
        )

    def rows(self) -> list[Row]:
        """The rows of own or published results that pass the filter, with the places of picked ones."""
        if self.baseline not in self.picked:
            self.baseline = next(iter(self.picked), "")
        return [
            picked_row(row, self.picked.index(key) + 1, base=key == self.baseline)
            if key in self.picked
            else row
            for key, row in (self.published if self.shows_published else self.own).items()
            if self.only in " ".join(row.cells).casefold()
        ]

    def hint(self, rows: int) -> str:
        """The hint below a list of ``rows`` rows: what to do next."""
        if not rows and self.only:
            return "No result has this text. Esc lists all of them again."
        if not rows:
            return (
                "No results yet. Press b on the overview to run one, p to see published ones. 'raidtui results import FILE' "
                "brings others here."
            )
        keys = "p published figures, h history"
        if len(self.own) < FEWEST and not self.shows_published:
            return f"The only result so far: measure another array to compare. {keys}"
        if not self.can_compare:
            return f"Pick two or more with Space; {len(self.picked)} picked. {keys}"
        return f"{len(self.picked)} picked. Enter compares them. {keys}"

    def toggle(self, key: str) -> None:
        """Pick a result, or clear it."""
        if key in self.picked:
            self.picked.remove(key)
        elif key:
            self.picked.append(key)

    def target(self, key: str) -> str:
        """The target of an own result; empty if unknown."""
        return self._targets.get(key, "")

    def history(self, key: str) -> tuple[str, ...]:
        """The newest results of the same target."""
        target = self.target(key)
        return tuple(word for word, other in self._targets.items() if other == target)[:LONGEST]
