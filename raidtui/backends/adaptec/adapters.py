"""A controller in the answer to ``GETCONFIG n AD``. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.answer import Block, Line
from raidtui.backends.adaptec.values import size_of
from raidtui.backends.cards.pci import kernel_address
from raidtui.backends.cards.records import Adapter, Battery

# The parts about what keeps the cache, the line in each, and what it is: generations name it differently.
_BACKUPS: Final = (
    ("controller battery information", "status", "battery"),
    ("controller zmm information", "status", "flash backup (ZMM)"),
    ("controller cache backup unit information", "overall backup unit status", "flash backup"),
    ("green backup information", "backup power status", "capacitor"),
)
_GOOD: Final = frozenset({"optimal", "okay", "ok", "ready", "fully charged", "charged"})
_NONE: Final = frozenset({"not installed", "not present"})
_COUNTS: Final = re.compile(r"(\d+)/(\d+)/(\d+)", re.ASCII)


def adapter_in(lines: Sequence[Line], *, number: int, tool: str) -> Adapter:
    """The controller of an answer; what it does not say is left out."""
    told = Block(str(number), tuple(lines))
    battery, fitted = _battery(told)
    return Adapter(
        number=number,
        tool=tool,
        model=told.text("controller model"),
        serial=told.text("controller serial number"),
        firmware=told.text("firmware"),
        driver=told.text("driver name"),
        address=kernel_address(told.text("pci address (domain:bus:device:function)")),
        status=told.text("controller status"),
        cache_bytes=size_of(told.text("installed memory", "cache memory")) or 0,
        battery=battery,
        has_battery=fitted,
        consistency_check=_checks(told.text("background consistency check", "data scrubbing")),
        personality=told.text("controller mode"),
    )


def volumes_counted(lines: Sequence[Line]) -> tuple[int, int] | None:
    """How many virtual drives the controller counts, and how many of them it counts as failed or degraded."""
    told = Block("", tuple(lines))
    found = _COUNTS.fullmatch(told.text("logical devices/failed/degraded", "logical drives/offline/critical"))
    return (int(found[1]), int(found[2]) + int(found[3])) if found else None


def cache_down(lines: Sequence[Line]) -> bool:
    """Whether the controller does not use its cache now, whatever its virtual drives are set to."""
    said = Block("", tuple(lines)).text("cache status").lower()
    return "disabled" in said or said == "not configured"


def without_battery(lines: Sequence[Line]) -> bool:
    """Whether the controller caches writes even with nothing that keeps its cache."""
    return Block("", tuple(lines)).text("no-battery write cache").lower() == "enabled"


def _battery(told: Block) -> tuple[Battery | None, bool | None]:
    for heading, name, kind in _BACKUPS:
        state = told.under(heading, name)
        if state.lower() in _NONE:
            return None, False
        if state:
            return Battery(kind=kind, state=state, good=state.lower() in _GOOD), True
    return None, None


def _checks(text: str) -> bool | None:
    """Whether it looks for bad sectors by itself; ``Idle`` is on, and has nothing to do now."""
    if text.lower().startswith(("enabled", "idle", "running", "in progress")):
        return True
    return False if text.lower().startswith("disabled") else None
