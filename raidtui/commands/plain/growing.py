"""What a unit can become, and the way to it as a plan."""

from msgspec.structs import replace

from raidtui.advice.growths import Growth, sentences_about, shape_words, survives_words, table_of
from raidtui.commands.plain.carrying_out import carry_out
from raidtui.commands.plain.session import Session
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import both
from raidtui.ui.care.unit_offers import can_grow, joining
from raidtui.ui.shell import explained
from raidtui.ui.shell.explained import in_words
from raidtui.ui.wizard.wanted import Purpose


def growing(session: Session) -> list[Unit]:
    """The units that raidtui lets grow."""
    return [unit for unit in session.look.units if can_grow(unit)]


def ask(session: Session) -> None:
    """Ask which unit grows and what it becomes, and carry it out.

    Raises:
        Refused: this one cannot grow.
    """
    asking = session.asking
    unit = session.choose_unit("Grow", growing(session), explained.GROW)
    rows = table_of(unit, session.machine).rows
    ways = [one for one in rows if one.shape.procedure is not None]
    asking.say("", *(sentence(one) for one in rows if one not in ways))
    if not ways:
        asking.say("There is nothing that it can become now.")
        return
    asking.say("What it can become:")
    growth = ways[
        asking.choose("Grow to", list(map(sentence, ways)), explain=lambda: in_words(explained.GROW))
    ]
    order = growth.shape.procedure
    assert order is not None
    if offers := joining(growth, session.machine):
        disks = list(offers)
        items = [f"{harmless(disk)}: {about}" for disk, about in offers.items()]
        order = replace(order, add=(disks[asking.choose("Which disk joins", items)],))
    carry_out(session, Purpose(procedure=order))


def sentence(growth: Growth) -> str:
    """A row of the table."""
    shape = growth.shape
    about = [harmless(line) for line in sentences_about(growth)]
    if shape.refused:
        return f"Not done: {' '.join(about)}"
    joins = f" With {', '.join(map(harmless, shape.add))}." if shape.add else ""
    usable = f"{shape_words(shape)}, {both(shape.unit_bytes)} usable, survives {survives_words(shape)}"
    return f"{spelled(shape.change)}: {usable}.{joins} {' '.join(about)}".strip()
