"""A whole reading of this computer: its disks and what each backend reads about its units."""

from collections.abc import Mapping

import msgspec

from raidtui.backends.registry import card_readers, readers
from raidtui.machine.ask import ask, ask_card
from raidtui.machine.reader import load_machine, read_machine
from raidtui.model.machine import Machine


def read_whole(*, smart: bool = True, known_tools: Mapping[str, str] | None = None) -> Machine:
    """Read this computer as `read_machine` does, and the units of every backend.

    Args:
        smart: whether to read the SMART data of the disks.
        known_tools: programs whose version is known from an earlier reading.
    """
    machine = read_machine(smart=smart, known_tools=known_tools)
    of_cards = card_readers()
    found = {
        name: reader.read(machine, ask_card if name in of_cards else ask)
        for name, reader in readers().items()
    }
    readings = {name.value: msgspec.to_builtins(one) for name, one in found.items() if one is not None}
    whole = msgspec.structs.replace(machine, readings=readings)
    if whole.cards:
        for card_reader in of_cards.values():
            whole = card_reader.with_drives(whole, ask, smart=smart)
    return whole


def the_machine(file: str | None, *, smart: bool = True) -> Machine:
    """The machine recorded in ``file`` or, without one, this computer."""
    return read_whole(smart=smart) if file is None else load_machine(file)
