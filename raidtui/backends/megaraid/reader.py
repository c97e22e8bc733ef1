"""Read MegaRAID and PERC cards."""

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

# smartctl supports this driver, through any of its SCSI hosts.
_SMART_DRIVER: Final = "megaraid_sas"


class MegaraidReader(FamilyReader):
    """Reads MegaRAID and PERC cards with storcli, storcli2 and perccli."""

    name = Backend.MEGARAID
    drivers = MEGARAID
    wording = StorcliWording()

    def read_cards(self, cards: Sequence[Card], ask: Ask) -> CardReading | None:
        """Read them with their tools."""
        return read_cards(cards, ask)

    def tool_for(self, card: Card) -> str:
        """storcli, storcli2 or perccli."""
        return tool_for(card)

    def smart_words(self, drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
        """The drive's device ID, on any host of the card."""
        card = next((one for one in cards if one.address == adapter.address), None)
        if card is None or card.driver != _SMART_DRIVER or not card.hosts or drive.device_id is None:
            return ()
        return ("--device", f"megaraid,{drive.device_id}", f"/dev/bus/{card.hosts[0]}")


READER = MegaraidReader()
