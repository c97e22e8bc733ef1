"""Create a pool with one zpool create on the members' partitions, and erase its members again."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.contract import Resolved
from raidtui.backends.zfs.conditions import (
    POOL_CACHED,
    POOL_MOUNTED,
    POOL_NAME_FREE,
    POOL_RUNS,
    SERVICE_ENABLED,
)
from raidtui.backends.zfs.layout import ashift_of, groups_of, words_of
from raidtui.backends.zfs.reading import CACHE
from raidtui.backends.zfs.report import PLAN
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.units import KIB, both, parse_size, spell_size
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.pieces import Piece
from raidtui.steps.wipe import END_BYTES, zero

_SLOW: Final = 600
_KEEP_LINKS: Final = Run(
    argv=("sync", "--file-system", "/etc/systemd/system")
)  # systemctl does not sync the links it makes


def pool_step(resolved: Resolved, pieces: Sequence[Piece], *, mark: str) -> Step:
    """Create the pool, with the plan's mark as a property of its root dataset.

    Never with ``-f``: zpool refuses a device with anything on it. Exit code 1 may mean that the pool was created but
    not mounted, so the conditions decide.
    """
    spec, name = resolved.spec, resolved.spec.name
    devices = [piece.device for piece in pieces]
    remove = (
        Run(argv=("zpool", "destroy", name), ok=(0, 1), timeout_seconds=_SLOW),
        *(run for piece in pieces for run in erase_member(piece.device, piece.extent.length)),
    )
    shape, ashift = words_of(spec.level, len(spec.members), spec.options), _ashift(spec, pieces)
    return Step(
        id="pool",
        role=Role.CREATE,
        title=f"Create the pool {name}: {shape}",
        reason=f"{both(resolved.facts.array_bytes)} usable. zpool itself refuses a device with anything on it. "
        f"ashift {ashift} means sectors of {spell_size(1 << ashift)}; the largest physical sector of the disks is "
        f"{spell_size(_largest_sector(pieces))}. It cannot be changed later. The property {PLAN} says which plan made the pool.",
        actions=(Run(argv=_create(resolved, pieces, mark=mark), ok=(0, 1), timeout_seconds=_SLOW),),
        before=(
            POOL_NAME_FREE.of(name),
            *(kind.of(device) for device in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        ),
        after=(POOL_RUNS.of(mark, f"{name} {len(pieces)}"),),
        undoable=Undo.IMPOSSIBLE,
        undo=remove,
        undo_note="the pool is destroyed, but the old contents of the disks are lost",
        repair=remove,
        activate=(
            Run(argv=("zpool", "import", "-d", "/dev/disk/by-id", name), ok=(0, 1), timeout_seconds=_SLOW),
        ),
        holds=tuple(piece.whole for piece in pieces),
    )


def _ashift(spec: Spec, pieces: Sequence[Piece]) -> int:
    return ashift_of(spec.options, physical_sector=_largest_sector(pieces))


def _largest_sector(pieces: Sequence[Piece]) -> int:
    return max(piece.disk.physical_sector_bytes for piece in pieces)


def _create(resolved: Resolved, pieces: Sequence[Piece], *, mark: str) -> tuple[str, ...]:
    spec = resolved.spec
    members = [piece for piece in pieces if piece.role == "member"]
    spares = [piece.device for piece in pieces if piece.role == "spare"]
    record = parse_size(spec.options["recordsize"])
    vdevs: list[str] = []
    for group in groups_of(spec.level, [piece.device for piece in members], spec.options):
        vdevs += [*([] if spec.level == "stripe" else [spec.level]), *group]
    return (
        *("zpool", "create"),
        *("-o", f"ashift={_ashift(spec, pieces)}", "-o", "autotrim=off"),
        *(() if spec.persistent else ("-o", "cachefile=none")),
        *("-O", f"compression={spec.options['compression']}", "-O", f"atime={spec.options['atime']}"),
        *("-O", "xattr=sa", "-O", "acltype=posixacl"),
        *("-O", f"recordsize={f'{record // KIB}K' if record >= KIB else record}"),
        *("-O", f"{PLAN}={mark}"),
        *("-m", spec.filesystem.mountpoint),
        spec.name,
        *vdevs,
        *(("spare", *spares) if spares else ()),
    )


def erase_member(device: str, size_bytes: int) -> tuple[Run, ...]:
    """Make a former member of a pool blank: four labels of 256 KiB, two at each end."""
    return (
        # 1: it reads no label. 255: it has none to clear, as after a job that was killed here.
        Run(argv=("zpool", "labelclear", device), ok=(0, 1, 255)),
        Run(argv=("wipefs", "--all", device)),
        zero(device, 0, END_BYTES),
        zero(device, (size_bytes - END_BYTES) // 512 * 512, END_BYTES),
    )


def unlabel(*devices: str) -> tuple[Run, ...]:
    """Erase the labels of devices that a command wrote first and was cut off before its pool had them.

    zpool-labelclear(8) ends with 1 for a device of a pool, be that imported or not and the device offline or not
    (ZFS 2.1 and 2.3); then nothing is erased. 255: it has no label.
    """
    return tuple(
        one
        for device in devices
        for one in (
            Run(argv=("zpool", "labelclear", device), ok=(0, 255)),
            Run(argv=("wipefs", "--all", device)),
        )
    )


def boot_step(name: str, *, disabled: Sequence[str], services: Sequence[str]) -> Step:
    """Make sure that the pool ``name`` is imported at boot.

    Args:
        disabled: the services to enable.
        services: all services needed; empty without systemd.
    """
    enable = (Run(argv=("systemctl", "enable", *disabled)), _KEEP_LINKS) if disabled else ()
    return Step(
        id="boot",
        role=Role.PERSIST,
        title="Enable the services that import pools at boot"
        if disabled
        else f"Check that {name} is imported at boot",
        reason=f"At boot ZFS imports every pool in {CACHE} and mounts its datasets; fstab has no line for them.",
        actions=enable,
        after=(POOL_CACHED.of(name), *(SERVICE_ENABLED.of(one) for one in services)),
        undo=(Run(argv=("systemctl", "disable", *disabled)),) if disabled else (),
        undo_note="the services are as they were" if disabled else "nothing was changed",
        undoable=Undo.COMMANDS if disabled else Undo.NOTHING,
    )


def mount_step(name: str, *, place: str) -> Step:
    """Make sure that the pool is mounted at ``place``: zpool create mounts it, unless it was interrupted."""
    return Step(
        id="mount",
        role=Role.PERSIST,
        title=f"Mount the pool at {place}",
        reason="zpool create mounts the pool, unless it was interrupted. Exit code 1: it is mounted already.",
        actions=(Run(argv=("zfs", "mount", name), ok=(0, 1), timeout_seconds=_SLOW),),
        after=(POOL_MOUNTED.of(place, name),),
        undo=(Run(argv=("zfs", "unmount", name), timeout_seconds=_SLOW),),
        undo_note="it is unmounted",
    )
