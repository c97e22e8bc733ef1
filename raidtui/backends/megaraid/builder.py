"""Build and remove virtual drives of MegaRAID and PERC cards with storcli, storcli2 or perccli."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.builder import FamilyBuilder
from raidtui.backends.cards.conditions import subject
from raidtui.backends.cards.options import BACKGROUND, FAST, FULL, caches_words
from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.backends.cards.units import is_offline
from raidtui.backends.megaraid.commands import create, delete, initialize, link
from raidtui.backends.megaraid.conditions import DRIVES_FREE, INITIALIZED, VOLUME, VOLUME_GONE
from raidtui.backends.megaraid.facts import RULES
from raidtui.backends.megaraid.reader import MegaraidReader
from raidtui.model.machine import Machine
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.steps.condition import Condition

_WHY: Final = {
    FAST: "The card writes zeros to both ends, and parity in the background.",
    FULL: "The card writes zeros to all of it, which takes hours. Then its parity is consistent.",
}


class MegaraidBuilder(FamilyBuilder):
    """storcli, storcli2 and perccli."""

    card = RULES.called
    reader = MegaraidReader()
    drives_free = DRIVES_FREE
    volume_is = VOLUME
    volume_gone = VOLUME_GONE

    def check_card(self, adapter: Adapter, spec: Spec) -> None:
        """Check nothing: every card takes every option."""

    def finds_again(self, volume: Volume, adapter: Adapter, machine: Machine) -> bool:
        """By its WWN alone."""
        return bool(volume.naa) or is_offline(volume)

    def create(
        self,
        adapter: Adapter,
        *,
        spec: Spec,
        name: str,
        members: Sequence[Drive],
        spares: Sequence[Drive],
        strip: int,
    ) -> tuple[Run, ...]:
        """One command."""
        slots, of_spares = [one.slot for one in members], [one.slot for one in spares]
        return (create(adapter, spec=spec, name=name, slots=slots, spares=of_spares, strip=strip),)

    def caches(self, spec: Spec) -> str:
        """The same words as for every card."""
        return caches_words(spec.options)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The common conditions, and one on initialization."""
        return (*super().conditions, INITIALIZED)

    def initialize(self, adapter: Adapter, spec: Spec, name: str) -> list[Step]:
        """One step, if chosen; background initialization needs none."""
        kind = spec.options.get("initialization", BACKGROUND)
        if kind == BACKGROUND:
            return []
        return [
            Step(
                id="initialize",
                role=Role.CREATE,
                title=f"Initialize the virtual drive ({kind})",
                reason=_WHY[kind],
                actions=(initialize(adapter, name, kind),),
                after=(INITIALIZED.of(subject(adapter, name), kind),),
                undoable=Undo.NOTHING,
                as_long_as="writing the whole virtual drive" if kind == FULL else "",
            )
        ]

    def link(self, adapter: Adapter, key: str, path: str) -> Run:
        """Link to the disk with its WWN."""
        return link(adapter, key, path)

    def delete(self, adapter: Adapter, key: str, spares: Sequence[Drive]) -> tuple[Run, ...]:
        """The card frees the spares itself."""
        return (delete(adapter, key),)
