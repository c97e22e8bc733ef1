"""Which results are listed, which of them are picked, and which one is the baseline. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from raidtui.results.summary import Summary
from raidtui.ui.results.compare_list import picked_row, plain_row
from raidtui.ui.widgets.rows import Row

FEWEST: Final = 2  # results of a comparison
LONGEST: Final = 200  # results of a history: the newest


@dataclass
class Picking:
    """The list of results as the user has left it."""

    picked: list[str]  # ids, in the order in which they were picked
    baseline: str = ""  # the id of a result, or the value of a group
    shows_published: bool = False
    only: str = ""  # the text that a row must have to be listed, in small letters
    own: dict[str, Row] = field(default_factory=dict)
    published: dict[str, Row] = field(default_factory=dict)
    _targets: dict[str, str] = field(default_factory=dict)

    def take(self, own: Sequence[Summary], others: Sequence[Summary]) -> None:
        """There are these results, newest first, and these that others published."""
        self.own = {summary.id: plain_row(summary) for summary in own}
        self.published = {summary.id: plain_row(summary) for summary in others}
        self._targets = {summary.id: summary.target for summary in own}
        self.picked = [word for word in self.picked if word in self.own or word in self.published]

    @property
    def can_compare(self) -> bool:
        """Whether enough are picked."""
        return len(self.picked) >= FEWEST

    def rows(self) -> list[Row]:
        """The list: own results or published ones that have the text, with the places of those that are picked."""
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
        """What to do next, below a list of that many rows."""
        if not rows and self.only:
            return "No result has this text. Esc lists all of them again."
        if not rows:
            return (
                "No results yet. b on the overview measures one; 'raidtui results import FILE' brings others here, "
                "and p lists what others published."
            )
        keys = "p published figures, h history"
        if len(self.own) < FEWEST and not self.shows_published:
            return f"The only result so far: measure another array to compare. {keys}"
        if not self.can_compare:
            return f"Pick two or more with Space; {len(self.picked)} picked. {keys}"
        return f"{len(self.picked)} picked. Enter compares them. {keys}"

    def toggle(self, key: str) -> None:
        """Pick a result, or drop it."""
        if key in self.picked:
            self.picked.remove(key)
        elif key:
            self.picked.append(key)

    def target(self, key: str) -> str:
        """What a result of one's own measured; empty where that is not known."""
        return self._targets.get(key, "")

    def history(self, key: str) -> tuple[str, ...]:
        """The newest results of the same target."""
        target = self.target(key)
        return tuple(word for word, other in self._targets.items() if other == target)[:LONGEST]
