"""Read Adaptec cards with arcconf."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.cards import read_adapters
from raidtui.backends.adaptec.tools import tool_for
from raidtui.backends.adaptec.wording import ARCCONF
from raidtui.backends.cards.asking import read_each
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.reader import card_reader
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.machine.cards import ADAPTEC as DRIVERS
from raidtui.model.machine import Card
from raidtui.model.spec import Backend

# smartctl supports this driver, but not smartpqi.
_SMART_DRIVER: Final = "aacraid"


def _smart_words(drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
    """The driver's number of the card, the unit and the drive's ID (smartctl(8), aacraid,H,L,ID)."""
    ours = [one.address for one in cards if one.driver == _SMART_DRIVER]
    channel = drive.place.partition(" ")[0]
    if adapter.address not in ours or channel != "0" or drive.device_id is None:
        return ()
    card = ours.index(adapter.address)
    return ("--device", f"aacraid,{card},0,{drive.device_id}", f"/dev/aac{card}")


ADAPTEC: Final = Family(
    name=Backend.ADAPTEC,
    drivers=DRIVERS,
    wording=ARCCONF,
    read=lambda cards, ask: read_each(cards, tool_for, read_adapters, ask),
    tool_for=tool_for,
    smart_words=_smart_words,
)
READER: Final = card_reader(ADAPTEC)
