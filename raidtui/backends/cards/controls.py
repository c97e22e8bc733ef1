"""The controls of a virtual drive: what the card writes or checks is paused and resumed, where its tool can. Pure."""

import shlex
from collections.abc import Callable, Mapping
from typing import Final

from raidtui.backends.cards.family import Wording
from raidtui.backends.cards.records import OnCard
from raidtui.backends.cards.units import copied_onto
from raidtui.backends.control import Control, Order
from raidtui.model.plan import Run
from raidtui.model.unit import Unit

# The exit status means nothing, so the answer is read.
_DONE: Final = (
    'said=$("$@"); printf "%s\\n" "$said"; '
    'case $(printf %s "$said" | tr -d " \\t") in *\'"Status":"Success"\'*) ;; *) exit 1 ;; esac'
)


def card_controls(wording: Wording) -> Callable[[Unit], Mapping[Control, Order]]:
    def controls(unit: Unit) -> Mapping[Control, Order]:
        found, doing = unit.reading, unit.activity
        if not isinstance(found, OnCard) or doing is None:
            return {}
        verb = "resume" if doing.paused else "pause"
        place = _place(found, doing.what)
        command = wording.pause(found.adapter, verb, place, doing.what) if place else ""
        if not command:
            return {}
        argv = ("sh", "-c", _DONE, "sh", *shlex.split(command), *wording.silent)
        order = Order(
            actions=(Run(argv=argv, timeout_seconds=300),), message=f"{doing.what.capitalize()} {verb}d."
        )
        return {Control.RESUME if doing.paused else Control.PAUSE: order}

    return controls


def _place(found: OnCard, what: str) -> str:
    """What the tool names to pause it: the drive that is written, or the virtual drive."""
    adapter, volume = found.adapter, found.volume
    drives = (*adapter.drives_of(volume), *copied_onto(volume, adapter))
    written = [one for one in drives if one.operation and one.operation.what == what]
    if written:
        return written[0].place if len(written) == 1 else ""
    return volume.place if any(one.what == what for one in volume.operations) else ""
