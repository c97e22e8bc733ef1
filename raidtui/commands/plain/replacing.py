"""Which disk of which unit is replaced by which, as a plan."""

from raidtui.commands.plain.asking import then
from raidtui.commands.plain.running import carry_out
from raidtui.commands.plain.session import Session
from raidtui.model.errors import Refused
from raidtui.model.unit import Unit
from raidtui.plan.replace import find_order
from raidtui.ui.care.unit_offers import can_replace, candidates, replaceable
from raidtui.ui.shell import explained
from raidtui.ui.wizard.wanted import Purpose


def replacing(session: Session) -> list[Unit]:
    """The units of which raidtui replaces disks."""
    return [unit for unit in session.look.units if can_replace(unit)]


def ask(session: Session) -> None:
    """Ask for the unit, its old disk and the new one, and carry it out.

    Raises:
        RaidtuiError: no disk can take its place, and why.
    """
    units, machine = session.look.units, session.machine

    def with_new(word: str) -> None:
        news = candidates(word, machine, units)
        if not news:
            raise Refused("no disk is free here: connect one, or free one")
        then(
            lambda: _chosen(session, "Which disk takes its place", news),
            lambda new: carry_out(session, Purpose(procedure=find_order(word, new, machine, units))),
        )

    then(
        lambda: session.choose_unit("Replace a disk of", replacing(session), explained.UNIT),
        lambda unit: then(
            lambda: _chosen(session, "Which disk is replaced", replaceable(unit)),
            with_new,
        ),
    )


def _chosen(session: Session, question: str, offers: dict[str, tuple[str, str]]) -> str:
    """Ask for one of ``offers``, which have a sentence each."""
    items = [f"{shown}: {about}" for shown, (_, about) in offers.items()]
    at = session.asking.choose(question, items, explain=lambda: explained.in_words(explained.UNIT))
    return list(offers.values())[at][0]
