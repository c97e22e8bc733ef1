"""Find a disk in the case: its light blinks, and raidtui says at once if another disk is pulled.

The activity light blinks by reads, one second on and one second off; a locate light is turned on where ledctl can.
A disk that is gone cannot blink: the other disks of its array do, and it is the one that stays dark. Ends when the disk
is pulled, at Enter or Ctrl-C. Nothing is written to any disk.
"""

from __future__ import annotations

import argparse
import os
import select
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from raidtui.model.errors import BadInput, Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from raidtui.model.machine import Disk, Machine
    from raidtui.model.unit import Unit

_LOOK_SECONDS: Final = 1.0
_SETTLE_SECONDS: Final = 2.0  # until md and udev have dealt with a disk that came back


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "disk", metavar="DISK", help="serial number of the disk, also if it is no longer connected"
    )
    parser.add_argument("--seconds", type=int, metavar="N", help="stop after this time (default: at Enter)")


def run(args: argparse.Namespace) -> int:
    """Blink until the disk is pulled or the user ends it."""
    from raidtui.backends.reading import read_whole
    from raidtui.backends.units import units_of
    from raidtui.jobs.unit_journal import UnitJournal

    if args.machine:
        raise BadInput(
            "a disk of a recorded machine has no light; run this on the computer that has the disk"
        )
    if args.seconds is not None and args.seconds < 1:
        raise BadInput("--seconds must be at least 1")
    if os.geteuid() != 0:
        raise Refused("only root can read the disk to make it blink; run the same command with sudo")
    machine = read_whole(smart=False)
    units = UnitJournal().look(units_of(machine))
    wanted, blinking = find_lights(args.disk, machine, units)
    return _Search(wanted, blinking, machine, units).run(args.seconds)


def find_lights(word: str, machine: Machine, units: Sequence[Unit]) -> tuple[str, tuple[Disk, ...]]:
    """The identity of the disk that ``word`` means, and the disks that blink: itself, or its neighbors if it is gone."""
    from raidtui.backends.units import disks_of
    from raidtui.model.text import harmless

    lost = {one.disk for unit in units for one in unit.lost if one.disk and not one.here}
    if word not in lost:
        disk = machine.disk(word)
        if not disk.has_device:
            raise BadInput(
                f"{harmless(disk.identity)} is behind a RAID card, in {harmless(disk.shown)}: only the card's own tool can make it blink"
            )
        return disk.identity, (disk,)
    mates = {
        mate for unit in units if word in {one.disk for one in unit.lost} for mate in disks_of(unit, units)
    }
    others = tuple(disk for disk in machine.disks if disk.identity in mates - {word} and disk.has_device)
    if not others:
        raise BadInput(f"{harmless(word)} is not connected, and neither is any other disk of its array")
    return word, others


class _Search:
    """One search for a disk: what is shown at its start, and what is said when disks come and go."""

    def __init__(
        self, wanted: str, blinking: tuple[Disk, ...], machine: Machine, units: Sequence[Unit]
    ) -> None:
        self._wanted = wanted
        self._blinking = blinking
        self._disks = {disk.identity: disk for disk in machine.disks}
        self._units = units

    def run(self, seconds: int | None) -> int:
        """Show, blink and watch; return the exit code."""
        from raidtui.machine.locating import Light, Moves
        from raidtui.machine.seats import ConnectedDisks

        connected = ConnectedDisks()
        moves = Moves(connected())
        ends = None if seconds is None else time.monotonic() + seconds
        self._show_disk()
        with ExitStack() as stack:
            lights = [stack.enter_context(Light(disk.path)) for disk in self._blinking]
            self._show_lights(locate=any(light.locate for light in lights), endless=ends is None)
            told: set[str] = set()
            while ends is None or time.monotonic() < ends:
                if _pressed(_LOOK_SECONDS):
                    return 0
                for disk, light in zip(self._blinking, lights, strict=True):
                    if light.problem and disk.path not in told:
                        told.add(disk.path)
                        _say(f"{disk.path} cannot be read ({light.problem}): its light may stay dark.")
                moved = moves.look(connected())
                if self._wanted in moved.gone:
                    _say(f"{self._wanted} is out: that is the right disk.")
                    return 0
                self._went(moved.gone)
                self._came(moved.back, moved.new)
        return 0

    def _show_disk(self) -> None:
        from raidtui.advice.pulling import pulls
        from raidtui.backends.unit_words import lost_words
        from raidtui.model.text import harmless
        from raidtui.model.units import decimal

        disk = self._disks.get(self._wanted)
        effects = pulls(self._wanted, disk, self._units)
        for one in effects:
            _say(f"DO NOT PULL IT NOW: {one.text}" if one.harm else one.text)
        if not effects and disk is not None:
            _say("Nothing is using it now.")
        if disk is None:
            for lost in (one for unit in self._units for one in unit.lost if one.disk == self._wanted):
                _say(harmless(lost_words(lost)))
            return
        place = ", ".join(filter(None, (disk.port, disk.slot)))
        words = (
            harmless(self._wanted),
            disk.path,
            harmless(disk.model),
            decimal(disk.size_bytes),
            harmless(place),
        )
        _say(", ".join(filter(None, words)))

    def _show_lights(self, *, locate: bool, endless: bool) -> None:
        if self._wanted in self._disks:
            _say("Its activity light blinks: one second on, one second off.")
        else:
            names = ", ".join(disk.identity for disk in self._blinking)
            _say(f"It cannot blink. These do, one second on, one second off: {names}.")
            _say(f"The disk beside them that stays dark is {self._wanted}.")
        if locate:
            _say("The locate light is on as well (ledctl).")
        if endless and sys.stdin.isatty():
            _say("Press Enter to stop.")

    def _went(self, gone: Collection[str]) -> None:
        from raidtui.advice.pulling import pulls

        for one in gone:
            _say(
                f"\nWRONG DISK: {one} was pulled, not {self._wanted}. Put {one} back, and pull nothing else.",
                bell=True,
            )
            for effect in pulls(one, self._disks.get(one), self._units):
                _say(f"  {effect.text}")

    def _came(self, back: Collection[str], new: Collection[str]) -> None:
        for one in new:
            _say(f"{one} is connected: it was not here at the start.")
        if not back:
            return
        from raidtui.backends.reading import read_whole
        from raidtui.backends.units import disks_of, units_of

        time.sleep(_SETTLE_SECONDS)
        units = units_of(read_whole(smart=False))
        for one in back:
            _say(f"{one} is back.")
            before = {unit.uuid for unit in self._units if one in disks_of(unit, self._units)}
            for unit in units:
                if unit.uuid in before:
                    _say(f"  {unit.shown}: {unit.state}")
        _say("'raidtui status' says what to do about it.")


def _pressed(seconds: float) -> bool:
    """Wait; return early, and whether, a line was entered on the terminal."""
    if not sys.stdin.isatty():
        time.sleep(seconds)
        return False
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return False
    sys.stdin.readline()
    return True


def _say(sentence: str, *, bell: bool = False) -> None:
    from raidtui.commands._output import terminal

    print(sentence, flush=True)
    if bell and sys.stdout.isatty():
        terminal(sys.stdout).write("\a")
