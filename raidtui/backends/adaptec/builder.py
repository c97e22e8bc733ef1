"""Virtual drives of Adaptec cards, by arcconf."""

from collections.abc import Sequence

from raidtui.backends.adaptec.commands import create, delete, link
from raidtui.backends.adaptec.conditions import CONDITIONS, DRIVES_FREE, SPARES, VOLUME, VOLUME_GONE
from raidtui.backends.adaptec.facts import RULES
from raidtui.backends.adaptec.reader import AdaptecReader
from raidtui.backends.adaptec.wording import SMARTRAID
from raidtui.backends.cards.builder import FamilyBuilder
from raidtui.backends.cards.conditions import slots_and_serials, subject
from raidtui.backends.cards.options import OFF, WRITE_THROUGH, caches_words
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.model.errors import BadInput
from raidtui.model.plan import Check, Run
from raidtui.model.spec import Spec
from raidtui.steps.condition import Condition


class AdaptecBuilder(FamilyBuilder):
    """arcconf."""

    card = RULES.called
    reader = AdaptecReader()
    drives_free = DRIVES_FREE
    volume_is = VOLUME
    volume_gone = VOLUME_GONE

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Those about virtual drives, and that of the spares."""
        return CONDITIONS

    def check_card(self, adapter: Adapter, spec: Spec) -> None:
        """A SmartRAID card has spares of an array, for which nobody has shown what it answers, and one cache for all."""
        own = spec.options
        if adapter.driver == SMARTRAID and (
            own.get("write_policy") == WRITE_THROUGH or own.get("read_ahead") == OFF
        ):
            raise BadInput(
                "a SmartRAID card has one cache for all virtual drives; leave 'write_policy' and 'read_ahead' out and "
                f"set it with '{adapter.tool} SETCACHE {adapter.number}'"
            )
        if spec.spares and adapter.driver == SMARTRAID:
            raise BadInput(
                "raidtui gives no hot spare to a SmartRAID card; leave 'spares' out and add one with "
                f"'{adapter.tool} SETSTATE {adapter.number} DEVICE'"
            )

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
        """One command for the virtual drive, and one for each spare."""
        return create(adapter, spec=spec, name=name, members=members, spares=spares, strip=strip)

    def caches(self, spec: Spec) -> str:
        """The drive cache is set for each drive, and not with a virtual drive."""
        return caches_words(spec.options, drives="as it is")

    def made_beside(self, adapter: Adapter, spares: Sequence[Drive]) -> tuple[Check, ...]:
        """The spares, which are given after it was made."""
        return (SPARES.of(subject(adapter, "spares"), slots_and_serials(spares)),) if spares else ()

    def link(self, adapter: Adapter, key: str, path: str) -> Run:
        """By the serial number or WWN that udev has of it."""
        return link(adapter, key, path)

    def delete(self, adapter: Adapter, key: str, spares: Sequence[Drive]) -> tuple[Run, ...]:
        """The virtual drive first, then its spares."""
        return delete(adapter, key, spares)
