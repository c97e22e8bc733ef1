"""A card in words: model, firmware, cache, battery and settings, and what could not be read. Pure."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.cards.protection import Protection
from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState, Policy, Volume
from raidtui.model.machine import Card
from raidtui.model.text import count_of
from raidtui.model.units import binary

NO_BATTERY: Final = "no battery or capacitor"


def card_lines(cards: Sequence[Card], reading: CardReading) -> Iterator[str]:
    """Every card of a family, including those that no tool described, and why something is unknown."""
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
    """The battery or capacitor of a card and its state."""
    if adapter.battery is not None:
        return f"{adapter.battery.kind} {adapter.battery.state or 'of unknown state'}"
    return {True: "battery of unknown state", False: NO_BATTERY, None: ""}[adapter.has_battery]


def battery_remedy(adapter: Adapter) -> str:
    """What to do so that the cache of a card survives a power cut, in a sentence; empty if its state is unknown."""
    kind = adapter.battery.kind if adapter.battery is not None else "battery"
    return {
        Protection.ABSENT: "Fit the battery or capacitor that is made for this card.",
        Protection.FAILED: f"Replace the {kind}, unless it is only charging or learning.",
        Protection.NOT_NOW: f"Let the {kind} charge, finish learning or cool down. Replace it if that does not help.",
        Protection.UNKNOWN: "",
        Protection.KEEPS: "",
    }[adapter.protection]


def unit_name(volume: Volume, adapter: Adapter) -> str:
    """The name of a virtual drive, else its number: c0v239."""
    return volume.name or f"{adapter.called}v{volume.number}"


def drive_errors(drive: Drive) -> str:
    """The error counts of a drive, in words; empty without any."""
    counts = (
        (drive.media_errors, "media error"),
        (drive.other_errors, "other error"),
        (drive.predicted_failures, "predicted failure"),
    )
    errors = [f"{count} {what}{'s'[: count != 1]}" for count, what in counts if count]
    return ", ".join([*errors, *(["SMART alert"] if drive.smart_alert else [])])


def settings(volume: Volume, adapter: Adapter) -> str:
    """The properties of card and virtual drive that affect speed, in one line, for comparison."""
    parts = [
        adapter.model or "RAID card",
        *_described_by(adapter),
        battery_words(adapter),
        policy_words(volume),
    ]
    return ", ".join(filter(None, parts))


def properties(volume: Volume, adapter: Adapter) -> dict[str, str]:
    """The same as separate settings, to compare two results by; unknown ones are left out."""
    found = {
        "write policy": _write_policy(volume),
        "read-ahead": _switched(volume.read_ahead),
        "drive cache": _switched(volume.drive_cache),
        "battery": battery_words(adapter),
        "controller": adapter.model,
        "firmware": adapter.package or adapter.firmware,
        "cache": binary(adapter.cache_bytes) if adapter.cache_bytes else "",
    }
    return {key: value for key, value in found.items() if value}


def details(volume: Volume, adapter: Adapter) -> tuple[str, ...]:
    """The settings of a virtual drive and its card, a line each; unknown ones are left out."""
    found = {
        "strip": binary(volume.strip_bytes) if volume.strip_bytes else "",
        "write policy": _write_policy(volume),
        "read-ahead": _now_and_set(_switched(volume.read_ahead), _switched(volume.read_ahead_set)),
        "drive cache": _switched(volume.drive_cache) or "as each drive has it",
        "cache protection": battery_words(adapter),
        "controller": ", ".join(filter(None, (adapter.model or "RAID card", *_described_by(adapter)))),
        "place": volume.place,
    }
    return tuple(f"{key}: {value}" for key, value in found.items() if value)


def _described_by(adapter: Adapter) -> Iterator[str]:
    """Its firmware and cache size."""
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
    parts = [
        *_described_by(adapter),
        battery_words(adapter),
        f"status {adapter.status.lower()}" if adapter.status else "",
        f"personality {adapter.personality}" if adapter.personality else "",
        count_of(adapter.volumes, "virtual drive"),
        count_of([one for one in adapter.drives if one.state is not DriveState.MISSING], "drive"),
    ]
    yield f"  {', '.join(filter(None, parts))}"
    yield from (f"  not known: {problem}" for problem in adapter.problems)
