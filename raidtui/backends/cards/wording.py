"""Commands of a family's tool: for a person to type, as named in warnings and claims, and for plans. Pure."""

import shlex
from collections.abc import Callable

from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.machine.locating import CardLight
from raidtui.model.plan import Run
from raidtui.model.struct import Record

_ANY = tuple(range(256))  # the exit status means nothing; the conditions check the result


class Wording(Record, frozen=True, kw_only=True):
    """The commands of one family."""

    guide: str  # the vendor's manual
    bad_blocks: str  # the family's term for lost data of a virtual drive

    silent: tuple[str, ...]  # what makes a command ask nothing, and answer in the form that is read

    look: Callable[[Adapter], str]  # show the card
    look_at: Callable[[Adapter, Drive], str]  # show a drive
    look_at_foreign: Callable[[Adapter], str]  # show a foreign configuration
    look_at_preserved: Callable[[Adapter], str]  # show which virtual drives have unwritten data in the card
    free_spare: Callable[[Adapter, Drive], str]  # turn a spare into a free drive
    # Make a free drive a hot spare of a virtual drive, or of all; empty if that is not certain for this card.
    add_spare: Callable[[Adapter, Drive, Volume | None], str]
    # Copy a drive that works onto a free one, which takes its place; empty if the tool cannot, or not for certain.
    copy: Callable[[Adapter, Drive, Drive], str]
    # Pause or resume (the second argument) what is done at a place: a rebuild, a copyback …; empty if the tool cannot.
    pause: Callable[[Adapter, str, str, str], str]
    write_back: Callable[[Adapter, Volume], str]  # set it to write-back while the battery is good
    write_through: Callable[[Adapter, Volume], str]
    drive_cache_off: Callable[[Adapter, Volume], str]
    rebuild: Callable[
        [Adapter, Drive], str
    ]  # rebuild an offline drive in its place; empty if it cannot be told to
    light: Callable[[Adapter, Drive], CardLight]  # make a drive's locate light blink
    checks_on: Callable[[Adapter], str]  # turn on whichever of patrol read and consistency check is off

    def run(self, command: str) -> Run:
        """One of the commands above, for a plan."""
        return Run(argv=(*shlex.split(command), *self.silent), timeout_seconds=300, ok=_ANY)
