"""Commands of a family's tool for a person to type, as named in warnings and claims. Pure."""

from collections.abc import Callable

from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.model.struct import Record


class Wording(Record, frozen=True, kw_only=True):
    """The commands of one family."""

    guide: str  # the vendor's manual
    bad_blocks: str  # the family's term for lost data of a virtual drive

    look: Callable[[Adapter], str]  # show the card
    look_at: Callable[[Adapter, Drive], str]  # show a drive
    look_at_foreign: Callable[[Adapter], str]  # show a foreign configuration
    look_at_preserved: Callable[[Adapter], str]  # show which virtual drives have unwritten data in the card
    free_spare: Callable[[Adapter, Drive], str]  # turn a spare into a free drive
    # Make a free drive a hot spare of a virtual drive; empty if that is not certain for this card.
    add_spare: Callable[[Adapter, Drive, Volume], str]
    write_back: Callable[[Adapter, Volume], str]  # set it to write-back while the battery is good
    write_through: Callable[[Adapter, Volume], str]
    drive_cache_off: Callable[[Adapter, Volume], str]
    checks_on: Callable[[Adapter], str]  # turn on whichever of patrol read and consistency check is off
