"""Create a filesystem: wipe stale signatures from the array, run mkfs, check the stripe geometry."""

from typing import Final

from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.spec import FilesystemSpec
from raidtui.model.struct import Record
from raidtui.model.units import GIB
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.filesystems import FILESYSTEM, GEOMETRY
from raidtui.steps.xfs_space import STRIPES_FROM

BLOCK: Final = 4096
# ext4's inode tables take 1/64 of the space: writing them at once takes seconds below this size and hours above.
LAZY_ABOVE: Final = 64 * GIB


class Stripes(Record, frozen=True, kw_only=True):
    """The size and stripe geometry of a device for mkfs, in bytes; chunk and width are 0 without striping."""

    size_bytes: int
    chunk_bytes: int = 0
    width_bytes: int = 0  # one full stripe of data


def clear_step(path: str, *, what: str = "array") -> Step:
    """Wipe signatures of the members' old contents that show on the new array (or ``what``)."""
    wipe = Run(argv=("wipefs", "--all", path))
    return Step(
        id="clear",
        role=Role.CLEAN,
        title=f"Wipe stale signatures from the new {what}",
        reason=f"An earlier {what} of the same layout leaves its filesystem visible on the new one. It is wiped before "
        "anything can use it.",
        actions=(wipe,),
        before=(PRESENT.of(path), UNCLAIMED.of(path)),
        after=(BLANK.of(path),),
        undoable=Undo.NOTHING,
        undo_note=f"nothing to undo on a new {what}",
    )


def mkfs_step(
    filesystem: FilesystemSpec,
    on: Stripes,
    *,
    path: str,
    uuid: str,
    bare_disk: bool = False,
    what: str = "array",
) -> Step:
    """Create the filesystem on an array or a single disk, and check that it has the right stripe geometry."""
    wipe = Run(argv=("wipefs", "--all", path))
    stripes = expected_geometry(filesystem.type, on)
    after = [FILESYSTEM.of(path, f"{filesystem.type} {uuid}")]
    if stripes:
        after.append(GEOMETRY.of(path, stripes))
    reason = (
        "On the aligned partition. From here on the old contents of the disk cannot be restored."
        if bare_disk
        else "mkfs is given chunk and stripe width; both are read back and compared afterwards."
        if stripes
        else f"On the whole {what}."
    )
    if filesystem.type == "ext4" and is_lazy(on):
        reason += (
            " The kernel writes the inode tables in the background after the first mount: "
            "benchmark only after that."
        )
    return Step(
        id="mkfs",
        role=Role.FORMAT,
        title=f"Create the {filesystem.type} filesystem, label {filesystem.label}",
        reason=reason,
        actions=(Run(argv=_mkfs(filesystem, on, path=path, uuid=uuid), timeout_seconds=4 * 3600),),
        before=(
            PRESENT.of(path),
            BLANK.of(path),
            UNCLAIMED.of(path),
        ),
        after=tuple(after),
        undoable=Undo.IMPOSSIBLE if bare_disk else Undo.COMMANDS,  # an array has been written to by then
        undo=(wipe,),
        undo_note="the new filesystem is erased"
        + (", but the old contents of the disk are lost" if bare_disk else ""),
        repair=(wipe,),
    )


def is_lazy(on: Stripes) -> bool:
    """Whether ext4's inode tables are left for the kernel to write after the first mount."""
    return on.size_bytes > LAZY_ABOVE


def expected_geometry(kind: str, on: Stripes) -> str:
    """The stripe geometry that the filesystem must report, in its own words and blocks; empty without stripes.

    mkfs is given it: not every device reports its full stripe, and mke2fs ignores that of SSDs from 1.47.3 on.
    """
    if on.chunk_bytes <= BLOCK:
        return ""
    unit, width = on.chunk_bytes // BLOCK, on.width_bytes // BLOCK
    if kind == "ext4":
        return f"stride={unit} stripe_width={width}"
    if kind == "xfs" and on.size_bytes >= STRIPES_FROM:
        return f"sunit={unit} swidth={width}"
    return ""


def _mkfs(filesystem: FilesystemSpec, on: Stripes, *, path: str, uuid: str) -> tuple[str, ...]:
    label, stripes = filesystem.label, expected_geometry(filesystem.type, on)
    if filesystem.type == "ext4":
        lazy = int(is_lazy(on))
        extended = ",".join((f"lazy_itable_init={lazy}", f"lazy_journal_init={lazy}", *stripes.split()))
        return ("mkfs.ext4", "-q", "-F", "-b", str(BLOCK), "-E", extended, "-U", uuid, "-L", label, path)
    if filesystem.type == "xfs":
        data = ("-d", f"su={on.chunk_bytes},sw={on.width_bytes // on.chunk_bytes}") if stripes else ()
        return (
            *("mkfs.xfs", "-q", "-f", "-b", f"size={BLOCK}", *data),
            *("-m", f"uuid={uuid}", "-L", label, path),
        )
    # Explicit profiles: before 5.15 metadata had a single copy on disks that are not rotational.
    profiles = ("--data", "single", "--metadata", "dup")
    return ("mkfs.btrfs", "--quiet", "--force", *profiles, "--uuid", uuid, "--label", label, path)
