"""How the tools of cards are asked: what each printed, which card none of them sees, and a card that is busy."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.cards.records import Adapter, CardReading
from raidtui.machine.ask import Ask
from raidtui.model.errors import RaidtuiError, StepFailed, ToolMissing
from raidtui.model.machine import Card

# "Application already in use - try later", "Scratch memory not available, try the command again later".
_BUSY: Final = re.compile(r"\bbusy\b|\b(?:re)?try\b.*\blater\b", re.IGNORECASE)
_LONGEST: Final = 80  # characters of an answer that are quoted
_SPACES: Final = re.compile(r"\s+")

AGAIN: Final = "the card is busy: try again when it is idle"


class NoAnswer(StepFailed):
    """A tool that cannot be run, hangs or crashes. It is not asked again."""


def printed(argv: Sequence[str], ask: Ask) -> str:
    """What a tool printed.

    Raises:
        NoAnswer: it cannot be run, does not end in time, or is killed by a signal.
    """
    answer, spoken = ask(argv), " ".join(argv)
    if answer.returncode is None:
        raise NoAnswer(f"{spoken}: {answer.stderr}; run it yourself: the card or its driver may hang")
    if answer.returncode < 0:  # old ones crash on new kernels, and may take the firmware with them
        raise NoAnswer(f"{spoken} was killed by signal {-answer.returncode}: use a newer version of it")
    return answer.stdout


def says_busy(text: str) -> bool:
    """Whether a tool says that the card is busy for now."""
    return _BUSY.search(text) is not None


def not_an_answer(text: str, tool: str) -> StepFailed:
    """The error where ``tool`` printed anything but an answer: a page, a question, the words of another program."""
    shown = _SPACES.sub(" ", text).strip()[:_LONGEST]
    return StepFailed(
        f"not an answer of {tool}: {shown!r}; run it yourself to see what it wants" if shown else "no answer"
    )


def read_each(
    cards: Sequence[Card],
    tool_for: Callable[[Card], str],
    read: Callable[[str, Ask], list[Adapter]],
    ask: Ask,
) -> CardReading:
    """What the tool of each of ``cards`` says of it.

    Args:
        tool_for: the program for a card, which may be missing.
        read: every card that a program sees.
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
            found = _placed(read(tool, ask), behind)
        except ToolMissing as error:
            missing.append(str(error))
        except RaidtuiError as error:
            problems.append(str(error))
        else:
            adapters += found
            problems += _unseen(tool, found, behind)
    return CardReading(adapters=tuple(adapters), problems=tuple(problems), missing=tuple(missing))


def _placed(adapters: Sequence[Adapter], cards: Sequence[Card]) -> list[Adapter]:
    """With their place on the PCI bus: older tools do not say it, which leaves no doubt where there is one card."""
    if len(adapters) == len(cards) == 1:
        (one,), (card,) = adapters, cards
        return [replace(one, address=one.address or card.address, driver=one.driver or card.driver)]
    return list(adapters)


def _unseen(tool: str, adapters: Sequence[Adapter], cards: Sequence[Card]) -> Iterator[str]:
    """The cards that a tool does not see: it is older than they are."""
    if len(adapters) < len(cards):
        seen = {one.address for one in adapters}
        for card in cards:
            if card.address not in seen:
                yield f"{tool} does not see the RAID card at {card.address}: use a newer version of it"
