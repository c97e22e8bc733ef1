"""Text in parts with styles: screens draw it with them, plain output without. Does not load Textual."""

from collections.abc import Iterable

Parts = list[tuple[str, str] | str]
"""Pieces of text, alone or with a style."""


def bare(parts: Iterable[tuple[str, str] | str]) -> str:
    """The text without the styles."""
    return "".join(part if isinstance(part, str) else part[0] for part in parts)
