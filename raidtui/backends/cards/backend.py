"""The backend of a family of cards: the part common to all families."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from raidtui.backends.cards.chosen import adapter_behind, drive_of
from raidtui.backends.cards.facts import Rules, card_facts
from raidtui.backends.cards.firmware import old_firmware
from raidtui.backends.cards.hazards import CARD, battery_of, failing, no_undo, one_family, sector_sizes
from raidtui.backends.cards.levels import LEVELS
from raidtui.backends.cards.names import check_name
from raidtui.backends.cards.options import WRITE_THROUGH, card_options, own_defaults
from raidtui.backends.cards.records import reading_in
from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.level import Level
from raidtui.backends.look import Check, Look
from raidtui.backends.options import Option
from raidtui.model.errors import BadInput
from raidtui.model.plan import Hazard
from raidtui.model.spec import Backend, Spec

if TYPE_CHECKING:
    from raidtui.backends.cards.builder import FamilyBuilder


class CardBackend(BackendContract, ABC):
    """Virtual drives of RAID cards; a subclass per family."""

    name: Backend
    noun = "virtual drive"
    blurb = "A virtual drive of a RAID card: the card keeps the redundancy. "
    unreadable = "the card punctures the stripe and reports an error"
    manual = "the card's manual"
    levels: Mapping[str, Level] = LEVELS
    rules: Rules
    more_options: Mapping[str, Option] = {}

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """Name, strip and spares, and the family's further options."""
        return {**card_options(self.rules.strips, self.rules.default_strip), **self.more_options}

    @property
    @abstractmethod
    def builder(self) -> "FamilyBuilder":
        """The vendor's tools."""

    def check(self, spec: Spec) -> None:
        """Refuse a bad name, a level that the family does not have, and partitions."""
        check_name(spec.name)
        if spec.level not in self.levels:
            raise BadInput(
                f"{self.rules.called} has no level {spec.level!r}; it has {', '.join(self.levels)}"
            )
        if spec.partition or spec.slice is not None:
            raise BadInput("a card takes whole drives; leave out the keys 'partition' and 'slice'")

    def defaults(self, spec: Spec) -> Spec:
        """Whole drives, since a card takes no partitions, and the card's default strip."""
        level = LEVELS.get(spec.level)
        strip = self.rules.default_strip if level is not None and level.has_chunk else None
        own = own_defaults(self.options, spec.level, spec.options)
        return replace(spec, partition=False, reserve=0, chunk=spec.chunk or strip, options=own)

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """The facts of a virtual drive."""
        return card_facts(level, sizes, options, self.rules)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """Every level."""
        return usual(self.levels, wanted)

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Placement as in md; words only for spans."""
        from raidtui.backends.md.placement import alike

        known = self.levels[wanted.level]
        return DataMap(words=known.placed) if known.placed else alike(known, wanted, rows)

    @property
    def hazards(self) -> tuple[Check, ...]:
        """Hazards of creating a virtual drive."""
        return (no_undo, self._card, one_family, sector_sizes)

    def _card(self, look: Look) -> Iterator[Hazard]:
        """Firmware with a known fault, failing drives, and a cache without backup."""
        reading = reading_in(look.machine, self.name) if look.machine is not None else None
        adapter = adapter_behind(look.members, reading)
        if adapter is None:
            return
        yield from old_firmware(adapter)
        drives = [drive for disk in look.disks if (drive := drive_of(disk, adapter)) is not None]
        yield from failing(drives, advice="Choose other drives.", source=CARD)
        if look.spec.options.get("write_policy") != WRITE_THROUGH:
            yield from battery_of(adapter)
