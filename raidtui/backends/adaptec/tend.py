"""Hot spares and rebuilds, with the tool of this family."""

from typing import Final

from raidtui.backends.adaptec.conditions import DRIVES_FREE, DRIVES_SERVE, OPTIMAL
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.tend import CardTender

TENDER: Final = CardTender(ADAPTEC, free=DRIVES_FREE, serve=DRIVES_SERVE, optimal=OPTIMAL)
