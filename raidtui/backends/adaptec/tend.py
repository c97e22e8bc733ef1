"""Hot spares and rebuilds, with the tool of this family."""

from typing import Final

from raidtui.backends.adaptec.conditions import KINDS
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.tend import CardTender

TENDER: Final = CardTender(ADAPTEC, KINDS)
