"""Run the tools of cards, and detect cards that they do not see or that are busy."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.cards.records import Adapter, CardReading
from raidtui.machine.ask import Ask
from raidtui.model.errors import RaidtuiError, StepFailed, ToolMissing
from raidtui.model.machine import Card
from raidtui.model.text import harmless

# "Application already in use - try later", "Scratch memory not available, try the command again later".
_BUSY: Final = re.compile(r"\bbusy\b|\b(?:re)?try\b.*\blater\b", re.IGNORECASE)
_LONGEST: Final = 80  # characters quoted from an answer that is none
_LONGEST_TEXT: Final = 240  # characters of a message or value of a tool
_SPACES: Final = re.compile(r"\s+")

AGAIN: Final = "the card is busy: try again when it is idle"


class NoAnswer(StepFailed):
    """The tool cannot be run, hangs or crashes. It is not run again."""


def printed(argv: Sequence[str], ask: Ask) -> str:
    """Run a tool and return its output.

    Raises:
        NoAnswer: it cannot be run, does not end in time, or is killed by a signal.
    """
    answer, command = ask(argv), " ".join(argv)
    if answer.returncode is None:
        raise NoAnswer(f"{command}: {answer.stderr}; run it yourself: the card or its driver may hang")
    if answer.returncode < 0:  # old ones crash on new kernels, and may crash the firmware too
        raise NoAnswer(f"{command} was killed by signal {-answer.returncode}: use a newer version of it")
    return answer.stdout


def says_busy(text: str) -> bool:
    """Whether a tool reports that the card is busy."""
    return _BUSY.search(text) is not None


def quoted(text: str) -> str:
    """A message or value of a tool, made safe to show and to put in a sentence: no control characters, not too long."""
    return harmless(text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} …")


def not_an_answer(text: str, tool: str) -> StepFailed:
    """The error if the output is not an answer of ``tool``: a usage page, a question, another program's text."""
    shown = _SPACES.sub(" ", text).strip()[:_LONGEST]
    return StepFailed(
        f"not an answer of {tool}: {shown!r}; run it yourself to see what it wants" if shown else "no answer"
    )


def read_each(
    cards: Sequence[Card],
    tool_for: Callable[[Card], str],
    read: Callable[[str, int, Ask], list[Adapter]],
    ask: Ask,
) -> CardReading:
    """Read each of ``cards`` with its tool.

    Args:
        tool_for: returns the program for a card, or raises `ToolMissing`.
        read: reads every card that a program sees; takes the number of cards that the kernel has for it.
    """
    tools: dict[str, list[Card]] = {}
    missing: list[str] = []
    problems: list[str] = []
    adapters: list[Adapter] = []
    for card in cards:
        try:
            tools.setdefault(tool_for(card), []).append(card)
        except ToolMissing as error:
            missing.append(str(error))
    for tool, behind in tools.items():
        try:
            seen = placed(read(tool, len(behind), ask), behind)
        except ToolMissing as error:
            missing.append(str(error))
        except RaidtuiError as error:
            problems.append(str(error))
        else:
            # storcli also lists cards from Dell, which perccli reads.
            others = {card.address for card in cards} - {card.address for card in behind}
            found = [one for one in seen if one.address not in others]
            adapters += found
            problems += _unseen(tool, found, behind)
    return CardReading(
        adapters=tuple(_with_labels(adapters)), problems=tuple(problems), missing=tuple(missing)
    )


def placed(adapters: Sequence[Adapter], cards: Sequence[Card]) -> list[Adapter]:
    """Add what the kernel says of each card and older tools do not: its PCI address if there is one card, its driver.

    The driver is known without the address where all cards have the same.
    """
    alone = cards[0].address if len(adapters) == len(cards) == 1 else ""
    drivers = {card.address: card.driver for card in cards}
    common = cards[0].driver if len({*drivers.values()}) == 1 else ""
    found = [replace(one, address=one.address or alone) for one in adapters]
    return [replace(one, driver=one.driver or drivers.get(one.address, common)) for one in found]


def _with_labels(adapters: Sequence[Adapter]) -> Iterator[Adapter]:
    """Give a label to each card whose number several tools use."""
    times = Counter(one.number for one in adapters)
    for one in adapters:
        tool = posixpath.basename(one.tool)
        yield replace(one, label=f"{tool}-c{one.number}") if times[one.number] > 1 else one


def _unseen(tool: str, adapters: Sequence[Adapter], cards: Sequence[Card]) -> Iterator[str]:
    """An error for each card that a tool does not see because it is too old."""
    if len(adapters) < len(cards):
        seen = {one.address for one in adapters}
        for card in cards:
            if card.address not in seen:
                yield f"{tool} does not see the RAID card at {card.address}: use a newer version of it"
