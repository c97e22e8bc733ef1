"""Steps that the procedures on virtual drives share: wait for the card, and prove what it says at the end. Pure."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.records import Volume
from raidtui.model.errors import Refused
from raidtui.model.plan import Check, Run, Step, waiting_step
from raidtui.model.text import harmless
from raidtui.model.unit import Unit

_POLL_SECONDS: Final = 5
PROVEN: Final = "By the card's own words: optimal, no drive that is rebuilt, no foreign configuration."


def key_of(volume: Volume, unit: Unit) -> str:
    """By what conditions find a virtual drive again.

    Raises:
        Refused: it has neither a name nor an identity.
    """
    key = volume.naa or volume.serial or volume.name
    if not key:
        raise Refused(f"{harmless(unit.name)} has no name, WWN or serial number to find it by")
    return key


def wait_step(
    name: str,
    *,
    before: Sequence[Check],
    after: Sequence[Check],
    suffix: str = "",
    until: str = "is optimal",
    lasts: str = "writing the whole drive",
) -> Step:
    """Wait until ``after`` holds, as long as ``before`` does. The card works on by itself."""
    return waiting_step(
        id=f"wait{suffix}",
        title=f"Wait until {name} {until}",
        reason="The card continues if raidtui ends, and after a reboot.",
        actions=(Run(argv=("sleep", str(_POLL_SECONDS))),),
        before=tuple(before),
        after=tuple(after),
        as_long_as=lasts,
    )


def prove_step(name: str, after: Sequence[Check]) -> Step:
    """Ask the card whether redundancy is whole."""
    return waiting_step(
        id="prove",
        title=f"Check that {name} has full redundancy",
        reason=PROVEN,
        actions=(),
        after=tuple(after),
    )
