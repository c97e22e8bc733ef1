"""The backend of virtual drives of Adaptec cards."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from raidtui.backends.adaptec.facts import RULES
from raidtui.backends.adaptec.options import OPTIONS
from raidtui.backends.cards.backend import CardBackend
from raidtui.backends.cards.levels import LEVELS, SPANNED
from raidtui.backends.level import Level
from raidtui.model.spec import Backend

if TYPE_CHECKING:
    from raidtui.backends.adaptec.builder import AdaptecBuilder


class Adaptec(CardBackend):
    """Virtual drives of Adaptec cards."""

    name = Backend.ADAPTEC
    rules = RULES
    more_options = OPTIONS
    # Without the levels with spans: there is no recording of arcconf's output for them.
    levels: Mapping[str, Level] = {name: one for name, one in LEVELS.items() if name not in SPANNED}

    @cached_property
    def builder(self) -> "AdaptecBuilder":
        """arcconf."""
        from raidtui.backends.adaptec.builder import AdaptecBuilder

        return AdaptecBuilder()


BACKEND = Adaptec()
