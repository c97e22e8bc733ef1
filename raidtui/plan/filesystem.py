"""Steps that put a filesystem on the array and mount it."""

from typing import Final

from raidtui.advice.geometry import Geometry
from raidtui.model.plan import Check, CheckKind, Run, Step
from raidtui.model.spec import FilesystemSpec
from raidtui.model.units import both

_BLOCK: Final = 4096
_SMALL_EXT4: Final = 512 * 1024**2  # mke2fs takes 1 KiB blocks below this (mke2fs.conf, "small")
_SMALLEST_XFS: Final = 300 * 1024**2  # mkfs.xfs refuses less
_SMALLEST_BTRFS: Final = 114 * 1024**2
_XFS_STRIPES_FROM: Final = 1024**3  # mkfs.xfs does not align to stripes on less than this
LONG: Final = 3600


def mkfs_step(wanted: FilesystemSpec, array_path: str, uuid: str, geometry: Geometry) -> Step:
    """Make the filesystem; it reads the stripes from the array by itself, and that is checked afterwards."""
    checks = [Check(kind=CheckKind.FILESYSTEM, subject=array_path, expect=f"{wanted.type} {uuid}")]
    if expected := expected_geometry(wanted.type, geometry):
        checks.append(Check(kind=CheckKind.GEOMETRY, subject=array_path, expect=expected))
    return Step(
        id="mkfs",
        title=f"Make {wanted.type} on the array, labelled {wanted.label!r}",
        reason=f"The filesystem takes the array's stripes into account; of {both(geometry.array_bytes)} it keeps a little for itself.",
        actions=(Run(argv=mkfs_command(wanted, array_path, uuid), timeout_seconds=LONG),),
        before=(Check(kind=CheckKind.BLANK, subject=array_path),),
        after=tuple(checks),
        undo=(Run(argv=("wipefs", "--all", array_path)),),
        undo_note="the filesystem is removed from the array",
        repair=(Run(argv=("wipefs", "--all", array_path)),),
    )


def mkfs_command(wanted: FilesystemSpec, device: str, uuid: str) -> tuple[str, ...]:
    """The command with label and UUID spelled out, asking nothing."""
    match wanted.type:
        case "ext4":
            return ("mkfs.ext4", "-q", "-F", "-L", wanted.label, "-U", uuid, device)
        case "xfs":
            return ("mkfs.xfs", "-q", "-f", "-L", wanted.label, "-m", f"uuid={uuid}", device)
        case _:
            return ("mkfs.btrfs", "-q", "-f", "-L", wanted.label, "-U", uuid, device)


def smallest(kind: str) -> int:
    """The least bytes that a filesystem can be made on."""
    return {"xfs": _SMALLEST_XFS, "btrfs": _SMALLEST_BTRFS}.get(kind, 16 * 1024**2)


def expected_geometry(kind: str, geometry: Geometry) -> str:
    """What the filesystem should report of its stripes, in its own blocks; empty where it has none to report.

    The kernel's hints are one chunk (io_min) and one full stripe of data (io_opt); raid10 gives its whole row as
    io_opt where copies and disks do not divide. Measured for every level (mkfs.xfs and mke2fs on real arrays).
    """
    chunk, width = geometry.chunk_bytes, geometry.stripe_width_bytes
    if not chunk or not width or geometry.level == "linear":
        return ""
    if kind == "ext4":
        block = _BLOCK if geometry.array_bytes >= _SMALL_EXT4 else 1024
        return f"stride={chunk // block} stripe_width={width // block}"
    if kind == "xfs" and geometry.array_bytes >= _XFS_STRIPES_FROM:
        return f"sunit={chunk // _BLOCK} swidth={width // _BLOCK}"
    return ""


def mount_step(wanted: FilesystemSpec, uuid: str) -> Step:
    """Mount it where it will be mounted at every boot."""
    place = wanted.mountpoint
    return Step(
        id="mount",
        title=f"Mount it at {place}",
        reason="By the line in fstab, so that it is known to work before the next boot needs it.",
        actions=(
            Run(argv=("mkdir", "-p", place)),
            Run(argv=("mount", place)),
        ),
        before=(Check(kind=CheckKind.NOT_MOUNTED, subject=place),),
        after=(Check(kind=CheckKind.MOUNTED, subject=place, expect=uuid),),
        undo=(Run(argv=("umount", place), ok=(0, 32)),),
        undo_note="it is unmounted; the empty folder stays",
    )
