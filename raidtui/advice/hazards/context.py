"""What the checks look at: the spec with its defaults, its disks on this machine, and the geometry they would give."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from raidtui.backends.md.geometry import Geometry, md_geometry, mdadm_version
from raidtui.backends.md.layouts import LEVEL_NAMES
from raidtui.backends.registry import backend
from raidtui.model.errors import CannotBuild
from raidtui.model.machine import Claim, Disk, Machine
from raidtui.model.plan import Hazard, Severity
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.steps.extents import DEFAULT_RESERVE, member_extent


class Look(Record, frozen=True, kw_only=True):
    """Everything a check may ask. Without a machine there are sizes but no disks."""

    spec: Spec
    machine: Machine | None
    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]
    partition: bool
    metadata: str
    consistency: str
    sizes: tuple[int, ...]  # bytes of the member devices
    geometry: Geometry | None  # None where the layout cannot be built; the plan says why

    @property
    def disks(self) -> tuple[Disk, ...]:
        """Every disk that would be written, once."""
        once = {disk.path: disk for disk in (*self.members, *self.spares)}
        return tuple(once.values())

    @property
    def md(self) -> bool:
        """Whether md keeps the redundancy."""
        return self.spec.backend is Backend.MDADM

    @property
    def redundant(self) -> bool:
        """Whether a failed disk can be survived at all."""
        return _redundant(self.spec)

    @property
    def smart_was_asked(self) -> bool:
        """Whether a disk without SMART is one that has none to report, rather than one that nobody asked."""
        return self.machine is not None and self.machine.complete and "smartctl" in self.machine.tools

    @property
    def kernel(self) -> tuple[int, int]:
        """Major and minor version of the running kernel; zeros when it is not known."""
        return version(self.machine.system.kernel) if self.machine else (0, 0)


def _redundant(spec: Spec) -> bool:
    """Whether the level of ``spec`` survives a failed disk; a level that nobody knows is taken for one that does."""
    known = backend(spec.backend).levels.get(spec.level)
    return known is None or known.redundant


Check = Callable[[Look], Iterable[Hazard]]


def version(text: str) -> tuple[int, int]:
    """The first two numbers of a version, zeros when there are none."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def look_at(spec: Spec, machine: Machine | None) -> Look:
    """Gather what the checks need.

    Raises:
        BadInput: a member that the machine does not have.
    """
    members = tuple(machine.disk(word) for word in spec.members) if machine else ()
    spares = tuple(machine.disk(word) for word in spec.spares) if machine else ()
    partition = True if spec.partition is None else spec.partition
    reserve = DEFAULT_RESERVE if spec.reserve is None else spec.reserve
    metadata = spec.metadata or "1.2"
    consistency = spec.consistency or ("bitmap" if _redundant(spec) else "none")
    try:
        sizes = _devices(members, partition, reserve, spec.slice) or spec.sizes
        spare_sizes = _devices(spares, partition, reserve, spec.slice) or spec.spare_sizes
        geometry = (
            md_geometry(
                spec.level,
                sizes,
                spare_sizes=spare_sizes,
                chunk=spec.chunk,
                layout=spec.layout,
                metadata=metadata,
                consistency=consistency,
                mdadm=mdadm_version(machine.tools if machine else {}),
            )
            if spec.level in LEVEL_NAMES and spec.backend is Backend.MDADM
            else None
        )
    except CannotBuild:
        sizes, geometry = tuple(disk.size_bytes for disk in members) or spec.sizes, None
    return Look(
        spec=spec,
        machine=machine,
        members=members,
        spares=spares,
        partition=partition,
        metadata=metadata,
        consistency=consistency,
        sizes=sizes,
        geometry=geometry,
    )


def _devices(disks: Iterable[Disk], partition: bool, reserve: int, most: int | None) -> tuple[int, ...]:
    return tuple(
        member_extent(
            disk.size_bytes, disk.logical_sector_bytes, partition=partition, reserve=reserve, most=most
        ).size_bytes
        for disk in disks
    )


def called(disk: Disk) -> str:
    """How a disk is named to a person: its identity, else its path, made harmless."""
    return harmless(disk.identity or disk.path)


def on_disks(
    id: str,  # noqa: A002
    severity: Severity,
    seen: Sequence[tuple[Disk, str]],
    *,
    meaning: str,
    advice: str,
    source: str,
) -> Iterator[Hazard]:
    """One hazard about all the disks it was seen on, or nothing when it was seen on none."""
    if seen:
        yield Hazard(
            id=id,
            severity=severity,
            seen="; ".join(f"{called(disk)}: {harmless(what)}" for disk, what in seen),
            meaning=meaning,
            advice=advice,
            source=source,
            disks=tuple(disk.identity for disk, _ in seen),
        )


def on_each(command: str, seen: Sequence[tuple[Disk, str]]) -> str:
    """``command`` with the path of each disk behind it, as a person can copy it."""
    return "; ".join(f"{command} {disk.stable_path}" for disk, _ in seen)


def claims(disk: Disk, wanted: Callable[[Claim], bool]) -> str:
    """The details of the claims that are wanted, in one line; empty when there is none."""
    return ", ".join(f"{claim.detail} ({claim.device})" for claim in disk.taken_by if wanted(claim))
