"""What holds the syncs of an array up, or cuts the next one short, and what is done about it. Pure."""

from collections.abc import Iterator

from raidtui.backends.md.states import is_held, is_paused, is_reshaped, is_slowed, left_out, slowed_words
from raidtui.machine.md.health import missing
from raidtui.model import chance
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import LetSync, Scrub


def held(array: Array) -> Iterator[Remedy]:
    """Its syncs are paused or limited to a part: a crash, or a person, left them so."""
    if is_held(array) and not is_reshaped(array):
        what = "they are paused" if is_paused(array) else "none passes a certain place"
        yield Remedy(
            text=f"let its syncs run to the end: {what}, so no spare takes over, or only in part",
            procedure=LetSync(unit=array.uuid),
        )
    yield from slowed(array)


def slowed(array: Array) -> Iterator[Remedy]:
    """A limit that somebody set for a while, or a program that did not live to take it back."""
    if is_slowed(array):
        yield Remedy(
            text=f"let its syncs run at md's usual speed: now {slowed_words(array)}",
            procedure=LetSync(unit=array.uuid),
        )


def unread(array: Array, machine: Machine) -> Iterator[Remedy]:
    """mdcheck stops a check each night itself, and continues at a place that it has recorded."""
    part, schedules = left_out(array), machine.system.scrub_schedules or ()
    if (
        part
        and not is_held(array)
        and not missing(array)
        and not any("mdcheck" in one.by for one in schedules)
    ):
        yield Remedy(
            text=f"check it from the start: the last check was stopped at {chance.share(part)}, and the next one would begin there",
            procedure=Scrub(unit=array.uuid),
        )
