"""The name of each order to a unit, and a sentence about it. Pure."""

from typing import TYPE_CHECKING

from raidtui.model.text import harmless
from raidtui.model.unit import Unit

if TYPE_CHECKING:
    from raidtui.backends.control import Control

_OFFERS = {
    "scrub": (
        "scrub",
        "Reads every member and compares copies, parity or checksums. The data stays usable; large disks take hours.",
    ),
    "pause": ("pause the {what}", "It stays paused until you resume it."),
    "resume": ("resume the {what}", "It continues where it stopped."),
    "stop": ("stop the {what}", "It stops before everything is read."),
    "faster": ("speed the {what} up", "One step faster. Other I/O gets slower."),
    "slower": ("slow the {what} down", "One step slower. Other I/O gets faster."),
}


def offer(unit: Unit, control: "Control") -> tuple[str, str]:
    """The name of an order, "tank: pause the resync", and a sentence about what it does."""
    name, sentence = _OFFERS[control.value]
    what = unit.activity.what if unit.activity is not None else unit.resumable
    return f"{harmless(unit.name)}: {name.format(what=what)}", sentence
