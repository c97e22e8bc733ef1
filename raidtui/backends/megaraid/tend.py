"""Hot spares and rebuilds, with the tool of this family."""

from typing import Final

from raidtui.backends.cards.tend import CardTender
from raidtui.backends.megaraid.conditions import KINDS
from raidtui.backends.megaraid.reader import MEGARAID

TENDER: Final = CardTender(MEGARAID, KINDS)
