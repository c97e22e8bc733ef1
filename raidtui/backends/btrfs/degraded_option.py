"""The option degraded in fstab: at the next boot without a disk the filesystem is mounted, and written to without copies.

A well filesystem has no use for it. Of one that lacks a disk it may be what boots the computer: that disk comes first.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.btrfs.places import footprint
from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.plan import Step
from raidtui.model.procedure import Configure
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.unit_names import command_word
from raidtui.steps.files import line_step
from raidtui.steps.footprint import own_lines
from raidtui.steps.fstab import FSTAB, fields_of, reload_systemd

_OPTION: Final = "degraded"


def mounted_degraded(machine: Machine) -> Iterator[Finding]:
    """A finding for each filesystem with all its disks that fstab mounts with this option."""
    reading, units = reading_in(machine), units_of(machine)
    for found in reading.filesystems if reading is not None else ():
        lines = _lines(found, machine)
        if lines and not found.missing:
            unit = next(one for one in units if one.uuid == found.uuid)
            places = listed([harmless(fields_of(line)[1]) for line in lines])
            yield Finding(
                name=command_word(unit, units),
                kind=Kind.MOUNTED_DEGRADED,
                what=f"{FSTAB} mounts {harmless(unit.shown)} at {places} with the option {_OPTION}",
                unit=unit.uuid,
                remedies=(
                    Remedy(
                        text="remove the option; mount it so by hand when a disk has failed, and replace that at once",
                        procedure=Configure(unit=unit.uuid),
                    ),
                ),
            )


def configure(unit: Unit, found: Filesystem, machine: Machine) -> Step:
    """Remove the option from the lines of fstab."""
    lines = _lines(found, machine)
    if not lines:
        raise Refused(f"no line of {FSTAB} has the option {_OPTION} for {harmless(unit.name)}")
    if found.missing:
        raise Refused(f"{harmless(unit.name)} lacks a disk, and may be mounted only so: replace it first")
    return line_step(
        "options",
        title=f"Remove the option {_OPTION} of {harmless(unit.name)} from {FSTAB}",
        reason="What is written while a disk is missing gets no copy, and the next boot must not begin with that unasked.",
        new=[(FSTAB, _without(line)) for line in lines],
        old=[(FSTAB, line) for line in lines],
        then=reload_systemd(machine.system),
        undo_note=f"{FSTAB} has its old lines again",
    )


def _lines(found: Filesystem, machine: Machine) -> list[str]:
    lines = own_lines(footprint(found, machine), machine)
    return [line for line in lines if _OPTION in _options(line)]


def _options(line: str) -> list[str]:
    return [option for field in line.split()[3:4] for option in field.split(",")]


def _without(line: str) -> str:
    words = line.split()
    words[3] = ",".join(option for option in _options(line) if option != _OPTION) or "defaults"
    return " ".join(words)
