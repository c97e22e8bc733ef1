"""What checks for hazards look at: the spec with its defaults, its disks on this machine, and what the layout gives on them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from raidtui.backends.facts import Facts
from raidtui.model.machine import Claim, Disk, Machine
from raidtui.model.plan import Hazard, Severity
from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.steps.pieces import called


class Look(Record, frozen=True, kw_only=True):
    """Everything a check may ask. Without a machine there are sizes but no disks."""

    spec: Spec  # with every default
    facts: Facts
    machine: Machine | None
    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of the member devices."""
        return tuple(use.size_bytes for use in self.facts.members)

    @property
    def partition(self) -> bool:
        """Whether members are partitions; where nobody says so, ZFS and the like make their own."""
        return self.spec.partition is not False

    @property
    def disks(self) -> tuple[Disk, ...]:
        """Every disk that would be written, once."""
        once = {disk.key: disk for disk in (*self.members, *self.spares)}
        return tuple(once.values())

    @property
    def width(self) -> int:
        """Members of one array; of a volume over several, of one of these."""
        return len(self.facts.members) // self.facts.groups

    @property
    def redundant(self) -> bool:
        """Whether a failed disk can be survived at all."""
        return self.facts.survival.guaranteed > 0

    @property
    def smart_was_asked(self) -> bool:
        """Whether a disk without SMART is one that has none to report, rather than one that nobody asked."""
        return self.machine is not None and self.machine.complete and "smartctl" in self.machine.tools

    @property
    def kernel(self) -> tuple[int, int]:
        """Major and minor version of the running kernel; zeros when it is not known."""
        return version(self.machine.system.kernel) if self.machine else (0, 0)


Check = Callable[[Look], Iterable[Hazard]]


def version(text: str) -> tuple[int, int]:
    """The first two numbers of a version, zeros when there are none."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


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
    """``command`` with the path of each disk behind it, as a person can copy it.

    Of a drive behind a RAID card these are smartctl's words for it.
    """
    return "; ".join(f"{command} {disk.stable_path or ' '.join(disk.smart_words)}" for disk, _ in seen)


def claims(disk: Disk, wanted: Callable[[Claim], bool]) -> str:
    """The details of the claims that are wanted, in one line; empty when there is none."""
    return ", ".join(f"{claim.detail} ({claim.device})" for claim in disk.taken_by if wanted(claim))
