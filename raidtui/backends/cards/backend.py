"""The backend of a family of cards: the part common to all families."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from raidtui.backends.cards.chosen import adapter_behind, drives_of
from raidtui.backends.cards.facts import Rules, card_facts
from raidtui.backends.cards.firmware import old_firmware
from raidtui.backends.cards.hazards import CARD, battery_of, failing, no_undo, one_family, sector_sizes
from raidtui.backends.cards.levels import LEVELS
from raidtui.backends.cards.names import check_name
from raidtui.backends.cards.options import WRITE_THROUGH, card_options, own_defaults
from raidtui.backends.cards.records import reading_in
from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import usual
from raidtui.backends.look import Look
from raidtui.backends.options import Option
from raidtui.model.errors import BadInput
from raidtui.model.plan import Hazard
from raidtui.model.spec import Backend, Spec


def card_backend(name: Backend, rules: Rules, more_options: Mapping[str, Option]) -> BackendContract:
    """The backend of a family of cards, with its further options."""
    options = {**card_options(rules.strips, rules.default_strip), **more_options}

    def check(spec: Spec) -> None:
        check_name(spec.name)
        if spec.level not in LEVELS:
            raise BadInput(f"{rules.called} has no level {spec.level!r}; it has {', '.join(LEVELS)}")
        if spec.partition or spec.slice is not None:
            raise BadInput("a card takes whole drives; leave out the keys 'partition' and 'slice'")

    def defaults(spec: Spec) -> Spec:
        """Whole drives, since a card takes no partitions, and the card's default strip."""
        level = LEVELS.get(spec.level)
        strip = rules.default_strip if level is not None and level.has_chunk else None
        own = own_defaults(options, spec.level, spec.options)
        return replace(spec, partition=False, reserve=0, chunk=spec.chunk or strip, options=own)

    def card(look: Look) -> Iterator[Hazard]:
        """Firmware with a known fault, failing drives, and a cache without backup."""
        reading = reading_in(look.machine, name) if look.machine is not None else None
        adapter = adapter_behind(look.members, reading)
        if adapter is None:
            return
        yield from old_firmware(adapter)
        yield from failing(drives_of(look.disks, adapter), advice="Choose other drives.", source=CARD)
        if look.spec.options.get("write_policy") != WRITE_THROUGH:
            yield from battery_of(adapter)

    return BackendContract(
        name=name,
        noun="virtual drive",
        blurb="A virtual drive of a RAID card: the card keeps the redundancy. ",
        unreadable="the card punctures the stripe and reports an error",
        manual="the card's manual",
        levels=LEVELS,
        options=options,
        check=check,
        defaults=defaults,
        facts=lambda level, sizes, wanted: card_facts(level, sizes, wanted, rules),
        compared=lambda wanted, disks, alike: usual(LEVELS, wanted),
        data_map=_data_map,
        hazards=(no_undo, card, one_family, sector_sizes),
    )


def _data_map(wanted: Arrangement, rows: int) -> DataMap:
    """Placement as in md; words only for spans."""
    from raidtui.backends.md.placement import alike

    known = LEVELS[wanted.level]
    return DataMap(words=known.placed) if known.placed else alike(known, wanted, rows)
