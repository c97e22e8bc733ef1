"""Present faults of cards and their virtual drives. Pure."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.cards.family import Wording
from raidtui.backends.cards.firmware import old_firmware
from raidtui.backends.cards.hazards import failing
from raidtui.backends.cards.records import Adapter, CardReading, DriveState, Policy, Volume, VolumeState
from raidtui.backends.cards.redundancy import failed_outside, redundancy_words, unprotected
from raidtui.backends.cards.words import battery_remedy, battery_words, unit_name
from raidtui.model.plan import Hazard, Severity, high, notice, warning
from raidtui.model.text import count_of


def warnings_of(reading: CardReading, wording: Wording) -> tuple[Hazard, ...]:
    """Every warning about these cards, in the order of the cards."""
    return tuple(
        found for adapter in reading.adapters for check in _CHECKS for found in check(adapter, wording)
    )


_REPLACE: Final = "replace the failed drive: the card rebuilds onto the new one."
_REBUILDING: Final = "Copy what matters now, and let the rebuild finish."
_DOWN: Final = {
    VolumeState.OFFLINE: (
        "Too many of its drives are gone: its data cannot be read.",
        "Do not delete or initialize it. Connect the missing drives again; if they have failed, restore a backup.",
    ),
    VolumeState.DEGRADED: (
        "If another drive fails, the data of this virtual drive may be lost.",
        f"Copy what matters now. Then {_REPLACE}",
    ),
    VolumeState.PARTLY_DEGRADED: (
        "It survives one more failed drive. If two more fail, its data may be lost.",
        _REPLACE.capitalize(),
    ),
}
"""By state of a virtual drive: its meaning, and what to do."""


def _failed(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    for volume in adapter.volumes:
        if volume.state in _DOWN:
            meaning, advice = _DOWN[volume.state]
            if volume.state is not VolumeState.OFFLINE and _rebuilds(volume, adapter):
                advice = _REBUILDING
            left = f", {redundancy_words(volume, adapter)}" if volume.state is VolumeState.DEGRADED else ""
            yield high(
                id="card-degraded",
                seen=f"{unit_name(volume, adapter)} is {volume.state}{left}",
                meaning=meaning,
                advice=advice,
                source=wording.guide,
            )


def _rebuilds(volume: Volume, adapter: Adapter) -> bool:
    """Whether the card is rebuilding one of its drives."""
    return any(one.state is DriveState.REBUILDING for one in adapter.drives_of(volume))


def _bad_blocks(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    for volume in adapter.volumes:
        if volume.bad_blocks:
            yield high(
                id="card-bad-blocks",
                seen=f"{unit_name(volume, adapter)} is {volume.state} and has {wording.bad_blocks}",
                meaning="Drives could not be read where nothing was left to rebuild from: that data is lost, and "
                "reading it is an error. No rebuild or check brings it back.",
                advice="Copy what can be read, and restore the files that cannot. Replace the drives with media "
                "errors, then delete the virtual drive and create it anew.",
                source=wording.guide,
            )


def _sick(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    used = [one for one in adapter.drives if adapter.volumes_on(one)]
    advice = "Replace them one by one, and let each rebuild finish before the next."
    yield from failing(used, advice=advice, source=wording.guide)
    spare = [one for one in adapter.drives if one not in used]
    for hazard in failing(spare, advice="Replace them before a rebuild needs them.", source=wording.guide):
        yield replace(hazard, severity=Severity.WARN)


def _outside(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    found = failed_outside(adapter)
    if found:
        yield warning(
            id="card-drive-failed",
            seen="; ".join(
                f"{one.slot} ({one.serial or 'no serial number'}): the card says {one.state_word}"
                for one in found
            ),
            meaning="These drives have failed or are offline, and belong to no virtual drive that the card describes.",
            advice="If a virtual drive is missing, do not delete, initialize or clear anything: see what they were "
            f"part of. Else replace them. To see one: {wording.look_at(adapter, found[0])}",
            source=wording.guide,
        )


def _battery(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    remedy = battery_remedy(adapter)
    for volume in adapter.volumes:
        name = unit_name(volume, adapter)
        always = volume.policy is Policy.ALWAYS_WRITE_BACK
        if unprotected(volume, adapter):
            loses = (
                "loses writes that the card has reported as done, and may damage the filesystem"
                if always
                else "may lose writes that the card has reported as done"
            )
            turn = wording.write_back if always else wording.write_through
            yield high(
                id="card-write-back-unprotected",
                seen=f"{name}: {volume.policy}, {battery_words(adapter)}",
                meaning=f"A power cut {loses}.",
                advice=f"{remedy} Let it write through until then: {turn(adapter, volume)}",
                source=wording.guide,
            )
        elif (
            adapter.keeps_cache is None
            and (always or (adapter.battery and volume.policy is Policy.WRITE_BACK))
        ) or (adapter.keeps_cache is False and volume.policy is Policy.UNKNOWN):
            yield warning(
                id="card-cache-unknown",
                seen=f"{name}: {volume.policy}, {battery_words(adapter) or 'battery not known'}",
                meaning="Whether the cache survives a power cut is not known.",
                advice=f"Check the battery or capacitor of the card: {wording.look(adapter)}",
                source=wording.guide,
            )
        elif volume.policy_set is Policy.WRITE_BACK and volume.policy is Policy.WRITE_THROUGH:
            yield warning(
                id="card-write-through",
                seen=f"{name}: write-through now, {battery_words(adapter) or 'battery not known'}",
                meaning="Writes are slow: the card does not cache them while a power cut would lose its cache.",
                advice=" ".join(filter(None, (remedy, f"Check it: {wording.look(adapter)}"))),
                source=wording.guide,
            )


def _drive_cache(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    seen = [unit_name(one, adapter) for one in adapter.volumes if one.drive_cache]
    if seen:
        first = next(one for one in adapter.volumes if one.drive_cache)
        yield warning(
            id="card-drive-cache",
            seen=f"drive cache on: {', '.join(seen)}",
            meaning="A power cut loses what is in the drive cache: the card's battery does not keep it.",
            advice=f"Turn it off: {wording.drive_cache_off(adapter, first)}",
            source=wording.guide,
        )


def _patrol(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    off = [
        name
        for name, state in (
            ("patrol read", adapter.patrol_read),
            ("consistency check", adapter.consistency_check),
        )
        if state is False
    ]
    if off and adapter.volumes:
        yield warning(
            id="card-no-patrol",
            seen=f"{' and '.join(off)} off on {adapter.model or 'the card'}",
            meaning="Bad sectors stay hidden until a rebuild has to read them.",
            advice=f"Turn {'them' if len(off) > 1 else 'it'} on: {wording.checks_on(adapter)}",
            source=wording.guide,
        )


def _foreign(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    if adapter.foreign:
        yield warning(
            id="card-foreign",
            seen=f"foreign configuration on {', '.join(adapter.foreign)}",
            meaning="These drives hold an array that another card made, or this one before it lost them.",
            advice=f"Look at it before anything else: {wording.look_at_foreign(adapter)}. "
            "Clearing it loses the array.",
            source=wording.guide,
        )


def _preserved(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    if adapter.preserved_cache:
        yield high(
            id="card-preserved-cache",
            seen=f"{adapter.model or 'the card'} keeps unwritten data of a virtual drive that is gone",
            meaning="Writes that the card reported as done are only in its cache.",
            advice="Connect the missing drives again before you delete anything: the card then writes them. "
            f"To see which virtual drive they belong to: {wording.look_at_preserved(adapter)}",
            source=wording.guide,
        )


def _personality(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    raw = sum(one.state is DriveState.RAW for one in adapter.drives)
    plain = adapter.personality.upper() in {"JBOD", "HBA"}
    if plain or (raw and adapter.volumes):
        mixed = (
            f"{count_of(raw, 'drive')} passed through beside virtual drives"
            if raw and adapter.volumes
            else ""
        )
        yield notice(
            id="card-personality",
            seen=mixed or f"{adapter.model or 'the card'} has the personality {adapter.personality}",
            meaning="The card passes drives on as disks; build on those with mdadm, LVM, ZFS or Btrfs.",
            advice="Do not change the personality of a card in use: that loses its virtual drives.",
            source=wording.guide,
        )


def _firmware(adapter: Adapter, _wording: Wording) -> Iterator[Hazard]:
    if adapter.volumes:
        yield from old_firmware(adapter)


def _family(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    if adapter.volumes:
        yield notice(
            id="card-family",
            seen=f"{count_of(adapter.volumes, 'virtual drive')} on {adapter.model or 'a RAID card'}",
            meaning="Only a card of the same family reads these virtual drives, should this one fail.",
            advice="Know where to get a second card, and keep a backup that needs none.",
            source=wording.guide,
        )


def _faults(adapter: Adapter, wording: Wording) -> Iterator[Hazard]:
    for fault in adapter.faults:
        yield high(
            id="card-fault",
            seen=f"{adapter.model or 'the card'}: {fault}",
            meaning="What the card writes, or says of its drives, is not to be relied on.",
            advice=f"See what the card says, and replace what has failed: {wording.look(adapter)}",
            source=wording.guide,
        )


_CHECKS: Final[tuple[Callable[[Adapter, Wording], Iterator[Hazard]], ...]] = (
    _faults,
    _failed,
    _bad_blocks,
    _sick,
    _outside,
    _battery,
    _firmware,
    _drive_cache,
    _preserved,
    _foreign,
    _patrol,
    _personality,
    _family,
)
