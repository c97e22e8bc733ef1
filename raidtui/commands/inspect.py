"""List the disks of this computer (free or in use, by what, how to free them) and its arrays."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import to_builtins

from raidtui.advice.nameless import WHY, how_to_name
from raidtui.backends.reading import the_machine
from raidtui.backends.unit_words import unit_lines, within
from raidtui.backends.units import about_cards, card_warnings, units_of
from raidtui.machine.attachment import attachment
from raidtui.model.disk_label import label_of
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.struct import to_json
from raidtui.model.text import count_of, fold, harmless
from raidtui.model.units import both

WIDTH: Final = 80
_VERDICTS: Final = {
    Weight.SYSTEM: "in use by the system: cannot be chosen",
    Weight.BUSY: "in use: free it first",
    Weight.UNUSABLE: "cannot be used",
    Weight.DATA: "choosing it erases what is on it",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="everything as one JSON document; --machine FILE reads it back"
    )
    parser.add_argument("--no-smart", action="store_true", help="skip the health of the disks (SMART)")


def run(args: argparse.Namespace) -> int:
    """Read the machine and print it."""
    machine = the_machine(args.machine, smart=not args.no_smart)
    if not args.machine:
        from raidtui.jobs.reserved import with_reserved  # a recording needs no jobs

        machine = with_reserved(machine)
    if args.json:
        document = to_builtins(machine)
        for shown, disk in zip(document["disks"], machine.disks, strict=True):
            shown["to_free"] = disk.to_free
        print(to_json({**document, "units": [to_builtins(unit.document) for unit in units_of(machine)]}))
        return 0
    print("\n".join(describe(machine)))
    if not machine.complete:
        note = "read without root: signatures and other users' programs are unknown; use sudo"
        print(f"raidtui: {note}", file=sys.stderr)
    return 0


def describe(machine: Machine) -> Iterator[str]:
    """The machine in lines of at most 80 characters."""
    free = sum(disk.free for disk in machine.disks)
    count = len(machine.disks)
    seen = "" if machine.complete else " as far as seen without root"
    yield f"{count_of(machine.disks, 'disk')}, {free} free{seen}" if count else "no disks"
    for problem in machine.problems:
        yield from _wrapped(f"unknown: {problem.text}", "    ")
    if machine.cards:
        yield ""
        for line in about_cards(machine):
            yield from _wrapped(line, "    ")
        for hazard in card_warnings(machine):
            yield from _wrapped(f"  {hazard.severity} {hazard.id}: {hazard.seen}", "    ")
            yield from _wrapped(f"    {hazard.meaning} {hazard.advice}", "    ")
    for disk in machine.disks:
        yield ""
        yield from _disk(disk, seen, machine.system.hypervisor)
    from raidtui.advice.findings.foreign import foreign_sets  # for people only, so not loaded for --json

    units = units_of(machine)
    for one in foreign_sets(machine, units):
        yield ""
        yield from _wrapped(f"{one.name}: {one.says}", "    ")
    for unit in units:
        yield ""
        for line in unit_lines(unit, within(unit, units)):
            yield from _wrapped(line, "      ")


def _named(disk: Disk) -> str:
    """What names it, and what is on its label if that is something else."""
    label = label_of(disk)
    words = (f"serial {disk.serial}" if disk.serial else disk.identity, label and f"on its label {label}")
    return ", ".join(filter(None, words))


def _disk(disk: Disk, seen: str, hypervisor: str) -> Iterator[str]:
    maker = " ".join(word for word in (disk.vendor, disk.model) if word)
    bus = disk.transport if disk.transport != "usb" else ""
    about = [maker, _named(disk), both(disk.size_bytes), bus, attachment(disk)]
    yield from _wrapped(f"{disk.shown}  {', '.join(filter(None, about))}", "  ")
    yield f"  free{seen}" if disk.free else f"  {_VERDICTS[disk.taken_by[0].weight]}"
    if not disk.identity:
        yield from _wrapped(f"  cannot be chosen: {WHY}. {how_to_name(disk, hypervisor)}", "  ")
    heavy = [claim for claim in disk.taken_by if claim.weight is not Weight.DATA]
    for claim in heavy:
        yield from _wrapped(f"  - {claim.device}: {claim.detail}", "    ")
    yield from _to_free(disk.to_free)
    for claim in disk.taken_by[len(heavy) :]:
        yield from _wrapped(f"  - {claim.device}: {claim.detail}", "    ")
        yield from _to_free(tuple(filter(None, (claim.how_to_free,))))


def _to_free(commands: Sequence[str]) -> Iterator[str]:
    how = f"    to free it: {' && '.join(commands)}"
    if commands and len(how) <= WIDTH:
        yield harmless(how)
    elif commands:
        # Lines that end in && can be pasted as one.
        yield "    to free it:"
        *first, last = commands
        for command in [*(f"{one} &&" for one in first), last]:
            yield from _wrapped(f"      {command}", "        ")


def _wrapped(text: str, further: str) -> list[str]:
    return fold(harmless(text), WIDTH, then=further)
