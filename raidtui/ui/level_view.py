"""How the user looks at the levels: kept while the app runs, so that going away and back changes nothing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from raidtui.advice.risk import RiskInputs


@dataclass
class LevelView:
    """What is shown, by what it is sorted, and what the risk is reckoned with."""

    every: bool = False  # the other backends too
    wish: str = "level"
    inputs: "RiskInputs | None" = None  # once somebody has changed them
