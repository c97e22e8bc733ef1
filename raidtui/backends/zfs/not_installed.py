"""Pools on disks of a computer without ZFS. Pure."""

from collections.abc import Iterator

from raidtui.backends.not_shown import not_shown
from raidtui.backends.zfs.signs import MEMBER
from raidtui.machine.contents.signatures import PARTITION_TABLES
from raidtui.model.finding import Finding
from raidtui.model.machine import Machine
from raidtui.model.text import harmless


def not_installed(machine: Machine) -> Iterator[Finding]:
    """A finding for each pool, if nothing here can read it. What has another signature too has an old label, or an old one."""
    if "zpool" in machine.tools:
        return
    pools: dict[tuple[str, str], set[str]] = {}
    for disk in machine.disks:
        types: dict[str, set[str]] = {}
        for one in disk.every_signature:
            types.setdefault(one.device, set()).add(one.type)
        for one in disk.every_signature:
            if one.type == MEMBER and types[one.device] <= {MEMBER, *PARTITION_TABLES}:
                pools.setdefault((one.label, one.uuid), set()).add(one.device)
    for (name, _), paths in sorted(pools.items()):
        yield not_shown(
            name or "ZFS",
            paths,
            member="member",
            of=f"ZFS pool {harmless(name)}".rstrip(),
            why=", and ZFS is not installed: the state of the pool is unknown",
            then="install ZFS: 'raidtui doctor' says how",
            machine=machine,
        )
