"""The backend of virtual drives of MegaRAID and PERC cards."""

from functools import cached_property
from typing import TYPE_CHECKING

from raidtui.backends.cards.backend import CardBackend
from raidtui.backends.megaraid.facts import RULES
from raidtui.backends.megaraid.options import OPTIONS
from raidtui.model.spec import Backend

if TYPE_CHECKING:
    from raidtui.backends.megaraid.builder import MegaraidBuilder


class Megaraid(CardBackend):
    """Virtual drives of MegaRAID and PERC cards."""

    name = Backend.MEGARAID
    rules = RULES
    more_options = OPTIONS

    @cached_property
    def builder(self) -> "MegaraidBuilder":
        """The vendors' tools."""
        from raidtui.backends.megaraid.builder import MegaraidBuilder

        return MegaraidBuilder()


BACKEND = Megaraid()
