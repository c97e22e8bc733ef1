"""Virtual drives of MegaRAID and PERC cards, behind the contract."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.look import Check
from raidtui.backends.megaraid.facts import megaraid_facts
from raidtui.backends.megaraid.levels import LEVELS
from raidtui.backends.megaraid.options import OPTIONS
from raidtui.model.plan import Severity
from raidtui.model.spec import Backend, Spec

if TYPE_CHECKING:
    from raidtui.backends.contract import BackendContract, Builder, CardReader
    from raidtui.backends.megaraid.builder import MegaraidBuilder


class Megaraid:
    """Virtual drives of MegaRAID and PERC cards."""

    name = Backend.MEGARAID
    noun = "virtual drive"
    blurb = "A virtual drive of a RAID card: the card keeps the redundancy. "
    unreadable = "the card punctures the stripe and reports an error"
    levels = LEVELS
    own_filesystem = ""
    options = OPTIONS
    hazards: tuple[Check, ...] = ()
    grades: Mapping[str, Severity] = {}

    def defaults(self, spec: Spec) -> Spec:
        """Whole drives: the card takes no partitions."""
        return replace(spec, partition=False, reserve=0)

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """What it gives."""
        return megaraid_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """Every level."""
        return usual(LEVELS, wanted)

    @cached_property
    def builder(self) -> "Builder":
        """The vendors' tools."""
        return self._both

    @cached_property
    def card_reader(self) -> "CardReader":
        """The same."""
        return self._both

    @cached_property
    def _both(self) -> "MegaraidBuilder":
        from raidtui.backends.megaraid.builder import MegaraidBuilder

        return MegaraidBuilder()


BACKEND: "BackendContract" = Megaraid()
