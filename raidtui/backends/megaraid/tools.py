"""The programs that answer for MegaRAID and PERC cards: which one, where vendors keep it, and how it is asked."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.megaraid.answer import Reply, parse_answer
from raidtui.machine.ask import Ask
from raidtui.machine.tools import find_tool
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.machine import Card

_DELL: Final = "1028"  # PCI vendor of the board
_NEW: Final = "mpi3mr"  # the driver of the cards that only the second generation of the tools knows
_FOLDERS: Final = {
    "storcli64": "/opt/MegaRAID/storcli",
    "storcli": "/opt/MegaRAID/storcli",
    "storcli2": "/opt/MegaRAID/storcli2",
    "perccli64": "/opt/MegaRAID/perccli",
    "perccli": "/opt/MegaRAID/perccli",
    "perccli2": "/opt/MegaRAID/perccli2",
}


def names_for(card: Card) -> tuple[str, ...]:
    """The programs that know a card, the one of its vendor first."""
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
    """The program for a card: its name where it is on the path, else where vendors install it.

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
    """What to say where no program for a card is installed."""
    name = names_for(card)[0]
    where = (
        "Dell's support pages for the server, under SAS RAID"
        if card.board_vendor == _DELL
        else "Broadcom's support pages for the card, under Management Software"
    )
    return (
        f"{name}, which reads the RAID card at {card.address}, is not installed; no distribution has it. "
        f"Get it from {where}; it installs to {_FOLDERS[name]}"
    )


def ask_tool(tool: str, words: Sequence[str], ask: Ask) -> tuple[Reply, ...]:
    """What ``tool`` answers to ``words``, in JSON and without a log file in the working directory.

    Raises:
        StepFailed: it cannot be run, does not end in time, is killed by a signal, or answers something else.
    """
    argv = [tool, *words, "J", "nolog"]
    answer = ask(argv)
    spoken = " ".join(argv)
    if answer.returncode is None:
        raise StepFailed(f"{spoken}: {answer.stderr}")
    if answer.returncode < 0:  # old ones crash on new kernels, and may take the firmware with them
        raise StepFailed(f"{spoken} was killed by signal {-answer.returncode}: use a newer version of it")
    try:
        return parse_answer(answer.stdout)
    except StepFailed as error:
        raise StepFailed(f"{spoken}: {error}") from error
