"""Replace a drive, with the tool of this family."""

from typing import Final

from raidtui.backends.adaptec.conditions import KINDS
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.replace import card_needs

needs: Final = card_needs(ADAPTEC, KINDS)
