"""Disks of a volume group or pool that no tool here shows as one: what is on them is unknown, and not nothing. Pure."""

from collections.abc import Collection

from raidtui.model.finding import Finding, Kind, Remedy, concerned
from raidtui.model.machine import Machine
from raidtui.model.text import count_of


def not_shown(
    name: str, paths: Collection[str], *, member: str, of: str, why: str, then: str, machine: Machine
) -> Finding:
    """A finding about the devices ``paths``.

    Args:
        member: what each of them is, in words.
        of: what they belong to.
        why: nothing is shown of that.
        then: what to do about it.
    """
    found = [(disk, path) for disk in machine.disks for path in disk.every_path if path in paths]
    return Finding(
        name=name,
        kind=Kind.NOT_SHOWN,
        what=f"{of}: {count_of(paths, member)} here{why}",
        disks=tuple(concerned(disk, member, path=path) for disk, path in found),
        never="take these disks for free, make anything new on them, or remove what seems to be missing",
        remedies=(Remedy(text=then),),
    )
