"""A search for a disk in the case: which lights blink, and what is said when disks are pulled and plugged."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple, Self

from raidtui.advice.pulling import pulls
from raidtui.backends.reading import read_whole
from raidtui.backends.registry import card_readers
from raidtui.backends.unit_words import lost_words
from raidtui.backends.units import units_of
from raidtui.machine.locating import CardLight, Light, Moves
from raidtui.machine.seats import connected_disks
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import decimal

_SETTLE_SECONDS: Final = 2.0  # until md and udev have dealt with a disk that came back


class Said(NamedTuple):
    """A line for the person at the computer."""

    text: str
    danger: bool = False


def find_lights(word: str, machine: Machine, units: Sequence[Unit]) -> tuple[str, tuple[Disk, ...]]:
    """The identity of the disk that ``word`` means, and the disks that blink: itself, or its neighbors if it is gone.

    Args:
        units: those of ``machine``, with what the journal of units knows of their lost members.

    Raises:
        BadInput: it means no disk, or nothing can blink.
    """
    lost = {one.disk for unit in units for one in unit.lost if one.disk and not one.here}
    if word not in lost:
        disk = machine.disk(word)
        if light_of(disk, machine) is None:
            raise BadInput(
                f"{harmless(disk.identity)} is behind a RAID card, in {harmless(disk.shown)}, and it is not known how to make it blink"
            )
        return disk.identity, (disk,)
    with_it = [unit for unit in units if word in {one.disk for one in unit.lost}]
    mates = {disk.key: disk for unit in with_it for disk in disks_of(unit, machine)}
    others = tuple(disk for disk in mates.values() if disk.identity != word and light_of(disk, machine))
    if not others:
        raise BadInput(f"{harmless(word)} is not connected, and neither is any other disk of its array")
    return word, others


def light_of(disk: Disk, machine: Machine) -> Light | CardLight | None:
    """The light of a disk, not on yet; None if it cannot be made to blink."""
    if disk.has_device:
        return Light(disk.path)
    found = (reader.light(disk, machine) for reader in card_readers(machine.cards).values())
    return next((one for one in found if one is not None), None)


class Search:
    """One search, from entry to exit: the lights blink, and `look` says what has happened."""

    def __init__(
        self,
        word: str,
        machine: Machine,
        units: Sequence[Unit],
        *,
        connected: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        """As `find_lights`; ``connected`` reads the disks that are connected."""
        self.wanted, self._blinking = find_lights(word, machine, units)
        self._disks = {disk.identity: disk for disk in machine.disks}
        self._units, self._machine = units, machine
        self._connected = connected or connected_disks
        self._moves = Moves(self._connected())
        self._lights = [one for disk in self._blinking if (one := light_of(disk, machine)) is not None]
        self._stack = ExitStack()
        self._unreadable: set[str] = set()
        self.found = False
        """Whether the disk was pulled."""

    def __enter__(self) -> Self:
        for light in self._lights:
            self._stack.enter_context(light)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self) -> Iterator[Said]:
        """What pulling the disk does, what it is, and which light to look for."""
        disk = self._disks.get(self.wanted)
        effects = pulls(self.wanted, disk, self._units)
        for one in effects:
            yield Said(f"DO NOT PULL IT NOW: {one.text}", danger=True) if one.harm else Said(one.text)
        if not effects and disk is not None:
            yield Said("Nothing is using it now.")
        name = harmless(self.wanted)
        if disk is not None:
            words = (name, disk.path, disk.model, decimal(disk.size_bytes), disk.port, disk.slot)
            yield Said(harmless(", ".join(filter(None, words))))
            if disk.has_device:
                yield Said("Its activity light blinks: one second on, one second off.")
            else:
                yield Said(
                    "Its locate light blinks, by the card's own tool. Whether it is pulled cannot be seen from here: compare "
                    "the serial number on its label."
                )
        else:
            for lost in (one for unit in self._units for one in unit.lost if one.disk == self.wanted):
                yield Said(harmless(lost_words(lost)))
            those = listed([harmless(one.identity) for one in self._blinking])
            yield Said(f"It cannot blink. {those} blink: it stays dark.")
        if any(light.locate for light in self._lights if isinstance(light, Light)):
            yield Said("The locate light is on as well (ledctl).")

    def look(self) -> Iterator[Said]:
        """What has happened since the last look. It takes some seconds after a disk came back."""
        for disk, light in zip(self._blinking, self._lights, strict=True):
            if light.problem and disk.key not in self._unreadable:
                self._unreadable.add(disk.key)
                what = f"{disk.path} cannot be read" if disk.has_device else f"{disk.shown} does not blink"
                yield Said(harmless(f"{what} ({light.problem}): its light may stay dark."))
        moved = self._moves.look(self._connected())
        if self.wanted in moved.gone:
            self.found = True
            yield Said(f"{harmless(self.wanted)} is out: that is the right disk.")
            return
        for one in map(harmless, moved.gone):
            right = harmless(self.wanted)
            yield Said(
                f"WRONG DISK: {one} was pulled, not {right}. Put {one} back, and pull nothing else.",
                danger=True,
            )
        for one in moved.gone:
            for effect in pulls(one, self._disks.get(one), self._units):
                yield Said(f"  {effect.text}", danger=effect.harm)
        for one in map(harmless, moved.new):
            yield Said(f"{one} is connected; it was not here at the start.")
        if moved.back:
            yield from self._back(moved.back)

    def _back(self, back: Sequence[str]) -> Iterator[Said]:
        time.sleep(_SETTLE_SECONDS)
        units = units_of(read_whole(smart=False))
        for one in back:
            yield Said(f"{harmless(one)} is back.")
            before = {
                unit.uuid
                for unit in self._units
                if one in {disk.identity for disk in disks_of(unit, self._machine)}
            }
            for unit in units:
                if unit.uuid in before:
                    yield Said(harmless(f"  {unit.shown}: {unit.state}"))
        yield Said("'raidtui status' says what to do about it.")
