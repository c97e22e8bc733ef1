"""Hazards of creating a virtual drive, on a card of any family. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.cards.records import Adapter, Drive
from raidtui.backends.cards.redundancy import is_failing
from raidtui.backends.cards.words import battery_remedy, battery_words, drive_errors
from raidtui.backends.look import Look, mixed_sectors, on_disks
from raidtui.model.plan import Hazard, Severity, high, notice, warning
from raidtui.model.text import spelled

CARD: Final = "the card, as its tool describes it"


def no_undo(look: Look) -> Iterator[Hazard]:
    """The card erases its drives at once, and their contents cannot be saved beforehand."""
    yield from on_disks(
        "card-no-undo",
        Severity.WARN,
        [(disk, f"slot {disk.slot}") for disk in look.disks if not disk.has_device],
        meaning="NO UNDO from the first step: the card erases these drives, and nothing on them can be saved before.",
        advice="Read the serial numbers on the drives themselves, and be sure that they hold nothing you need.",
        source="creating a virtual drive writes to its drives at once; the kernel cannot read them before",
    )


sector_sizes: Final = mixed_sectors(
    Severity.HIGH,
    meaning="The card may refuse these drives together: a virtual drive has one sector size.",
    advice="Use drives of one sector size, or format them to one with the card's tool.",
    source="guides of MegaRAID and SmartRAID cards, on mixing 512-byte and 4096-byte sectors",
)
"""A card makes a virtual drive of drives with one sector size."""


def failing(drives: Sequence[Drive], *, advice: str, source: str) -> Iterator[Hazard]:
    """Drives with media errors or predicted failures."""
    seen = [
        f"{one.slot} ({one.serial or 'no serial number'}): {drive_errors(one)}"
        for one in drives
        if is_failing(one)
    ]
    if seen:
        yield high(
            id="card-drive-errors",
            seen="; ".join(seen),
            meaning="These drives are failing: a rebuild that has to read them may not finish.",
            advice=advice,
            source=source,
        )


def one_family(look: Look) -> Iterator[Hazard]:
    """Only a card of the same family can read the virtual drive."""
    if look.members:
        yield notice(
            id="card-family",
            seen=f"{spelled(look.spec.level)} on a RAID card",
            meaning="Only a card of the same family reads this virtual drive, should this card fail.",
            advice="Know where to get a second card, or build on disks that the kernel sees with mdadm or ZFS.",
            source=CARD,
        )


def battery_of(adapter: Adapter) -> Iterator[Hazard]:
    """A cache that would not survive a power cut: the card writes through."""
    if adapter.keeps_cache is False:
        yield warning(
            id="card-no-battery",
            seen=f"{adapter.model or 'the card'}: {battery_words(adapter)}",
            meaning="The card writes through, whatever its policy: every small write waits for the drives.",
            advice=f"{battery_remedy(adapter)} The card then turns to write-back by itself.",
            source=CARD,
        )
