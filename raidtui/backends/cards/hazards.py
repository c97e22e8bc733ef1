"""What to know before a virtual drive is made, of a card of any family. Pure."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.cards.records import Adapter
from raidtui.backends.cards.words import battery_remedy, battery_words
from raidtui.backends.look import Look, on_disks
from raidtui.model.plan import Hazard, Severity

_CARD: Final = "the card, as its tool describes it"


def no_undo(look: Look) -> Iterator[Hazard]:
    """The card erases at once, and nothing that it has can be saved before."""
    yield from on_disks(
        "card-no-undo",
        Severity.WARN,
        [(disk, f"slot {disk.slot}") for disk in look.disks if not disk.has_device],
        meaning="NO UNDO from the first step: the card erases these drives, and nothing on them can be saved before.",
        advice="Read the serial numbers on the drives themselves, and be sure that they hold nothing you need.",
        source="creating a virtual drive writes to its drives at once; the kernel cannot read them before",
    )


def one_family(look: Look) -> Iterator[Hazard]:
    """Nobody else reads it."""
    if look.members:
        yield Hazard(
            id="card-family",
            severity=Severity.INFO,
            seen=f"{look.spec.level} on a RAID card",
            meaning="Only a card of the same family reads this virtual drive, should this card fail.",
            advice="Know where to get a second card, or build on disks that the kernel sees with mdadm or ZFS.",
            source=_CARD,
        )


def battery_of(adapter: Adapter) -> Iterator[Hazard]:
    """A write-back cache that nothing keeps through a power cut: the card writes through in its place."""
    if adapter.keeps_cache is False:
        yield Hazard(
            id="card-no-battery",
            severity=Severity.WARN,
            seen=f"{adapter.model or 'the card'}: {battery_words(adapter)}",
            meaning="The card writes through, whatever its policy: every small write waits for the drives.",
            advice=f"{battery_remedy(adapter)} The card then turns to write-back by itself.",
            source=_CARD,
        )
