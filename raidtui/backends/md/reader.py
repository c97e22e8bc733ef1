"""What md arrays are in a reading, and in the kernel."""

from __future__ import annotations  # a recording needs no procedures to show its arrays

from typing import TYPE_CHECKING, Final

from raidtui.backends.contract import Reporter
from raidtui.backends.md.units import array_in, measured, units_of
from raidtui.model.machine import ClaimKind
from raidtui.model.superblock import clones, of_array
from raidtui.model.system import with_continue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from raidtui.backends.care import Replacement
    from raidtui.machine.watch import Watcher
    from raidtui.model.finding import Finding, Remedy
    from raidtui.model.machine import Machine
    from raidtui.model.system import System
    from raidtui.model.unit import Unit


def _now() -> tuple[Unit, ...]:
    """Every array, also those that are stopped."""
    from raidtui.backends.md.units_now import units_now  # a recording needs nothing that reads this computer

    return units_now()


def _care(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    from raidtui.backends.md.diagnosis.care import (
        care_for,  # half a dozen modules that the screens do not need
    )

    return care_for(array_in(unit), machine)


def _expected(machine: Machine) -> Iterator[Finding]:
    from raidtui.backends.md.diagnosis.created_over import created_over
    from raidtui.backends.md.diagnosis.degraded_boot import not_started
    from raidtui.backends.md.diagnosis.expected import expected
    from raidtui.backends.md.diagnosis.kept_down import kept_down
    from raidtui.backends.md.diagnosis.lone_spare import lone_spares
    from raidtui.backends.md.diagnosis.members_differ import members_differ
    from raidtui.backends.md.diagnosis.misplaced import misplaced
    from raidtui.backends.md.diagnosis.no_bitmap import no_bitmaps
    from raidtui.backends.md.diagnosis.superblock_gone import superblocks_gone

    yield from superblocks_gone(machine)
    yield from members_differ(machine)
    yield from misplaced(machine)
    yield from created_over(machine)
    yield from kept_down(machine)
    yield from expected(machine)
    yield from not_started(machine)
    yield from lone_spares(machine)
    yield from no_bitmaps(machine)


def _at_boot(system: System) -> str:
    from raidtui.backends.md.diagnosis.degraded_boot import at_boot

    return at_boot(system)


def _clones(machine: Machine) -> Iterator[tuple[str, tuple[str, ...]]]:
    for uuid in dict.fromkeys(one.uuid for one in machine.superblocks):
        for paths in clones(of_array(uuid, machine.superblocks)):
            yield uuid, paths


def _reserved(machine: Machine) -> frozenset[str]:
    """The names of the arrays in mdadm.conf."""
    lines = (line.split() for line in machine.system.mdadm_conf_arrays)
    return frozenset(words[1].rpartition("/")[2] for words in lines if len(words) > 1)


def _watch(changed: Callable[[tuple[Unit, ...]], None]) -> Watcher:
    """Wait with poll(2) on md's files."""
    from raidtui.backends.md.units_now import watch_units

    return watch_units(changed)


def _scrub_timers(unit: Unit, system: System) -> tuple[str, ...]:
    return with_continue(system.could_scrub) if system.could_scrub.endswith(".timer") else ()


def _scrub_means(unit: Unit) -> str:
    from raidtui.backends.mismatches import mismatch_words

    return mismatch_words(unit)


READER: Final = Reporter(
    interval=0.0,  # poll(2) on md's files reports changes
    claims=frozenset({ClaimKind.ARRAY, ClaimKind.MD_MEMBER}),
    units=units_of,  # also those that are stopped
    now=_now,
    measured=lambda unit, machine: measured(array_in(unit)),
    document=array_in,
    care=_care,
    expected=_expected,
    clones=_clones,
    at_boot=_at_boot,
    reserved=_reserved,
    watch=_watch,
    scrub_timers=_scrub_timers,
    scrub_means=_scrub_means,
)
