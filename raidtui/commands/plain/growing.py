"""What a unit can become, and the way to it as a plan."""

from msgspec.structs import replace

from raidtui.advice.growths import Growth, sentences_about, shape_words, survives_words, table_of
from raidtui.commands.plain.asking import then
from raidtui.commands.plain.running import carry_out
from raidtui.commands.plain.session import Session
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import both
from raidtui.ui.care.unit_offers import can_grow, joining
from raidtui.ui.shell import explained
from raidtui.ui.wizard.wanted import Purpose


def growing(session: Session) -> list[Unit]:
    """The units that raidtui lets grow."""
    return [unit for unit in session.look.units if can_grow(unit)]


def ask(session: Session) -> None:
    """Ask which unit grows and what it becomes, and carry it out. Raises Refused: this one cannot grow."""
    then(
        lambda: session.choose_unit("Grow", growing(session), explained.GROW),
        lambda unit: _ask_what(session, unit),
    )


def _ask_what(session: Session, unit: Unit) -> None:
    """Ask what ``unit`` becomes, and carry it out."""
    asking = session.asking
    rows = table_of(unit, session.machine).rows
    ways = [one for one in rows if one.shape.procedure is not None]
    asking.say("", *(sentence(one) for one in rows if one not in ways))
    if not ways:
        asking.say("There is nothing that it can become now.")
        return

    def which() -> Growth:
        asking.say("What it can become:")
        words = list(map(sentence, ways))
        return ways[asking.choose("Grow to", words, explain=lambda: explained.in_words(explained.GROW))]

    then(which, lambda growth: _grow(session, growth))


def _grow(session: Session, growth: Growth) -> None:
    """Ask which disk joins, if several may, and carry it out."""
    order = growth.shape.procedure
    assert order is not None
    offers = joining(growth, session.machine)
    if not offers:
        carry_out(session, Purpose(procedure=order))
        return
    disks = list(offers)
    items = [f"{harmless(disk)}: {about}" for disk, about in offers.items()]
    then(
        lambda: disks[session.asking.choose("Which disk joins", items)],
        lambda disk: carry_out(session, Purpose(procedure=replace(order, add=(disk,)))),
    )


def sentence(growth: Growth) -> str:
    """A row of the table."""
    shape = growth.shape
    about = [harmless(line) for line in sentences_about(growth)]
    if shape.refused:
        return f"Not done: {' '.join(about)}"
    joins = f" With {', '.join(map(harmless, shape.add))}." if shape.add else ""
    usable = f"{shape_words(shape)}, {both(shape.unit_bytes)} usable, survives {survives_words(shape)}"
    return f"{spelled(shape.change)}: {usable}.{joins} {' '.join(about)}".strip()
