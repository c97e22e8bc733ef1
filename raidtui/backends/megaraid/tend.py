"""Hot spares and rebuilds, with the tool of this family."""

from typing import Final

from raidtui.backends.cards.tend import CardTender
from raidtui.backends.megaraid.conditions import DRIVES_FREE, DRIVES_SERVE, OPTIMAL
from raidtui.backends.megaraid.reader import MEGARAID

TENDER: Final = CardTender(MEGARAID, free=DRIVES_FREE, serve=DRIVES_SERVE, optimal=OPTIMAL)
