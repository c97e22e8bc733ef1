"""Find and run the tool of MegaRAID and PERC cards: storcli, storcli2 or perccli."""

import posixpath
from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.asking import printed
from raidtui.backends.megaraid.answer import Reply, parse_answer
from raidtui.machine.ask import Ask
from raidtui.machine.tools import find_tool, is_older
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.machine import Card

_DELL: Final = "1028"  # PCI vendor of the board
_NEW: Final = "mpi3mr"  # the driver of cards that need the second generation of the tools
# Older ones crash on new kernels (eLvErDe/hwraid, issues 136 and 144), and there are no recordings of their output.
_AT_LEAST: Final = "7"
_FOLDERS: Final = {
    "storcli64": "/opt/MegaRAID/storcli",
    "storcli": "/opt/MegaRAID/storcli",
    "storcli2": "/opt/MegaRAID/storcli2",
    "perccli64": "/opt/MegaRAID/perccli",
    "perccli": "/opt/MegaRAID/perccli",
    "perccli2": "/opt/MegaRAID/perccli2",
}


def names_for(card: Card) -> tuple[str, ...]:
    """The programs that support a card, its vendor's first."""
    dell = card.board_vendor == _DELL
    if card.driver == _NEW:
        return ("perccli2", "storcli2") if dell else ("storcli2", "perccli2")
    ours, others = (
        (("perccli64", "perccli"), ("storcli64", "storcli"))
        if dell
        else (("storcli64", "storcli"), ("perccli64", "perccli"))
    )
    return (*ours, *others)


def tool_for(card: Card) -> str:
    """The program for a card: its name if it is in PATH, else the vendor's installation path.

    Raises:
        ToolMissing: none of them is installed.
    """
    names = names_for(card)
    for name in names:
        if find_tool(name):
            return name
        if find_tool(f"{_FOLDERS[name]}/{name}"):
            return f"{_FOLDERS[name]}/{name}"
    raise ToolMissing(missing(card))


def missing(card: Card) -> str:
    """The error if no program for a card is installed."""
    name = names_for(card)[0]
    return (
        f"{name}, which reads the RAID card at {card.address}, is not installed; no distribution has it. "
        f"Get it from {_source(dell=card.board_vendor == _DELL)}; it installs to {_FOLDERS[name]}"
    )


def _source(*, dell: bool) -> str:
    """Where to download the program."""
    return (
        "Dell's support pages for the server, under SAS RAID"
        if dell
        else "Broadcom's support pages for the card, under Management Software"
    )


def ask_tool(tool: str, words: Sequence[str], ask: Ask) -> tuple[Reply, ...]:
    """Run ``tool`` with ``words``, for JSON output and without a log file in the working directory.

    Raises:
        NoAnswer: it cannot be run, does not end in time, or is killed by a signal.
        StepFailed: its output is not an answer.
        ToolMissing: it is too old.
    """
    argv = [tool, *words, "J", "nolog"]
    text = printed(argv, ask)
    try:
        replies = parse_answer(text)
    except StepFailed as error:
        raise StepFailed(f"{' '.join(argv)}: {error}") from error
    version = replies[0].version
    if version and is_older(version, _AT_LEAST):
        where = _source(dell=posixpath.basename(tool).startswith("perccli"))
        raise ToolMissing(
            f"{tool} is version {version} here and must be {_AT_LEAST} or newer; get it from {where}"
        )
    return replies
