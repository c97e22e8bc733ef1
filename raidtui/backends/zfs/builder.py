"""Build and remove ZFS pools."""

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Builder, Built, NeededTool, Resolved
from raidtui.backends.zfs import care_conditions, conditions, grow_conditions
from raidtui.backends.zfs.conditions import POOL_EMPTY
from raidtui.backends.zfs.controls import NIGHTS, controls
from raidtui.backends.zfs.create import boot_step, mount_step, pool_step
from raidtui.backends.zfs.reading import SERVICES, imported
from raidtui.backends.zfs.report import CANNOT_START, PoolReport, reading_in
from raidtui.backends.zfs.signs import MEMBER
from raidtui.backends.zfs.teardown import removal
from raidtui.backends.zfs.units import half_made
from raidtui.machine.ask import ask_patiently
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import device_number
from raidtui.machine.tools import TOOLS, is_older
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.packages import Family, to_install
from raidtui.model.plan import DataProbe, Plan, Step
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.text import harmless
from raidtui.model.units import MIB, both, parse_size
from raidtui.steps.condition import conditions_in
from raidtui.steps.partitions import ZFS_MEMBER
from raidtui.steps.pieces import Piece, called
from raidtui.steps.seeds import derive

_LARGE_RECORDS: Final = "2.2"  # zfs_max_recordsize is 16 MiB since then


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that the tools and module of ZFS are there, that no pool has the name, and the record and spare sizes."""
    known = reading_in(machine)
    check_installed(machine, known)
    erased = {path for piece in resolved.pieces for path in piece.disk.every_path}
    _check_name_is_free(resolved.spec.name, machine, known, erased=erased)
    record = parse_size(resolved.spec.options["recordsize"])
    version = machine.tools.get("zpool", "")
    if record > MIB and version and is_older(version, _LARGE_RECORDS):
        raise BadInput(
            f"ZFS {version} takes records of at most 1 MiB, not {both(record)}; larger ones need {_LARGE_RECORDS}"
        )
    _same_size(resolved.pieces)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """Create the pool; its mark is the UUID of its first partition."""
    mark = derive(seed, "partition", resolved.pieces[0].disk.identity)
    spec, pieces = resolved.spec, _same_size(resolved.pieces)
    return Built(
        core=(pool_step(resolved, pieces, mark=mark),),
        what="pool",
        uuid=mark,
        path=spec.name,
        probe=DataProbe(device="", filesystem_uuid="", empty=POOL_EMPTY.of(spec.name, mark)),
        partition_type=ZFS_MEMBER,
        pieces=pieces,
        stale=False,
        boot=(_boot_step(spec.name, machine),),
        mount=mount_step(spec.name, place=spec.filesystem.mountpoint),
    )


def _boot_note(spec: Spec, system: System) -> str:
    by = "zfs-import-cache.service imports" if system.systemd else "the zfs-import script imports"
    return (
        f"After a reboot {by} the pool and ZFS mounts it; fstab has no line. With disks missing it is imported "
        "DEGRADED while its redundancy allows. A pool that another computer used last is not imported."
    )


def _disks_under(plan: Plan) -> frozenset[str]:
    """The whole disks of the plan's pool while it is imported, even if incomplete."""
    known = imported(ask_patiently)
    if known is None:
        return frozenset()
    pools = [
        pool
        for pool in known.pools
        if pool.guid == plan.array_uuid
        or known.marked(plan.array_uuid) == pool
        or (pool.name == plan.spec.name and half_made(pool, known))
    ]
    leaves = [leaf.path for pool in pools for leaf in pool.status.leaves if leaf.path]
    return whole_disks(*map(device_number, leaves))


def check_installed(machine: Machine, known: PoolReport | None) -> None:
    """Check that the tools and the module of ZFS are there, and that the module is loaded.

    Raises:
        ToolMissing: one is not; the text says what to install or load.
    """
    if not {"zpool", "zfs"} <= machine.tools.keys():
        raise ToolMissing(
            f"ZFS is not installed; {to_install(TOOLS['zpool'].all_packages, machine.system.family)}; where the kernel "
            "has no module of ZFS, this builds it on this computer and takes some minutes"
        )
    if known is None or known.version:
        return
    if known.module is False:
        kernel, family = machine.system.kernel, machine.system.family
        headers = (
            f"linux-headers-{kernel}"
            if family in {None, Family.DEBIAN, Family.UBUNTU}
            else "linux-headers-amd64"
        )
        raise ToolMissing(
            f"the running kernel {kernel} has no module zfs; {to_install([headers, 'zfs-dkms'], family)}; "
            "this builds it on this computer. If it is installed, 'dkms autoinstall' says why it was not built"
        )
    raise ToolMissing("the kernel module zfs is not loaded; load it with: modprobe zfs")


def _same_size(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Cut every member to the size of the smallest: zpool refuses vdevs whose devices differ by more than 16 MiB.

    Raises:
        Refused: a spare is smaller.
    """
    least = min(piece.extent.length for piece in pieces if piece.role == "member")
    for piece in pieces:
        if piece.extent.length < least:
            raise Refused(
                f"{called(piece.disk)} is too small for a spare: it has room for {both(piece.extent.length)}, and "
                f"each member for {both(least)}"
            )
    return tuple(replace(piece, extent=replace(piece.extent, length=least)) for piece in pieces)


def _boot_step(name: str, machine: Machine) -> Step:
    """Import the pool at boot, by the services that can be started."""
    known = reading_in(machine)
    states = known.services if known else {}
    usable = [one for one in SERVICES if states.get(one, "") not in CANNOT_START]
    services = usable if machine.system.systemd else []
    return boot_step(
        name, disabled=[one for one in services if states.get(one, "") == "disabled"], services=services
    )


def _check_name_is_free(
    name: str, machine: Machine, known: PoolReport | None, *, erased: Collection[str]
) -> None:
    """Check that no other pool has the name, imported or not.

    Args:
        known: ZFS' report; None if it is not installed.
        erased: paths of the disks and partitions that the plan erases; a pool on these alone does not count.

    Raises:
        BadInput: a pool has the name, even one that is not imported.
    """
    if known is not None and any(pool.name == name for pool in known.pools):
        raise BadInput(f"the name {name} is used by a pool of this computer; choose another")
    for disk in machine.disks:
        for signature in disk.every_signature:
            if signature.type == MEMBER and signature.label == name and signature.device not in erased:
                raise BadInput(
                    f"a pool called {name} that is not imported is on {called(disk)} "
                    f"({harmless(signature.device)}); choose another name, since only one of them could be imported"
                )


BUILDER: Final = Builder(
    tools=(NeededTool("zpool"), NeededTool("zfs")),
    claims=frozenset({ClaimKind.ZFS}),
    conditions=conditions_in(conditions, care_conditions, grow_conditions),
    check_free=_check_free,
    build=_build,
    removal=removal,
    controls=controls,
    nights=NIGHTS,
    boot_note=_boot_note,
    node_of=lambda plan: "",  # a pool has no device
    disks_under=_disks_under,
)
