"""A pool like this one for a rehearsal: copies of its devices hold labels, but nothing that could be imported."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.backends.care import places_at
from raidtui.backends.rehearsing import Rehearser
from raidtui.backends.zfs.report import (
    DATA,
    NEEDED,
    PLAN,
    SPARES,
    Dataset,
    Pool,
    PoolReport,
    Vdev,
    reading_in,
)
from raidtui.backends.zfs.units import mates_of
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit

_WORDS: Final = {"logs": "log", SPARES: "spare"}
"""How zpool-create(8) spells a section, where zpool-status(8) has another word."""
_LEGACY: Final = "legacy"
_NOWHERE: Final = frozenset({"none", "-", ""})
_OF_THE_LAB: Final = (
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
)
"""Where the lab has its own system: what is mounted over it would end it."""


class ZfsRehearser(Rehearser):
    """zpool-create(8) with the same vdevs: what is empty is resilvered in seconds at its full size."""

    engine = "qemu"
    full_size = True

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """What a new pool would not have: a resilver under way, a spare in use, vdevs of several kinds."""
        found = _found(unit, machine)
        if found is None:
            return f"{unit.shown} is not imported"
        report, pool = found
        if unit.health is Health.FAILED:
            return f"{unit.shown} lacks more devices than it survives"
        if unit.activity is not None:
            return f"{unit.shown} is busy: {unit.activity.what}"
        if pool.status.newcomers:
            return f"in {unit.shown} a replacement or a hot spare is in use"
        if "+" in pool.status.level:
            return f"{unit.shown} has vdevs of several kinds"
        if report.root(pool) is None:
            return f"the datasets of {unit.shown} could not be read"
        for vdev in pool.status.leaves:
            if not vdev.path and vdev.section not in NEEDED:
                return f"a device of the {harmless(vdev.section)} of {unit.shown} is missing"
            if vdev.path and not any(places_at([vdev.path], machine)):
                return f"a device of {unit.shown} is on no disk of this computer"
        return ""

    def identifiers(self, unit: Unit, machine: Machine) -> tuple[str, ...]:
        """The GUIDs of the pool and of its devices: ZFS chooses them."""
        found = _found(unit, machine)
        return (found[1].guid, *(one.guid for one in found[1].status.leaves)) if found is not None else ()

    def remake(self, unit: Unit, machine: Machine, contents: Mapping[str, bytes], member_bytes: int) -> str:
        """Create it, with a file for each missing device, which is gone when the pool is imported again."""
        found = _found(unit, machine)
        assert found is not None, "`why_not` has seen it"
        report, pool = found
        return "\n".join(_script(pool, report, machine))


def _found(unit: Unit, machine: Machine) -> tuple[PoolReport, Pool] | None:
    report = reading_in(machine)
    pool = report.with_guid(unit.uuid) if report is not None else None
    return (report, pool) if report is not None and pool is not None else None


def _script(pool: Pool, report: PoolReport, machine: Machine) -> Iterator[str]:
    stable = stable_in(machine.disks)
    root = report.root(pool)
    assert root is not None, "`why_not` has seen it"
    words: list[str] = []
    here: list[str] = []
    files: list[str] = []
    section = DATA
    for vdev in pool.status.vdevs:
        if vdev.section != section:
            section = vdev.section
            words.append(_WORDS.get(section, section))
        if not vdev.leaf:
            words.append(vdev.name.rpartition("-")[0])
        elif vdev.path:
            words.append(stable.get(vdev.path, vdev.path))
            here.append(words[-1])
        else:
            words.append(f"/run/raidtui-missing-{len(files)}")
            files.append(words[-1])
            yield f"truncate -s {_size(vdev, pool, machine)} {words[-1]}"
    alike = ("-o", f"ashift={pool.ashift}") if pool.ashift else ()
    mark = ("-O", f"{PLAN}={root.plan}") if root.plan else ()
    mounted = ("-O", f"canmount={_can_mount(root)}", "-m", _place(root))
    # Forced: the copies hold labels, and the file of a missing device is no disk.
    yield shlex.join(["zpool", "create", "-f", *alike, *mark, *mounted, pool.name, *words])
    if files:
        yield shlex.join(["zpool", "export", pool.name])
        yield shlex.join(["rm", *files])
        yield shlex.join(["zpool", "import", *(word for one in here for word in ("-d", one)), pool.name])
    for one in report.of(pool):
        if one.type == "filesystem" and one is not root:
            # In the order of zfs-list(8), in which a parent comes first.
            options = ("-o", f"canmount={_can_mount(one)}", "-o", f"mountpoint={_place(one)}")
            yield shlex.join(["zfs", "create", *options, one.name])
        if one.mounted and not one.mounts_itself and _place(one).startswith("/"):
            yield shlex.join(["zfs", "mount", one.name])
    for mount in machine.mounts:
        if mount.type == "zfs" and any(
            one.name == mount.source and _place(one) == _LEGACY for one in report.of(pool)
        ):
            yield shlex.join(["mkdir", "-p", mount.target])
            yield shlex.join(["mount", "-t", "zfs", mount.source, mount.target])
    for vdev in pool.status.leaves:
        if vdev.path and vdev.state in {"OFFLINE", "FAULTED"}:
            forced = ("-f",) if vdev.state == "FAULTED" else ()
            yield shlex.join(["zpool", "offline", *forced, pool.name, stable.get(vdev.path, vdev.path)])


def _size(vdev: Vdev, pool: Pool, machine: Machine) -> int:
    """The bytes of the smallest device beside this one: more would not be used."""
    beside = places_at((one.path for one in mates_of(vdev, pool.status) if one.path), machine)
    return min(one.size_bytes for one in beside)


def _can_mount(dataset: Dataset) -> str:
    return "on" if dataset.mounts_itself and dataset.mounted else "noauto"


def _place(dataset: Dataset) -> str:
    """Its mount point; none where the lab has its own system."""
    return "none" if dataset.mountpoint in {*_NOWHERE, *_OF_THE_LAB} else dataset.mountpoint


REHEARSER: Final = ZfsRehearser()
