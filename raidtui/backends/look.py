"""The input of hazard checks: the spec with its defaults, its disks on this machine, and the facts of the layout."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from raidtui.backends.facts import Facts
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine
from raidtui.model.plan import Hazard, Severity
from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.steps.pieces import called


class Look(Record, frozen=True, kw_only=True):
    """Everything that a check can use. Without a machine there are sizes but no disks."""

    spec: Spec  # with every default
    facts: Facts
    machine: Machine | None
    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]
    afr: float | None = None  # the annual failure rate to assume; None: by the models of the disks

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of the member devices."""
        return tuple(use.size_bytes for use in self.facts.members)

    @property
    def partition(self) -> bool:
        """Whether members are partitions. Also true if the spec does not say: ZFS and the like make their own."""
        return self.spec.partition is not False

    @property
    def disks(self) -> tuple[Disk, ...]:
        """Every disk that would be written, each once."""
        once = {disk.key: disk for disk in (*self.members, *self.spares)}
        return tuple(once.values())

    @property
    def width(self) -> int:
        """The number of members of the array, or of one array of a volume over several."""
        return len(self.facts.members) // self.facts.groups

    @property
    def redundant(self) -> bool:
        """Whether it survives at least one failed disk."""
        return self.facts.survival.guaranteed > 0

    @property
    def smart_was_read(self) -> bool:
        """Whether SMART was read, so that a disk without SMART data has none to report."""
        return self.machine is not None and self.machine.complete and "smartctl" in self.machine.tools

    @property
    def kernel(self) -> tuple[int, int]:
        """Major and minor version of the running kernel; zeros if unknown."""
        return version(self.machine.system.kernel) if self.machine else (0, 0)


Check = Callable[[Look], Iterable[Hazard]]
ONE_SECTOR_SIZE: Final = "Format all disks to one sector size first, see hdparm(8), nvme-format(1) or sg_format(8). That erases them."


def version(text: str) -> tuple[int, int]:
    """The first two numbers of a version; zeros if it has none."""
    found = re.search(r"(\d{1,19})\.(\d{1,19})", text)
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
    """One hazard for all the disks it was seen on; nothing if ``seen`` is empty."""
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


def of_disks(
    id: str,  # noqa: A002
    severity: Severity,
    what: Callable[[Disk], str],
    *,
    meaning: str,
    advice: str | Callable[[Sequence[Disk]], str],
    source: str,
    command: str = "",
) -> Check:
    """A check that looks at one disk after the other.

    Args:
        what: what is seen on a disk; empty if it does not have the hazard.
        advice: ``{}`` in it stands for ``command`` on each of the disks; or it is made from the disks.
    """

    def check(look: Look) -> Iterator[Hazard]:
        seen = [(disk, shown) for disk in look.disks if (shown := what(disk))]
        words = advice if isinstance(advice, str) else advice([disk for disk, _ in seen])
        each = words.replace("{}", on_each(command, seen))
        return on_disks(id, severity, seen, meaning=meaning, advice=each, source=source)

    return check


def mixed_sectors(severity: Severity, *, meaning: str, source: str, advice: str = ONE_SECTOR_SIZE) -> Check:
    """A check for 512-byte and 4096-byte logical sectors together: each backend says what that means for it."""

    def check(look: Look) -> Iterator[Hazard]:
        if len({disk.logical_sector_bytes for disk in look.disks}) > 1:
            yield from on_disks(
                "sector-sizes",
                severity,
                [(disk, f"{disk.logical_sector_bytes}-byte logical sectors") for disk in look.disks],
                meaning=meaning,
                advice=advice,
                source=source,
            )

    return check


def on_each(command: str, seen: Sequence[tuple[Disk, str]]) -> str:
    """``command`` once per disk, followed by its path, ready to copy.

    A drive behind a RAID card has no path; smartctl's words for it are used instead.
    """
    return "; ".join(f"{command} {disk.stable_path or ' '.join(disk.smart_words)}" for disk, _ in seen)


def claimed(*kinds: ClaimKind) -> Callable[[Disk], str]:
    """What is said of a disk by its claims of these kinds; empty if it has none."""
    return lambda disk: claims(disk, lambda claim: claim.what in kinds)


def claims(disk: Disk, wanted: Callable[[Claim], bool]) -> str:
    """The details of the wanted claims in one line; empty if there are none."""
    return ", ".join(f"{claim.detail} ({claim.device})" for claim in disk.taken_by if wanted(claim))
