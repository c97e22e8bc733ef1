"""Read MegaRAID and PERC cards with storcli, storcli2 and perccli."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.asking import read_each
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.reader import card_reader
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.backends.megaraid.cards import read_adapters
from raidtui.backends.megaraid.tools import tool_for
from raidtui.backends.megaraid.wording import STORCLI
from raidtui.machine.cards import MEGARAID as DRIVERS
from raidtui.model.machine import Card
from raidtui.model.spec import Backend

# smartctl supports this driver, through any of its SCSI hosts.
_SMART_DRIVER: Final = "megaraid_sas"


def _smart_words(drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
    """The drive's device ID, on any host of the card."""
    card = next((one for one in cards if one.address == adapter.address), None)
    if card is None or card.driver != _SMART_DRIVER or not card.hosts or drive.device_id is None:
        return ()
    return ("--device", f"megaraid,{drive.device_id}", f"/dev/bus/{card.hosts[0]}")


MEGARAID: Final = Family(
    name=Backend.MEGARAID,
    drivers=DRIVERS,
    wording=STORCLI,
    read=lambda cards, ask: read_each(cards, tool_for, read_adapters, ask),
    tool_for=tool_for,
    smart_words=_smart_words,
)
READER: Final = card_reader(MEGARAID)
