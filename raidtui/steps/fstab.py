"""Mount a filesystem: create the mount point, add the line of fstab, mount it."""

from collections.abc import Sequence
from typing import Final

from raidtui.machine.mounts import escape, unescape
from raidtui.model.plan import MakeFolder, RemoveFolder, Role, Run, Step, Undo
from raidtui.model.spec import FilesystemSpec
from raidtui.model.system import System
from raidtui.model.text import harmless
from raidtui.steps.files import line_step
from raidtui.steps.filesystems import DIRECTORY, MOUNTED, NOT_MOUNTED

FSTAB: Final = "/etc/fstab"
# mdadm waits 30 s for missing members before it starts a degraded array, and disks have to spin up first.
_DEVICE_TIMEOUT: Final = "120s"
_FSCK_PASS: Final = {"ext4": 2}  # xfs and btrfs are not checked at boot


def fstab_line(filesystem: FilesystemSpec, uuid: str) -> str:
    """The filesystem's line of fstab: by UUID, with options that let the computer boot without the array."""
    options = f"defaults,nofail,x-systemd.device-timeout={_DEVICE_TIMEOUT}"
    checked = _FSCK_PASS.get(filesystem.type, 0)
    return f"UUID={uuid} {escape(filesystem.mountpoint)} {filesystem.type} {options} 0 {checked}"


def step_names(name: str, count: int) -> list[str]:
    """Unique ids for several steps of one kind: ``initramfs``, ``initramfs-2``."""
    return [name if number == 1 else f"{name}-{number}" for number in range(1, count + 1)]


def mountpoint_step(filesystem: FilesystemSpec, *, built: str) -> Step:
    """Create the mount point. This comes first, so that a directory in use stops the plan before any write.

    Args:
        built: UUID of the array, or of a single disk's filesystem, that will be mounted there.
    """
    path = filesystem.mountpoint
    return Step(
        id="mountpoint",
        role=Role.PREPARE,
        title=f"Create the mount folder {harmless(path)}",
        reason="A mount hides what is in the folder, so the folder must be empty.",
        actions=(MakeFolder(path=path),),
        after=(DIRECTORY.of(path),),
        undo=(RemoveFolder(path=path, built=built),),
        undo_note=f"the folder {harmless(path)} is removed if this build created it and it is empty",
    )


def remove_folder_steps(places: Sequence[str], *, built: str) -> list[Step]:
    """Remove the mount points at ``places`` that the build of ``built`` created; others stay."""
    return [
        Step(
            id=name,
            role=Role.PERSIST,
            title=f"Remove the mount folder {harmless(place)}",
            reason="Only if the build created it and it is empty: a folder that was there before stays.",
            actions=(RemoveFolder(path=place, built=built),),
            undoable=Undo.NOTHING,
        )
        for name, place in zip(step_names("mountpoint", len(places)), places, strict=True)
    ]


def fstab_step(filesystem: FilesystemSpec, *, uuid: str, system: System, what: str = "array") -> Step:
    """Mount it at boot; ``what``: the noun for what it is on."""
    line = fstab_line(filesystem, uuid)
    return line_step(
        "fstab",
        role=Role.PERSIST,
        title=f"Add {harmless(filesystem.mountpoint)} to {FSTAB} to mount it at boot",
        reason=f"By the filesystem's UUID and with nofail, so the computer still boots if the {what} is missing.",
        new=[(FSTAB, line)],
        then=reload_systemd(system),
        undo_note=f"the line is removed from {FSTAB}",
    )


def mount_step(filesystem: FilesystemSpec, uuid: str, *, persistent: bool) -> Step:
    """Mount it now; through its fstab line if it has one, which verifies the line."""
    path = filesystem.mountpoint
    by_hand = ("mount", "-t", filesystem.type, f"UUID={uuid}", path)
    return Step(
        id="mount",
        role=Role.PERSIST,
        title=f"Mount the filesystem at {harmless(path)}",
        reason="Through its fstab line, which proves that the line works."
        if persistent
        else "By its UUID, until it is unmounted or the computer reboots.",
        actions=(Run(argv=("mount", path) if persistent else by_hand, timeout_seconds=600),),
        before=(
            NOT_MOUNTED.of(path),
            DIRECTORY.of(path),
        ),
        after=(MOUNTED.of(path, uuid),),
        undo=(Run(argv=("umount", path)),),
        undo_note="it is unmounted",
    )


def reload_systemd(system: System) -> tuple[Run, ...]:
    """Reload systemd, which makes mount units from fstab: with stale ones it would unmount filesystems."""
    return (Run(argv=("systemctl", "daemon-reload")),) if system.systemd else ()


def fields_of(line: str) -> list[str]:
    """The fields of a line of fstab, unescaped: fstab writes a blank in a name as ``\\040``."""
    return [unescape(field) for field in line.split()]


def is_mounted_at_boot(fields: Sequence[str]) -> bool:
    """Whether a line with these fields is mounted somewhere at boot."""
    return len(fields) > 3 and "noauto" not in fields[3].split(",") and fields[1].startswith("/")
