"""The name of a virtual drive: what a card takes, and the mark behind it by which a plan knows its own."""

from typing import Final

from raidtui.backends.names import check_form
from raidtui.steps.seeds import derive

_MARK: Final = 6  # digits of the seed behind the name: a card keeps 15 characters in all
LONGEST_NAME: Final = 15 - 1 - _MARK


def check_name(name: str) -> None:
    """See that a card takes ``name`` with a mark behind it.

    Raises:
        BadInput: it does not.
    """
    check_form(name, of="a virtual drive", marks="_-", longest=LONGEST_NAME)


def marked(name: str, seed: str) -> str:
    """The name that the card keeps: by it a plan knows its virtual drive, whose number and WWN the card chooses."""
    return f"{name}-{derive(seed, 'array').replace('-', '')[:_MARK]}"
