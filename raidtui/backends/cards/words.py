"""A card in lines: what it is, its firmware, cache and battery, and what could not be read of it. Pure."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.cards.records import Adapter, CardReading, DriveState, Policy, Volume
from raidtui.model.machine import Card
from raidtui.model.text import count_of
from raidtui.model.units import binary

NO_BATTERY: Final = "no battery or capacitor"


def card_lines(cards: Sequence[Card], reading: CardReading) -> Iterator[str]:
    """Every card of a family, those that no tool described too, and why something is not known."""
    known = {one.address: one for one in reading.adapters if one.address}
    for card in cards:
        adapter = known.get(card.address)
        identity = f"{card.vendor}:{card.device}, board {card.board_vendor}:{card.board}"
        model = adapter.model if adapter and adapter.model else f"PCI {identity}"
        yield f"RAID card {card.address}: {model}, driver {card.driver}"
        if adapter is not None:
            yield from _described(adapter)
    for adapter in reading.adapters:
        if not any(card.address == adapter.address for card in cards):
            yield f"RAID card {adapter.number} of {posixpath.basename(adapter.tool)}: {adapter.model or 'model not known'}"
            yield from _described(adapter)
    yield from (f"  {problem}" for problem in (*reading.missing, *reading.problems))


def battery_words(adapter: Adapter) -> str:
    """What keeps the cache of a card through a power cut, and how it is."""
    if adapter.battery is not None:
        return f"{adapter.battery.kind} {adapter.battery.state or 'of unknown state'}"
    return {True: "battery of unknown state", False: NO_BATTERY, None: ""}[adapter.has_battery]


def battery_remedy(adapter: Adapter) -> str:
    """What to do so that the cache of a card is kept through a power cut, in a sentence."""
    if adapter.has_battery is False:
        return "Fit the battery or capacitor that is made for this card."
    kind = adapter.battery.kind if adapter.battery is not None else "battery"
    return f"Replace the {kind}, unless it is only charging or learning."


def settings(volume: Volume, adapter: Adapter) -> str:
    """What of a card and a virtual drive decides how fast it is, in a line that can be compared."""
    said = [
        adapter.model or "RAID card",
        *_described_by(adapter),
        battery_words(adapter),
        policy_words(volume),
    ]
    return ", ".join(filter(None, said))


def properties(volume: Volume, adapter: Adapter) -> dict[str, str]:
    """The same a setting each, so that two results can be compared by it; what the card does not say is left out."""
    found = {
        "write policy": _write_policy(volume),
        "read-ahead": _switched(volume.read_ahead),
        "drive cache": _switched(volume.drive_cache),
        "battery": battery_words(adapter),
        "controller": adapter.model,
        "firmware": adapter.package or adapter.firmware,
        "cache": binary(adapter.cache_bytes) if adapter.cache_bytes else "",
    }
    return {key: said for key, said in found.items() if said}


def details(volume: Volume, adapter: Adapter) -> tuple[str, ...]:
    """What a virtual drive is set to and of which card it is, a line each; what the card does not say is left out."""
    found = {
        "strip": binary(volume.strip_bytes) if volume.strip_bytes else "",
        "write policy": _write_policy(volume),
        "read-ahead": _now_and_set(_switched(volume.read_ahead), _switched(volume.read_ahead_set)),
        "drive cache": _switched(volume.drive_cache) or "as each drive has it",
        "battery": battery_words(adapter),
        "controller": ", ".join(filter(None, (adapter.model or "RAID card", *_described_by(adapter)))),
        "place": volume.place,
    }
    return tuple(f"{key}: {said}" for key, said in found.items() if said)


def _described_by(adapter: Adapter) -> Iterator[str]:
    """Its firmware and how large its cache is."""
    if firmware := adapter.package or adapter.firmware:
        yield f"firmware {firmware}"
    if adapter.cache_bytes:
        yield f"cache {binary(adapter.cache_bytes)}"


def _now_and_set(now: str, was_set: str) -> str:
    return f"{now} now, set to {was_set}" if now and was_set not in {"", now} else now


def _write_policy(volume: Volume) -> str:
    return _now_and_set(_policy(volume.policy), _policy(volume.policy_set))


def _policy(policy: Policy) -> str:
    return "" if policy is Policy.UNKNOWN else str(policy)


def _switched(state: bool | None) -> str:
    return {True: "on", False: "off", None: ""}[state]


def policy_words(volume: Volume) -> str:
    """The cache policies of a virtual drive."""
    drives = {True: "on", False: "off", None: "as each drive has it"}[volume.drive_cache]
    ahead = {True: "read-ahead", False: "no read-ahead", None: ""}[volume.read_ahead]
    return ", ".join(filter(None, [_write_policy(volume), ahead, f"drive cache {drives}"]))


def _described(adapter: Adapter) -> Iterator[str]:
    said = [
        *_described_by(adapter),
        battery_words(adapter),
        f"status {adapter.status.lower()}" if adapter.status else "",
        f"personality {adapter.personality}" if adapter.personality else "",
        count_of(adapter.volumes, "virtual drive"),
        count_of([one for one in adapter.drives if one.state is not DriveState.MISSING], "drive"),
    ]
    yield f"  {', '.join(filter(None, said))}"
    yield from (f"  not known: {problem}" for problem in adapter.problems)
