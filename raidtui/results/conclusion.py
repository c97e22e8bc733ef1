"""The conclusion of a comparison in a sentence. Pure."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.chance import in_percent
from raidtui.model.struct import Record
from raidtui.results.verdicts import Verdict

_VERBS: Final = {"write": "writes", "read": "reads", "mix": "mixes reads and writes"}
_NOUNS: Final = {"write": "writes", "read": "reads", "mix": "mixed I/O"}
_ABOUT: Final = 1.1  # factors up to this, or down to its inverse, are about the same
_ROUGH: Final = 1.5  # from this factor on, one decimal is enough


class Counted(Record, frozen=True, kw_only=True):
    """The cells of one direction: their factors, by verdict."""

    direction: str
    faster: tuple[float, ...] = ()
    slower: tuple[float, ...] = ()
    equal: tuple[float, ...] = ()
    undecided: tuple[float, ...] = ()
    apart: int = 0  # cells that both have, and that could not be compared

    @property
    def cells(self) -> int:
        """The number of cells that could be compared."""
        return len(self.faster) + len(self.slower) + len(self.equal) + len(self.undecided)


class Overall(Record, frozen=True, kw_only=True):
    """One result against the baseline over the whole grid."""

    verdict: str  # faster, slower, equal, mixed, undecided; empty if no cell can be compared
    faster: int = 0  # cells
    slower: int = 0
    equal: int = 0
    cells: int = 0  # that could be compared
    apart: int = 0  # that both have, and that could not be compared
    directions: tuple[Counted, ...] = ()
    kept: float | None = None  # share of the disks' capacity that is left for data
    base_kept: float | None = None
    alternating: bool = False  # the passes of both alternate, so that slow drift affects both alike

    def words(self, name: str, base: str) -> str:
        """The conclusion in a sentence on ``name`` against ``base``."""
        against = f"{name} against {base}" + (
            "" if self.alternating or not self.cells else ", not alternated"
        )
        if not self.cells:
            return f"{against}: no verdict, which needs two comparable runs of a cell on each side"
        if not self.faster and not self.slower and self.verdict != Verdict.EQUAL:
            many = "1 cell" if self.cells == 1 else f"{self.cells} cells (corrected for multiple tests)"
            sentence = f"{against}: no significant difference in {many}"
            return "; ".join(filter(None, (sentence, self._apart(), self._capacity())))
        decided = [way for way in self.directions if way.faster or way.slower]
        alike = [_alike(way) for way in self.directions if way not in decided]
        first = ", ".join(filter(None, (*map(_differs, decided), self._capacity())))
        return f"{against}: " + "; ".join(filter(None, (first, *alike, self._apart())))

    def _apart(self) -> str:
        """How many cells the conclusion says nothing about."""
        every = self.cells + self.apart
        return f"{self.apart} of {every} cells cannot be compared" if self.apart else ""

    def _capacity(self) -> str:
        if self.kept is None or self.base_kept is None or f"{self.kept:.2f}" == f"{self.base_kept:.2f}":
            return ""
        return f"keeps {in_percent(self.kept)} of the disks instead of {in_percent(self.base_kept)}"


def overall(
    counted: Sequence[Counted], *, kept: float | None, base_kept: float | None, alternating: bool
) -> Overall:
    """Combine the cells of all directions."""
    ways = tuple(sorted((way for way in counted if way.cells), key=_place))
    faster, slower, equal, cells = (
        sum(map(count, ways))
        for count in (
            lambda way: len(way.faster),
            lambda way: len(way.slower),
            lambda way: len(way.equal),
            lambda way: way.cells,
        )
    )
    if faster and slower:
        verdict = "mixed"
    elif faster or slower:
        verdict = (Verdict.FASTER if faster else Verdict.SLOWER).value
    else:
        verdict = (Verdict.EQUAL if equal == cells else Verdict.UNDECIDED).value if cells else ""
    return Overall(
        verdict=verdict,
        faster=faster,
        slower=slower,
        equal=equal,
        cells=cells,
        apart=sum(way.apart for way in counted),
        directions=ways,
        kept=kept,
        base_kept=base_kept,
        alternating=alternating,
    )


def _place(way: Counted) -> int:
    return [*_VERBS, way.direction].index(way.direction)  # an unknown direction comes last


def _differs(way: Counted) -> str:
    parts = [
        f"{_range(factors)} {word}"
        + ("" if len(factors) == way.cells else f" in {len(factors)} of {way.cells} cells")
        for word, factors in (("faster", way.faster), ("slower", [1 / factor for factor in way.slower]))
        if factors
    ]
    return f"{_VERBS.get(way.direction, way.direction)} {' and '.join(parts)}"


def _alike(way: Counted) -> str:
    factors = (*way.equal, *way.undecided)
    if not way.undecided:
        return f"{_VERBS.get(way.direction, way.direction)} the same"
    if max(factors) <= _ABOUT and min(factors) >= 1 / _ABOUT:
        return f"{_VERBS.get(way.direction, way.direction)} about the same"
    return f"no significant difference in {_NOUNS.get(way.direction, way.direction)}"


def _range(factors: Sequence[float]) -> str:
    """``2.3 to 2.8x``; one figure if both ends round to the same."""
    ends = dict.fromkeys(_spell(end) for end in (min(factors), max(factors)))
    return f"{' to '.join(ends)}x"


def _spell(factor: float) -> str:
    return f"{factor:.1f}" if factor >= _ROUGH else f"{factor:.2f}"
