"""Which units the lab of a rehearsal has to have, how their members become small, and what is made anew on them."""

import os
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from raidtui.backends.registry import find_rehearser
from raidtui.backends.unit_words import with_noun
from raidtui.backends.units import units_of
from raidtui.machine.devices import opened
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk, Machine, Signature
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import MIB, both

MEMBER_BYTES: Final = 384 * MIB  # mkfs.xfs refuses less than 300 MiB
_TRIES: Final = 10
_PAUSE: Final = 0.2  # seconds

_MADE_WITH: Final = {
    "ext2": ("mkfs.ext2", "-q", "-F", "-U"),
    "ext3": ("mkfs.ext3", "-q", "-F", "-U"),
    "ext4": ("mkfs.ext4", "-q", "-F", "-U"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-m"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-U"),
    "swap": ("mkswap", "-U"),
}
"""How a filesystem with the same UUID is made, by libblkid's name; the UUID comes next."""


@dataclass(frozen=True, slots=True)
class Involved:
    """What a rehearsal copies."""

    disks: tuple[Disk, ...]
    units: tuple[Unit, ...] = ()
    """The units on these disks that the lab has too."""
    whole: frozenset[str] = frozenset()
    """The UUIDs of those that have their full size there."""

    @property
    def below(self) -> frozenset[str]:
        """The UUIDs of those that another of them lies on, which is made anew there."""
        return frozenset(uuid for unit in self.units for uuid in unit.below)


@dataclass(frozen=True, slots=True)
class Filesystem:
    """A filesystem that the lab makes anew, as its contents are not copied."""

    device: str  # its path in the lab
    on: str  # for people: "tank"
    signature: Signature
    places: tuple[str, ...]  # where it is mounted


def involved(plan: Plan, machine: Machine) -> Involved:
    """The disks of ``plan``; and unless it only builds, every unit that it concerns, with all of their disks.

    Units that share a disk with these are taken too: in the lab they would lack members.
    """
    disks = [machine.disk(one.identity) for one in plan.disks]
    if plan.kind is PlanKind.BUILD:
        return Involved(tuple(disks))
    found: dict[str, Unit] = {}
    every = units_of(machine)
    grown = True
    while grown:
        grown = False
        for unit in every:
            own = disks_of(unit, machine)
            named = any(unit.has_mark(mark) for mark in plan.marks if mark)
            if (unit.uuid or unit.node) not in found and (named or any(one in disks for one in own)):
                found[unit.uuid or unit.node] = unit
                disks += [one for one in own if one not in disks]
                grown = True
    full = (uuid for uuid, one in found.items() if (it := find_rehearser(one.backend)) and it.full_size)
    return Involved(tuple(disks), tuple(found.values()), frozenset(full))


def check_units(what: Involved, machine: Machine) -> None:
    """Check that the copies will be these units.

    Raises:
        Refused: they will not, and why.
    """
    below = what.below
    for unit in what.units:
        called = f"the {harmless(with_noun(unit))}"
        rehearser = find_rehearser(unit.backend)
        if rehearser is None:
            raise Refused(
                f"the lab cannot have {called}: a copy holds the ends of a disk and of its partitions, not what lies between"
            )
        if why := rehearser.why_not(unit, machine):
            raise Refused(f"the lab cannot have {called}: {why}")
        if unit.unread:
            raise Refused(
                f"the lab cannot have {called}: what is on it could not be read: {harmless(unit.unread)}"
            )
        unmade = sorted({one.type for one in unit.signatures} - _MADE_WITH.keys())
        if unmade and unit.uuid not in below:
            raise Refused(
                f"the lab cannot have {called}: on it is {harmless(listed(unmade))}, which a copy does not hold"
            )


def with_growth(what: Involved, order: Grow) -> Involved:
    """``what`` is involved when a unit grows; it has its full size if nothing of it syncs.

    Raises:
        Refused: the growth would not be the same in the lab, and why.
    """
    whole = set(what.whole)
    for unit in what.units:
        rehearser = find_rehearser(unit.backend)
        assert rehearser is not None, "`check_units` has seen it"
        if not unit.has_mark(order.unit):
            continue
        if why := rehearser.no_growth(unit, order):
            raise Refused(f"this growth cannot be rehearsed: {why}")
        if rehearser.grows_whole(unit):
            whole.add(unit.uuid)
    return replace(what, whole=frozenset(whole))


def lessen(what: Involved, machine: Machine, files: Sequence[Path]) -> str:
    """Let the members in ``files``, the copies of the disks in their order, hold `MEMBER_BYTES` of data at most.

    What is changed is read once more from the real disks, all members in quick succession: a running array writes it.

    Returns:
        A script for the lab that makes the units whose members hold more than a copy does.

    Raises:
        StepFailed: a disk cannot be read.
        BadInput: a member is not what it was.
    """
    scripts = []
    for unit in what.units:
        rehearser = find_rehearser(unit.backend)
        assert rehearser is not None, "`check_units` has seen it"
        spots = {
            path: (disk, file, start + offset, length)
            for path, (offset, length) in rehearser.places(unit, machine).items()
            for disk, file in zip(what.disks, files, strict=True)
            if (start := _start(path, disk)) is not None
        }
        held = unit.size_bytes if unit.uuid in what.whole else MEMBER_BYTES
        contents = dict(zip(spots, _steady(tuple(spots.values())), strict=True))
        for path, (_, file, at, _) in spots.items():
            with file.open("r+b") as target:
                target.seek(at)
                target.write(rehearser.lessened(contents[path], held))
        scripts.append(rehearser.remake(unit, machine, contents, held))
    return "\n".join(filter(None, scripts))


def _start(path: str, disk: Disk) -> int | None:
    """Where the device ``path`` begins on ``disk``; None if it is not on it."""
    if path == f"/dev/{disk.name}":
        return 0
    return next((part.start_bytes for part in disk.partitions if part.path == path), None)


def _steady(spots: Sequence[tuple[Disk, Path, int, int]]) -> list[bytes]:
    """What is at these places, read until nothing changed between two readings."""
    last: list[bytes] = []
    for _ in range(_TRIES):
        now = [_read(disk, at, length) for disk, _, at, length in spots]
        if now == last:
            break
        last = now
        time.sleep(_PAUSE)
    return last


def _read(disk: Disk, at: int, length: int) -> bytes:
    try:
        with opened(disk.path, os.O_RDONLY) as fd:
            os.posix_fadvise(fd, at, length, os.POSIX_FADV_DONTNEED)  # md writes past the cache
            return os.pread(fd, length, at)
    except OSError as error:
        raise StepFailed(f"{disk.identity} ({disk.path}) cannot be copied: {error.strerror}") from error


def filesystems(what: Involved) -> tuple[Filesystem, ...]:
    """What is made anew: on the units that run, and on disks and partitions that belong to none."""
    members = {member.path for unit in what.units for member in unit.members}
    found = [
        Filesystem(unit.path or unit.node, unit.shown, signature, unit.mountpoints)
        for unit in what.units
        if not unit.stopped and unit.uuid not in what.below
        for signature in unit.signatures
    ]
    for disk in what.disks:
        for part in disk.partitions:
            path = partition_path(disk.stable_path, part.number)
            found += [
                Filesystem(path, disk.identity, signature, part.mountpoints)
                for signature in part.signatures
                if part.path not in members and signature.type in _MADE_WITH
            ]
    return tuple(found)


def made_anew(remade: str, every: Sequence[Filesystem]) -> str:
    """A script for the lab that makes units, the script ``remade``, and makes and mounts ``every``; empty if it need not."""
    if not remade and not every:
        return ""
    lines = [remade, "udevadm settle"]
    for one in every:
        *words, option = _MADE_WITH[one.signature.type]
        uuid = f"uuid={one.signature.uuid}" if option == "-m" else one.signature.uuid
        label = ("-L", one.signature.label) if one.signature.label else ()
        lines.append(shlex.join([*words, *label, option, uuid, one.device]))
        for place in one.places:
            lines.append(shlex.join(["mkdir", "-p", place]))
            lines.append(shlex.join(["mount", one.device, place]))
    return "\n".join(["set -e", *lines, "udevadm settle"])


def limits(what: Involved) -> Iterator[str]:
    """What the lab could not have of these units, in sentences."""
    if small := [one.shown for one in what.units if one.uuid not in what.whole]:
        names = harmless(listed(small))
        yield (
            f"the size of {names}: each member holds {both(MEMBER_BYTES)} in the lab, so that a sync takes seconds"
        )
    made = filesystems(what)
    if made:
        where = harmless(listed(list(dict.fromkeys(one.on for one in made))))
        yield f"the files of {where}: {count_of(made, 'filesystem')} made anew, with the same UUID"
