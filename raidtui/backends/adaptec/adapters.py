"""A controller in the output of ``GETCONFIG n AD``. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.answer import Block, Line, number_of, size_of
from raidtui.backends.cards.meanings import switch
from raidtui.backends.cards.pci import kernel_address
from raidtui.backends.cards.protection import Protection, protection_of
from raidtui.backends.cards.records import Adapter, Battery

# Cache backup by generation: the heading, the line with its state, and our term.
_BACKUPS: Final = (
    ("controller battery information", "status", "battery"),
    ("controller zmm information", "status", "flash backup (ZMM)"),
    ("controller cache backup unit information", "overall backup unit status", "flash backup"),
    ("green backup information", "backup power status", "capacitor"),
)
_COUNTS: Final = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})\s*/\s*(\d{1,9})", re.ASCII)


def adapter_in(lines: Sequence[Line], *, number: int, tool: str) -> Adapter:
    """The controller in an answer; values it does not have stay empty."""
    block = Block(str(number), tuple(lines))
    battery, fitted = _battery(block)
    return Adapter(
        number=number,
        tool=tool,
        model=block.text("controller model"),
        serial=block.text("controller serial number"),
        firmware=block.text("firmware"),
        driver=block.text("driver name"),
        address=kernel_address(
            block.text("pci address (domain:bus:device:function)", "pci address (bus:device:function)")
        ),
        status=block.text("controller status"),
        cache_bytes=size_of(block.text("installed memory", "cache memory")) or 0,
        battery=battery,
        has_battery=fitted,
        consistency_check=_checks(block.text("background consistency check", "data scrubbing")),
        personality=block.text("controller mode"),
    )


def volumes_counted(lines: Sequence[Line]) -> tuple[int, int] | None:
    """The controller's counts of all virtual drives, and of failed or degraded ones; None if not reported."""
    block = Block("", tuple(lines))
    found = _COUNTS.fullmatch(
        block.text("logical devices/failed/degraded", "logical drives/offline/critical")
    )
    return (int(found[1]), int(found[2]) + int(found[3])) if found else None


def defunct_counted(lines: Sequence[Line]) -> int:
    """The controller's count of its failed drives; 0 if it is not reported."""
    return number_of(Block("", tuple(lines)).text("defunct disk drive count")) or 0


def cache_down(lines: Sequence[Line]) -> bool:
    """Whether the controller's cache is disabled now, whatever its virtual drives are set to."""
    status = Block("", tuple(lines)).text("cache status").lower()
    return "disabled" in status or status == "not configured"


def without_battery(lines: Sequence[Line]) -> bool:
    """Whether the controller caches writes even without a cache backup."""
    return switch(Block("", tuple(lines)).text("no-battery write cache")) is True


def _battery(block: Block) -> tuple[Battery | None, bool | None]:
    for heading, name, kind in _BACKUPS:
        state = block.under(heading, name)
        if state and protection_of(state) is Protection.ABSENT:
            return None, False
        if state:
            return Battery(kind=kind, state=state), True
    return None, None


def _checks(text: str) -> bool | None:
    """Whether background checks are on; ``Idle`` means on with nothing to do."""
    if text.lower().startswith(("enabled", "idle", "running", "in progress")):
        return True
    return False if text.lower().startswith("disabled") else None
