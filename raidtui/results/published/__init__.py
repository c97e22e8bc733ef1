"""Figures that others published, as data: one TOML file a study, each with its source."""

from typing import Final

PREFIX: Final = "published:"


def is_published(word: str) -> bool:
    """Whether ``word`` names a published result."""
    return word.startswith(PREFIX)
