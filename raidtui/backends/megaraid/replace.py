"""Replace a drive, with the tool of this family."""

from typing import Final

from raidtui.backends.cards.replace import card_needs
from raidtui.backends.megaraid.conditions import KINDS
from raidtui.backends.megaraid.reader import MEGARAID

needs: Final = card_needs(MEGARAID, KINDS)
