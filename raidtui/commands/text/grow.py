"""The table of what a unit can become, as text of at most 80 columns."""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.growths import Growth, Growths, about_lines, shape_words, size_words, survives_words
from raidtui.model.finding import to_accept
from raidtui.model.machine import Machine
from raidtui.model.text import fold, harmless, spelled
from raidtui.plan.asked import hazards_asked

_WIDTH: Final = 79
_INDENT: Final = 4


def table(growths: Growths, machine: Machine) -> Iterator[str]:
    """What can be reached, each with its commands; then what is not done, with the reason."""
    name = harmless(growths.name)
    yield f"{name} on {harmless(growths.host)}: {harmless(growths.state)}"
    yield ""
    yield f"{'':<16}{'':<17}{'bytes':>19}{'':>9}  survives"
    for one in growths.rows:
        if not one.shape.refused:
            yield from _row(one, name, machine)
    closed = [one for one in growths.rows if one.shape.refused]
    if closed:
        yield ""
        yield "Not done:"
    for one in closed:
        yield from (line for text in about_lines(one) for line in _indented(text, 2))


def _row(growth: Growth, name: str, machine: Machine) -> Iterator[str]:
    shape = growth.shape
    size = f"{shape.unit_bytes:,}{size_words(shape):>9}" if shape.unit_bytes else size_words(shape)
    yield (f"{spelled(shape.change):<16}{shape_words(shape):<17}{size:>28}  {survives_words(shape)}")
    for text in about_lines(growth):
        yield from _indented(text, _INDENT)
    if shape.procedure is not None:
        disks = ",".join(shape.add)
        level = shape.procedure.level
        to = f"--level {level}" if level else ""
        way = f"--add {disks} {to} --erase {disks}".replace("  ", " ") if shape.add else to or "--size max"
        high = hazards_asked(shape.procedure, machine)
        for hazard in high:
            yield from _indented(f"! {hazard.told}", _INDENT)
        yield f"{'':<{_INDENT}}raidtui grow {name} {harmless(way)}"
        yield from _indented(to_accept([one.id for one in high]), _INDENT + 2)


def _indented(text: str, indent: int) -> Iterator[str]:
    yield from fold(harmless(text), _WIDTH, first=" " * indent, then=" " * (indent + 2), whole=True)
