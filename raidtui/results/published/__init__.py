"""Published figures as data: one TOML file per study, with its source."""

from typing import Final

PREFIX: Final = "published:"


def is_published(word: str) -> bool:
    """Whether ``word`` names a published result."""
    return word.startswith(PREFIX)
