"""Read Adaptec cards."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.cards import read_cards
from raidtui.backends.adaptec.tools import tool_for
from raidtui.backends.adaptec.wording import ArcconfWording
from raidtui.backends.cards.reader import FamilyReader
from raidtui.backends.cards.records import Adapter, CardReading, Drive
from raidtui.machine.ask import Ask
from raidtui.machine.cards import ADAPTEC
from raidtui.model.machine import Card
from raidtui.model.spec import Backend

# smartctl supports this driver, but not smartpqi.
_SMART_DRIVER: Final = "aacraid"


class AdaptecReader(FamilyReader):
    """Reads Adaptec cards with arcconf."""

    name = Backend.ADAPTEC
    drivers = ADAPTEC
    wording = ArcconfWording()

    def read_cards(self, cards: Sequence[Card], ask: Ask) -> CardReading | None:
        """Read them with arcconf."""
        return read_cards(cards, ask)

    def tool_for(self, card: Card) -> str:
        """arcconf."""
        return tool_for(card)

    def smart_words(self, drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
        """The driver's number of the card, the unit and the drive's ID (smartctl(8), aacraid,H,L,ID)."""
        ours = [one.address for one in cards if one.driver == _SMART_DRIVER]
        channel = drive.place.partition(" ")[0]
        if adapter.address not in ours or channel != "0" or drive.device_id is None:
            return ()
        card = ours.index(adapter.address)
        return ("--device", f"aacraid,{card},0,{drive.device_id}", f"/dev/aac{card}")


READER = AdaptecReader()
