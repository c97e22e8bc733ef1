"""The backend of virtual drives of Adaptec cards."""

from functools import cached_property
from typing import TYPE_CHECKING

from raidtui.backends.adaptec.facts import RULES
from raidtui.backends.adaptec.options import OPTIONS
from raidtui.backends.cards.backend import CardBackend
from raidtui.model.spec import Backend

if TYPE_CHECKING:
    from raidtui.backends.adaptec.builder import AdaptecBuilder


class Adaptec(CardBackend):
    """Virtual drives of Adaptec cards."""

    name = Backend.ADAPTEC
    rules = RULES
    more_options = OPTIONS

    @cached_property
    def builder(self) -> "AdaptecBuilder":
        """arcconf."""
        from raidtui.backends.adaptec.builder import AdaptecBuilder

        return AdaptecBuilder()


BACKEND = Adaptec()
