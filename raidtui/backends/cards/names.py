"""The name of a virtual drive: what a card allows, and the mark appended by which a plan identifies it."""

from typing import Final

from raidtui.backends.names import check_form
from raidtui.steps.seeds import derive

_MARK: Final = 6  # digits of the seed, appended to the name; a card stores 15 characters in total
LONGEST_NAME: Final = 15 - 1 - _MARK
_FOLDER: Final = "/dev/raidtui"  # of symlinks to virtual drives, while a job builds on them


def check_name(name: str) -> None:
    """Check that a card takes ``name`` with a mark appended. Raises BadInput: it does not."""
    check_form(name, of="a virtual drive", marks="_-", longest=LONGEST_NAME)


def link_of(name: str) -> str:
    """The symlink through which a job reaches the virtual drive ``name``; a Btrfs mount shows it as its source."""
    return f"{_FOLDER}/{name}"


def marked(name: str, seed: str) -> str:
    """``name`` with a mark, by which the plan finds the virtual drive: the card chooses its number and WWN."""
    return f"{name}-{derive(seed, 'array').replace('-', '')[:_MARK]}"
