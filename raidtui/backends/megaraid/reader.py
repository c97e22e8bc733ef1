"""What MegaRAID and PERC cards have."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.reader import FamilyReader
from raidtui.backends.cards.records import Adapter, CardReading, Drive
from raidtui.backends.megaraid.cards import read_cards
from raidtui.backends.megaraid.tools import tool_for
from raidtui.backends.megaraid.wording import StorcliWording
from raidtui.machine.ask import Ask
from raidtui.machine.cards import MEGARAID
from raidtui.model.machine import Card
from raidtui.model.spec import Backend

# smartctl reaches drives through this driver's own commands, by any of its hosts.
_SMART_DRIVER: Final = "megaraid_sas"


class MegaraidReader(FamilyReader):
    """storcli, storcli2 and perccli, as far as they show something."""

    name = Backend.MEGARAID
    drivers = MEGARAID
    wording = StorcliWording()

    def read_cards(self, cards: Sequence[Card], ask: Ask) -> CardReading | None:
        """What storcli says of them."""
        return read_cards(cards, ask)

    def tool_for(self, card: Card) -> str:
        """storcli, storcli2 or perccli."""
        return tool_for(card)

    def smart_words(self, drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
        """By its device number, on any host of the card."""
        card = next((one for one in cards if one.address == adapter.address), None)
        if card is None or card.driver != _SMART_DRIVER or not card.hosts or drive.device_id is None:
            return ()
        return ("--device", f"megaraid,{drive.device_id}", f"/dev/bus/{card.hosts[0]}")


READER = MegaraidReader()
