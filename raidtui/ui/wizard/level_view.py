"""How the user looks at the levels: kept while the app runs, so that leaving and coming back changes nothing."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from raidtui.model.spec import Spec
from raidtui.ui.wizard.level_lines import BUILT, key_of

if TYPE_CHECKING:
    from raidtui.advice.report import Report
    from raidtui.advice.risk import RiskInputs


@dataclass
class LevelView:
    """What is shown, how it is sorted, and what the risk is calculated with."""

    every: bool = False  # the other backends too
    rare: bool = False  # the levels and layouts too that few people choose
    key: str = ""  # of the row that was highlighted last
    wish: str = "level"
    inputs: "RiskInputs | None" = None  # once somebody has changed them


def chosen_key(spec: Spec) -> str:
    """The key of the row of the level in ``spec``; empty if none is chosen yet."""
    return f"raid10 {spec.layout or 'n2'}" if spec.level == "raid10" else spec.level


def shown_levels(
    found: "Iterable[Report]", view: LevelView, kept: Container[str]
) -> "tuple[dict[str, Report], int]":
    """The reports to show by their keys, in the order wished for, the impossible ones last; and how many are folded.

    ``kept``: keys that are never folded.
    """
    from raidtui.advice.ranking import Wish, ranked
    from raidtui.backends.md.levels import LEVELS

    def is_common(report: "Report") -> bool:
        if report.backend is not BUILT or key_of(report) in kept:
            return True
        level = LEVELS[report.level]
        return level.common and (report.level != "raid10" or report.layout == level.default_layout)

    ordered = sorted(ranked(found, Wish(view.wish)), key=lambda report: report.refused is not None)
    shown = {key_of(one): one for one in ordered if view.rare or is_common(one)}
    return shown, len(ordered) - len(shown)
