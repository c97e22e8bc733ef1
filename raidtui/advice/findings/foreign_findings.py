"""What is said about arrays that another system made: what they are, and how to look at them without a write. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from raidtui.advice.findings.failing_disks import failing_words
from raidtui.advice.findings.foreign import ForeignSet, name_in_set
from raidtui.advice.findings.foreign_layers import (
    Layer,
    is_opened,
    layer_of,
    levels_lacking,
    mountable,
    mounted,
    unreadable,
)
from raidtui.advice.replacements import remedies_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import PutAway, Start, View
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit


def foreign_findings(
    sets: Sequence[ForeignSet], machine: Machine, sick: Mapping[str, str]
) -> Iterator[Finding]:
    """A finding for each set; what its units need beside that is not said: nothing is done to them here.

    Args:
        sick: the disks that say that they are about to fail, with what says so.
    """
    for one in sets:
        remedies = tuple(_remedies(one, machine, sick))
        starts = any(isinstance(some.procedure, Start) for some in remedies)  # a choice of whoever owns it
        failing = failing_words((disk for disk in one.disks if disk in sick), sick, machine)
        yield Finding(
            name=one.name,
            kind=Kind.FOREIGN,
            what="; ".join([one.says, *_parts(one), *unreadable(one, machine), *failing]),
            never=f"{'' if starts else 'start it for writing, '}create it again, add a member, or erase a superblock",
            remedies=remedies,
        )


def _remedies(one: ForeignSet, machine: Machine, sick: Mapping[str, str]) -> Iterator[Remedy]:
    layer, places = layer_of(one, machine), mounted(one, machine)
    can = layer is not Layer.NONE and not levels_lacking(one, machine)
    if can and (text := _next(layer, one, machine)):
        yield Remedy(text=text, procedure=View(name=one.name))
    if places:
        yield Remedy(text=f"copy what you need from {harmless(listed(places))}, which is mounted read-only")
    if is_opened(one, machine):
        yield Remedy(
            text="put it away: unmount it and stop its arrays, before you disconnect the disks",
            procedure=PutAway(name=one.name),
        )
    elif not one.maker:
        # Nobody but its owner knows whether it is to stay here: what starts it is offered after the look.
        for unit, some in zip(one.data, remedies_of(one.data, machine, sick), strict=True):
            start = [each for each in some if each.procedure is None or isinstance(each.procedure, Start)]
            yield from (_named(each, unit) for each in start) if len(one.data) > 1 else start


def _named(remedy: Remedy, unit: Unit) -> Remedy:
    """``remedy`` with the array that it is for."""
    name = name_in_set(unit)
    return replace(remedy, text=f"array {harmless(name)}: {remedy.text}", of=name)


def _next(layer: Layer, one: ForeignSet, machine: Machine) -> str:
    """What the next plan does; empty if there is nothing that it could."""
    match layer:
        case Layer.ASSEMBLE:
            return "assemble it read-only; nothing is written to its disks"
        case Layer.MAP:
            return "map its volumes read-only; nothing is written to its disks"
    found = mountable(one, machine)
    return f"mount {count_of(found, 'filesystem')} read-only, without replaying the journal" if found else ""


def _parts(one: ForeignSet) -> Iterator[str]:
    """Its arrays and volume groups by name, and how many of the system's own there are."""
    names = [harmless(name_in_set(unit)) for unit in (*one.data, *one.above)]
    yield f"data: {listed(names)}"
    if one.own:
        yield f"{count_of(one.own, 'array')} of its own system beside it"
