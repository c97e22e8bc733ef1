"""Find and run arcconf, the tool of Adaptec cards."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.answer import Line, lines_of
from raidtui.backends.cards.asking import printed
from raidtui.machine.ask import Ask
from raidtui.machine.tools import find_tool
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.machine import Card

NAME: Final = "arcconf"
_FOLDERS: Final = ("/usr/Arcconf", "/usr/StorMan")
_HPE: Final = frozenset({"103c", "1590"})  # PCI vendors of boards with the same driver but another tool


def tool_for(card: Card) -> str:
    """The program for a card: its name if it is in PATH, else the vendor's installation path.

    Raises:
        ToolMissing: it is not installed, or the card is from a vendor with another tool.
    """
    if card.board_vendor in _HPE:
        raise ToolMissing(
            f"the RAID card at {card.address} is of HPE, whose program is ssacli; raidtui does not read it"
        )
    for path in (NAME, *(f"{folder}/{NAME}" for folder in _FOLDERS)):
        if find_tool(path):
            return path
    raise ToolMissing(
        f"{NAME}, which reads the RAID card at {card.address}, is not installed; no distribution has it. "
        f"Get it from Microchip's support pages for the card, under Storage Manager; it installs to {_FOLDERS[0]}"
    )


def ask_tool(tool: str, words: Sequence[str], ask: Ask) -> tuple[Line, ...]:
    """Run ``tool`` with ``words`` and return the lines of its answer.

    Raises:
        NoAnswer: it cannot be run, does not end in time, or is killed by a signal.
        StepFailed: it does not report success.
    """
    argv = [tool, *words]
    text = printed(argv, ask)
    try:
        return lines_of(text)
    except StepFailed as error:
        raise StepFailed(f"{' '.join(argv)}: {error}") from error
