"""Build and remove virtual drives of MegaRAID and PERC cards with storcli, storcli2 or perccli."""

from typing import Final

from raidtui.backends.cards.builder import Making, card_builder
from raidtui.backends.cards.conditions import subject
from raidtui.backends.cards.options import BACKGROUND, FAST, FULL
from raidtui.backends.cards.records import Adapter, Volume
from raidtui.backends.cards.units import is_offline
from raidtui.backends.megaraid.commands import create, delete, initialize, link
from raidtui.backends.megaraid.conditions import (
    INITIALIZED,
    KINDS,
)
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.model.machine import Machine
from raidtui.model.plan import Step, start_step
from raidtui.model.spec import Spec

_WHY: Final = {
    FAST: "The card writes zeros to both ends, and parity in the background.",
    FULL: "The card writes zeros to all of it, which takes hours. Then its parity is consistent.",
}


def _finds_again(volume: Volume, adapter: Adapter, machine: Machine) -> bool:
    """By its WWN alone."""
    return bool(volume.naa) or is_offline(volume)


def _initialize(adapter: Adapter, spec: Spec, name: str) -> list[Step]:
    """One step, if chosen; background initialization needs none."""
    kind = spec.options.get("initialization", BACKGROUND)
    if kind == BACKGROUND:
        return []
    return [
        start_step(
            id="initialize",
            title=f"Initialize the virtual drive ({kind})",
            reason=_WHY[kind],
            actions=(initialize(adapter, name, kind),),
            after=(INITIALIZED.of(subject(adapter, name), kind),),
            as_long_as="writing the whole virtual drive" if kind == FULL else "",
        )
    ]


BUILDER: Final = card_builder(
    Making(
        family=MEGARAID,
        card="a MegaRAID card",
        kinds=KINDS,
        conditions=(INITIALIZED,),
        create=create,
        link=link,
        delete=delete,
        finds_again=_finds_again,
        initialize=_initialize,
    )
)
