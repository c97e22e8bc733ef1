"""What MegaRAID and PERC cards have: read, kept in a reading of the computer, and read back from it."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.disks import with_drives
from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume
from raidtui.backends.cards.units import units_in
from raidtui.backends.cards.warnings import warnings_of
from raidtui.backends.cards.words import card_lines, settings
from raidtui.backends.kept import kept_in
from raidtui.backends.megaraid.cards import read_cards
from raidtui.backends.megaraid.tools import tool_for
from raidtui.machine.ask import Ask, ask_patiently
from raidtui.machine.cards import MEGARAID
from raidtui.machine.cards import read_cards as read_here
from raidtui.machine.disks import disks_here
from raidtui.machine.mounts import read_mounts
from raidtui.machine.smart import ask_behind
from raidtui.machine.tree import HERE
from raidtui.model.errors import ToolMissing
from raidtui.model.machine import Card, Disk, Machine, Smart
from raidtui.model.plan import Hazard
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Backend
from raidtui.model.unit import Unit

# smartctl reaches drives through this driver's own commands, by any of its hosts.
_SMART_DRIVER: Final = "megaraid_sas"


class MegaraidReader:
    """storcli, storcli2 and perccli, as far as they show something."""

    def read(self, machine: Machine, ask: Ask) -> CardReading | None:
        """What the cards have; None on a computer that has none of this family."""
        return read_cards(machine.cards, ask)

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every virtual drive."""
        reading = reading_in(machine)
        return units_in(reading, machine.disks, machine.mounts, Backend.MEGARAID) if reading else ()

    def now(self) -> tuple[Unit, ...]:
        """Every virtual drive, read again; nothing is started on a computer without such a card."""
        cards = read_here(HERE)
        if not any(card.driver in MEGARAID for card in cards):
            return ()
        reading = read_cards(cards, ask_patiently)
        return units_in(reading, disks_here(), read_mounts(HERE), Backend.MEGARAID) if reading else ()

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """What is known of the virtual drive and of its card."""
        reading = reading_in(machine)
        found = find_volume(reading.adapters if reading else (), unit.uuid, machine)
        adapter, volume = found or (None, None)
        return MeasuredUnit(
            backend=Backend.MEGARAID,
            name=unit.name,
            uuid=unit.uuid,
            level=unit.level,
            raid_disks=sum(member.slot is not None for member in unit.members),
            size_bytes=unit.size_bytes,
            chunk_bytes=volume.strip_bytes if volume else 0,
            degraded=sum(member.state not in {"in sync", "spare"} for member in unit.members),
            card=settings(volume, adapter) if adapter and volume else "",
        )

    def with_drives(self, machine: Machine, ask: Ask, *, smart: bool) -> Machine:
        """``machine`` with the drives behind the cards."""
        reading = reading_in(machine)
        if reading is None:
            return machine

        def health(disk: Disk, adapter: Adapter, drive: Drive) -> Smart | None:
            where = smart_words(drive, adapter, machine.cards)
            return ask_behind(disk, where, ask, machine.tools.get("smartctl", "")) if where else None

        return with_drives(machine, reading, health if smart and "smartctl" in machine.tools else None)

    def about(self, machine: Machine) -> tuple[str, ...]:
        """Every card in lines."""
        reading = reading_in(machine)
        ours = [card for card in machine.cards if card.driver in MEGARAID]
        return tuple(card_lines(ours, reading)) if reading else ()

    def programs(self, cards: Sequence[Card]) -> tuple[str, ...]:
        """storcli, storcli2 or perccli."""
        return tuple(_program(card) for card in cards if card.driver in MEGARAID)

    def warnings(self, machine: Machine) -> tuple[Hazard, ...]:
        """What is wrong with them."""
        reading = reading_in(machine)
        return warnings_of(reading) if reading else ()


def _program(card: Card) -> str:
    try:
        return f"RAID card {card.address}: {tool_for(card)} answers for it"
    except ToolMissing as error:
        return str(error)


def smart_words(drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
    """The words by which smartctl asks for a drive behind a card; none where it cannot."""
    card = next((one for one in cards if one.address == adapter.address), None)
    if card is None or card.driver != _SMART_DRIVER or not card.hosts or drive.device_id is None:
        return ()
    return ("--device", f"megaraid,{drive.device_id}", f"/dev/bus/{card.hosts[0]}")


def find_volume(adapters: Sequence[Adapter], uuid: str, machine: Machine) -> tuple[Adapter, Volume] | None:
    """The card and the virtual drive that is the unit with that UUID."""
    for adapter in adapters:
        reading = CardReading(adapters=(adapter,))
        units = units_in(reading, machine.disks, machine.mounts, Backend.MEGARAID)
        for unit, volume in zip(units, adapter.volumes, strict=True):
            if unit.uuid == uuid:
                return adapter, volume
    return None


def reading_in(machine: Machine) -> CardReading | None:
    """What a reading of the computer, recorded or not, has of these cards.

    Raises:
        BadInput: it is of a file that was damaged.
    """
    return kept_in(machine, Backend.MEGARAID, CardReading, of="its cards")
