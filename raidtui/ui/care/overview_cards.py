"""On the Overview, what cannot be read, and RAID cards: each card, why it cannot be read, and its hazards. Pure."""

from typing import Final

from textual.content import Content

from raidtui.backends.units import about_cards, card_warnings
from raidtui.model.machine import Machine
from raidtui.model.plan import Severity
from raidtui.model.text import fold, harmless

_STYLES: Final = {Severity.HIGH: "bold $text-error", Severity.WARN: "$text-warning"}


def card_lines(machine: Machine, *, width: int) -> Content:
    """What of ``machine`` cannot be read; its cards, then all their hazards above a note."""
    lines = []
    for problem in machine.problems:
        wrapped = fold(f"UNKNOWN {harmless(problem.text)}", width - len("  "), then="  ")
        lines += [Content.assemble("  ", (part, "$text-warning")) for part in wrapped]
    if not machine.cards:
        return Content("\n").join(lines)
    lines.append(Content.assemble(("RAID cards", "bold $text-primary")))
    for line in about_cards(machine):
        room = width - len("  ")
        lines += [Content(f"  {part}") for part in fold(harmless(line), room, then="    ")]
    for hazard in card_warnings(machine):
        style = _STYLES.get(hazard.severity)
        if style is None:
            continue
        text = harmless(f"{hazard.seen}. {hazard.meaning} {hazard.advice}")
        wrapped = fold(f"{hazard.severity} {text}", width - len("  "), then="  ")
        lines += [Content.assemble("  ", (part, style)) for part in wrapped]
    return Content("\n").join(lines)
