"""Regular expressions that are compiled on first use: most commands need few of the hundreds that are imported."""

import re
from typing import cast


class _Late:
    """Stands for a compiled expression, and becomes it with the first attribute that is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._made_from = text, flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._made_from)
        for method in (
            "search",
            "match",
            "fullmatch",
            "finditer",
            "findall",
            "split",
            "sub",
            "subn",
            "pattern",
        ):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`. An expression that is wrong is noticed on first use."""
    return cast("re.Pattern[str]", _Late(text, flags))
