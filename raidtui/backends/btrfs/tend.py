"""Mount a Btrfs, scrub it, make it redundant again, and remove a missing device: mount(8), btrfs(8).

Btrfs counts errors and old blocks of a device that was away, and corrects them only when they are read: so a scrub.
"""

import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.backends.btrfs.conditions import CLEAN, COMPLETE, IDLE, STATE
from raidtui.backends.btrfs.degraded_option import configure
from raidtui.backends.btrfs.fill import fits_without_missing, full_devices
from raidtui.backends.btrfs.mending import LONGEST_SECONDS, balance, resume, scrub, wait_for_replacement
from raidtui.backends.btrfs.places import FREE_PLACE, footprint, place_to_mount, places_in_fstab
from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.space import PROFILES
from raidtui.backends.btrfs.units import is_lost, lacks_newest, wanted
from raidtui.backends.tending import Tender, does_not
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import (
    Check,
    Hazard,
    Run,
    Step,
    high,
    member_step,
    proof_step,
    start_step,
    waiting_step,
)
from raidtui.model.procedure import (
    Balance,
    Configure,
    ReAdd,
    RemoveFailed,
    RemoveMissing,
    Scrub,
    Start,
    Tended,
)
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.filesystems import MOUNTED
from raidtui.steps.footprint import unmount


class BtrfsTender(Tender):
    """btrfs-progs."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        found = _found(unit, machine, paused=isinstance(procedure, Balance | RemoveFailed | Start))
        match procedure:
            case Start(degraded=degraded, forced=False):
                return tuple(_start(unit, found, machine, degraded=degraded))
            case ReAdd(disk=disk):
                return tuple(_catch_up(unit, found, disk, machine))
            case Scrub():
                return tuple(_scrub(unit, _place(unit, found)))
            case Balance():
                return tuple(_balance(unit, found))
            case Configure():
                return (configure(unit, found, machine),)
            case RemoveFailed():
                return tuple(_cancel(unit, found, machine))
            case RemoveMissing():
                return tuple(_remove_missing(unit, found))
            case _:
                raise does_not(procedure, unit)

    def hazards(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Hazard, ...]:
        """Files without checksums on a device that is out of date."""
        return (without_checksums(procedure.disk, unit),) if isinstance(procedure, ReAdd) else ()


def without_checksums(disk: str, unit: Unit) -> Hazard:
    """What no scrub corrects on a disk that was away."""
    return high(
        id="without-checksums",
        seen=f"{harmless(disk)} was not there when {harmless(unit.name)} was used",
        meaning="No scrub corrects files without checksums (chattr +C, often images of virtual machines and databases): they may "
        "return old data.",
        advice="If there are any, do not mount it: disconnect that disk, and replace it as a missing one.",
        source="btrfs-scrub(8)",
        disks=(disk,),
    )


def enough_without_missing(found: Filesystem) -> bool:
    """Whether the devices that are here are enough for each profile, so that the missing ones can be removed."""
    here = len(found.devices) - len(found.missing)
    profiles = [PROFILES.get(one) for one in (*found.data, *found.metadata, *found.system) if one != "dup"]
    return bool(profiles) and all(one is not None and here >= one.least for one in profiles)


def _found(unit: Unit, machine: Machine, *, paused: bool) -> Filesystem:
    """What was read of the filesystem; ``paused``: a balance of it may be paused.

    Raises:
        Refused: it is not certain which devices are its own, or it is busy.
    """
    reading, name = reading_in(machine), harmless(unit.name)
    found = reading.find(unit.uuid) if reading is not None else None
    if found is None:
        raise Refused(f"the Btrfs {name} could not be read")
    if any(one.alike for one in found.devices):
        raise Refused(
            f"two devices have the same superblock of {name}: disconnect the one that does not belong"
        )
    if found.running is not None and not (paused and found.running.paused):
        raise Refused(
            f"{name} is busy: {found.running.what}. Wait until that ends; 'raidtui status' shows it"
        )
    return found


def _place(unit: Unit, found: Filesystem) -> str:
    if not found.node or not unit.mountpoints:
        raise Refused(f"{harmless(unit.name)} is not mounted; mount it first, 'raidtui status' shows how")
    return unit.mountpoints[-1]


def _start(unit: Unit, found: Filesystem, machine: Machine, *, degraded: bool) -> Iterator[Step]:
    """Mount it. If a replacement was interrupted and its new disk is here, the kernel continues that: wait for its end."""
    if found.running is None:
        yield _mount(unit, found, machine, degraded=degraded)
        if found.target:
            yield from _end_replacement(unit, found, place_to_mount(found, machine))
        return
    name, place = harmless(unit.name), _place(unit, found)
    if found.running.what != "replace" or found.target_gone:
        raise Refused(f"{name} is mounted already")
    yield member_step(
        id="writable",
        title=f"Make {name} at {place} writable",
        reason="While it is read-only, the kernel does not continue the replacement that was interrupted.",
        actions=(Run(argv=("mount", "-o", "remount,rw", place)),),
    )
    yield from _end_replacement(unit, found, place)


def _end_replacement(unit: Unit, found: Filesystem, place: str) -> Iterator[Step]:
    """The kernel continues it by itself.

    What was written meanwhile may lack a copy. Linux 6.1 leaves parts of the new disk unwritten after a remount read-only;
    the scrub corrects them from the other copies.
    """
    name, kept = harmless(unit.name), wanted(found)
    yield waiting_step(
        id="wait",
        title=f"Wait until the replacement in {name} has ended",
        reason="It continues with the new disk, from the old one or from the other copies.",
        actions=(wait_for_replacement(place),),
        after=(STATE.of(unit.uuid, IDLE if found.missing_besides else COMPLETE),),
        as_long_as="writing the whole new device",
    )
    if found.missing_besides:  # the replacement of what else is missing converts and scrubs
        return
    if all(one in PROFILES and PROFILES[one].survives for one in kept):
        yield balance(name, unit.uuid, place, kept)
    yield from _scrub(unit, place)


def _mount(unit: Unit, found: Filesystem, machine: Machine, *, degraded: bool) -> Step:
    name, missing = harmless(unit.name), count_of(found.missing, "disk")
    if found.node:
        raise Refused(f"{name} is mounted already")
    if is_lost(found):
        raise Refused(f"some data of {name} is only on the missing disks: connect them")
    if found.missing and not degraded:
        raise Refused(
            f"{name} lacks {missing}; connect it, or choose to mount it degraded (--do start-degraded)"
        )
    place = place_to_mount(found, machine)
    if not place:
        raise Refused(f"{FREE_PLACE} is in use, and {name} has no line in /etc/fstab: where to mount it?")
    # Read-only: of what is written now nothing would get a copy, and only one such mount may be possible. But a replacement
    # continues only where it can write.
    lacks = bool(found.missing or found.target_gone)
    read_only = lacks and not found.target
    options = ("-o", "degraded,ro" if read_only else "degraded") if lacks else ()
    if place == FREE_PLACE:
        stable = stable_in(machine.disks)
        first = next(one.path for one in found.devices if one.path)
        options = ("-t", TYPE, *options, stable.get(first, first))
    return start_step(
        id="mount",
        title=f"Mount {name} at {place}"
        + (" read-only" if read_only else "")
        + (f", without {missing}" if found.missing else ""),
        reason="The replacement that was interrupted continues with its new disk."
        if found.target
        else "Read-only: what is written without a disk gets no copy. A replacement makes it writable."
        if found.missing
        else "Without the new disk of its replacement the kernel mounts it only degraded."
        if found.target_gone
        else "All its devices are here.",
        actions=(Run(argv=("btrfs", "device", "scan"), ok=(0, 1)), Run(argv=("mount", *options, place))),
        after=(MOUNTED.of(place, unit.uuid),),
        undo_note=f"{name} stays mounted",
    )


def _catch_up(unit: Unit, found: Filesystem, disk: str, machine: Machine) -> Iterator[Step]:
    """A device that was away while the filesystem was used has old blocks; the scrub corrects them from other copies."""
    identity = {path: one.identity for one in machine.disks for path in one.every_path}
    if any(one.back and identity.get(one.back) == disk for one in found.devices):
        yield from _mount_again(unit, found, machine)
        yield from _scrub(unit, unit.mountpoints[-1])
        return
    if not any(one.behind and identity.get(one.path) == disk for one in found.devices):
        raise Refused(f"{harmless(disk)} is not out of date in {harmless(unit.name)}")
    if found.missing:
        raise Refused(f"{harmless(unit.name)} lacks another disk still: connect it first")
    if lacks_newest(found):
        raise Refused(
            f"what was written to {harmless(unit.name)} without {harmless(disk)} is nowhere else: a scrub cannot correct it"
        )
    yield _mount(unit, found, machine, degraded=False)
    yield from _scrub(unit, place_to_mount(found, machine))


def _mount_again(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Step]:
    """A mounted filesystem takes no device back: only a mount does."""
    name = harmless(unit.name)
    if any(not one.back for one in found.missing):
        raise Refused(f"{name} lacks another disk still: connect it first")
    if not places_in_fstab(unit, found, machine):
        raise Refused(
            f"{name} is mounted where /etc/fstab does not mount it: unmount it yourself, then: raidtui care {shlex.quote(name)}"
        )
    own = footprint(found, machine)
    yield from unmount(own, machine, name=name, reason="A mounted filesystem takes no device back.")
    places = tuple(reversed(unit.mountpoints))  # they are the deepest first
    yield start_step(
        id="mount",
        title=f"Mount {name} at {listed(places)}, with all its devices",
        reason="From now on every write goes to all of them again.",
        actions=(
            Run(argv=("btrfs", "device", "scan"), ok=(0, 1)),
            *(Run(argv=("mount", place)) for place in places),
        ),
        after=tuple(MOUNTED.of(place, unit.uuid) for place in places),
        undo_note=f"{name} stays mounted",
    )


def _scrub(unit: Unit, place: str) -> Iterator[Step]:
    """Scrub, set the error counts to zero, and scrub again to see whether any come back."""
    name = harmless(unit.name)
    yield scrub(name, place)
    yield member_step(
        id="reset",
        title=f"Set the error counts of {name} to zero",
        reason="They stay otherwise; errors that are counted after this are new ones.",
        actions=(Run(argv=("btrfs", "device", "stats", "-z", place)),),
    )
    yield scrub(name, place, suffix="-again")
    yield _prove(name, STATE.of(unit.uuid, CLEAN), "No device is missing, and no error was counted since.")


def _prove(name: str, check: Check, reason: str) -> Step:
    return proof_step(
        id="prove",
        title=f"Check that {name} is well",
        reason=reason,
        after=(check,),
    )


def _balance(unit: Unit, found: Filesystem) -> Iterator[Step]:
    name, place = harmless(unit.name), _place(unit, found)
    if found.missing:
        raise Refused(f"{name} lacks a disk: replace it first, the balance belongs to that")
    if found.running is not None:
        yield resume(name, unit.uuid, place)
        yield scrub(name, place)
        yield _prove(name, STATE.of(unit.uuid, COMPLETE), "No device is missing, and no balance is left.")
        return
    if full := full_devices(found, wanted(found)):
        raise Refused(
            f"{listed(full)} of {name} {'has' if len(full) == 1 else 'have'} no room for the copies that chunks lack: delete data, or add a disk "
            "for the time (btrfs-device(8))"
        )
    yield balance(name, unit.uuid, place, wanted(found))
    yield scrub(name, place)


def _cancel(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Step]:
    """Cancel a replacement whose new disk is gone."""
    name = harmless(unit.name)
    if not found.target_gone:
        raise Refused(f"no replacement of {name} lacks its new disk")
    if not found.node:
        yield _mount(unit, found, machine, degraded=True)
    place = unit.mountpoints[-1] if unit.mountpoints else place_to_mount(found, machine)
    yield member_step(
        id="cancel",
        title=f"Cancel the replacement in {name} whose new disk is gone",
        reason="The disk that was to be replaced keeps its place; if it is missing, it can then be replaced again. Nothing is copied.",
        actions=(
            Run(argv=("mount", "-o", "remount,rw", place), ok=(0, 32)),
            Run(argv=("btrfs", "replace", "cancel", place)),
        ),
        after=(STATE.of(unit.uuid, IDLE if found.missing else COMPLETE),),
    )


def _remove_missing(unit: Unit, found: Filesystem) -> Iterator[Step]:
    """Spread what was on the missing devices over the others."""
    name, place = harmless(unit.name), _place(unit, found)
    if not found.missing:
        raise Refused(f"{name} lacks no device")
    if is_lost(found):
        raise Refused(f"some data of {name} is only on the missing disks: connect them")
    if not enough_without_missing(found):
        profiles = listed(list(dict.fromkeys((*found.data, *found.metadata))))
        raise Refused(f"{name} has too few devices left for {profiles}; replace the missing one")
    if not fits_without_missing(found):
        raise Refused(
            f"the devices left of {name} have no room for what was on the missing one, and the filesystem would end read-only: replace it"
        )
    remove = Run(argv=("btrfs", "device", "remove", "missing", place), timeout_seconds=LONGEST_SECONDS)
    yield member_step(
        id="remove",
        title=f"Remove {count_of(found.missing, 'missing device')} from {name}",
        reason="What was on it is written again on the others, from the other copies or from parity.",
        actions=(
            Run(argv=("mount", "-o", "remount,rw", place), ok=(0, 32)),
            *(remove for _ in found.missing),
        ),
        after=(STATE.of(unit.uuid, COMPLETE),),
        as_long_as="writing what was on the device",
    )
    kept = wanted(found)
    if all(one in PROFILES and PROFILES[one].survives for one in kept):
        yield balance(name, unit.uuid, place, kept)
    yield scrub(name, place)
    yield _prove(name, STATE.of(unit.uuid, COMPLETE), "No device is missing.")


TENDER: Final = BtrfsTender()
