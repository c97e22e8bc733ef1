"""What brings the array back at boot: mdadm.conf, then the initramfs, then fstab, then the mount itself."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.md.conditions import INITRAMFS_HAS
from raidtui.model.machine import System
from raidtui.model.plan import Action, DropLine, EnsureLine, MakeFolder, RemoveFolder, Role, Run, Step, Undo
from raidtui.model.spec import FilesystemSpec
from raidtui.model.text import harmless
from raidtui.plan.uuids import md_spelling
from raidtui.steps.files import LINE_IN
from raidtui.steps.filesystems import DIRECTORY, MOUNTED, NOT_MOUNTED

FSTAB: Final = "/etc/fstab"
# mdadm gives the missing members of a degraded array 30 s and then starts it without them; disks spin up first.
_DEVICE_TIMEOUT: Final = "120s"
_FSCK_PASS: Final = {"ext4": 2}  # xfs and btrfs are not checked at boot
_DRACUT_CONF: Final = "/etc/dracut.conf.d/90-mdadmconf.conf"
# The command for one kernel, without its release, and the one for all.
_REBUILD: Final = {
    "update-initramfs": (("update-initramfs", "-u", "-k"), ("update-initramfs", "-u", "-k", "all")),
    "dracut": (("dracut", "--force", "--kver"), ("dracut", "--force", "--regenerate-all")),
}
_REBUILD_SECONDS: Final = 3600


def array_line(path: str, *, uuid: str, metadata: str) -> str:
    """The array's line of mdadm.conf: by UUID, and without the number of spares.

    ``spares=`` would make mdadm's monitor complain whenever a spare has taken a failed member's place.
    """
    return f"ARRAY {path} metadata={metadata} UUID={md_spelling(uuid)}"


def fstab_line(filesystem: FilesystemSpec, uuid: str) -> str:
    """The filesystem's line of fstab: by UUID, and with options that let the computer boot without the array."""
    options = f"defaults,nofail,x-systemd.device-timeout={_DEVICE_TIMEOUT}"
    checked = _FSCK_PASS.get(filesystem.type, 0)
    return f"UUID={uuid} {filesystem.mountpoint} {filesystem.type} {options} 0 {checked}"


def rebuilds(system: System) -> tuple[tuple[str, Run], ...]:
    """Each kernel that a boot takes, and the command that rebuilds its initramfs; none where there are none.

    That is the running kernel and the newest: with an older one, chosen by hand, the array comes back all the same
    and is mounted by the filesystem's UUID; only its name may be another. Where the kernels are not known, one command
    rebuilds the images of all, and the running kernel's is looked into.
    """
    if system.initramfs not in _REBUILD:
        return ()
    one, every = _REBUILD[system.initramfs]
    if not system.boot_kernels:
        return ((system.kernel, Run(argv=every, timeout_seconds=_REBUILD_SECONDS)),)
    return tuple(
        (release, Run(argv=(*one, release), timeout_seconds=_REBUILD_SECONDS))
        for release in system.boot_kernels
    )


def step_names(name: str, count: int) -> list[str]:
    """Ids for several steps of one kind: ``initramfs``, ``initramfs-2``."""
    return [name if number == 1 else f"{name}-{number}" for number in range(1, count + 1)]


def conf_step(line: str, system: System) -> Step:
    """Name the array in mdadm.conf."""
    return Step(
        id="conf",
        role=Role.PERSIST,
        title=f"Add the array to {system.mdadm_conf}",
        reason="Without this line the array may come back as /dev/md127 at boot.",
        actions=(EnsureLine(path=system.mdadm_conf, line=line),),
        after=(LINE_IN.of(system.mdadm_conf, line),),
        undo=(DropLine(path=system.mdadm_conf, line=line),),
        undo_note=f"the line is removed from {system.mdadm_conf}",
    )


def initramfs_steps(line: str, system: System) -> list[Step]:
    """Have the initramfs of each kernel that a boot takes know the array."""
    before: tuple[Action, ...] = ()
    note = "it is rebuilt without the array"
    if system.initramfs == "dracut":
        before = (EnsureLine(path=_DRACUT_CONF, line='mdadmconf="yes"'),)
        note += f"; {_DRACUT_CONF} stays, other arrays may need it"
    found = rebuilds(system)
    return [
        Step(
            id=name,
            role=Role.PERSIST,
            title=f"Rebuild the initramfs of kernel {harmless(release)}",
            reason="It assembles arrays at boot by its own copy of mdadm.conf. Without the line there the array "
            "comes back as /dev/md127. This can take some minutes.",
            actions=(*before, rebuild),
            after=(INITRAMFS_HAS.of(release, line),),
            # The line goes first, or the new image would have it again.
            undo=(DropLine(path=system.mdadm_conf, line=line), rebuild),
            undo_note=note,
        )
        for name, (release, rebuild) in zip(step_names("initramfs", len(found)), found, strict=True)
    ]


def mountpoint_step(filesystem: FilesystemSpec, *, built: str) -> Step:
    """Create the folder to mount on. It comes first: a folder that is in use stops the plan before any write.

    Args:
        built: UUID of what will be mounted there: of the array, or of the filesystem of a single disk.
    """
    path = filesystem.mountpoint
    return Step(
        id="mountpoint",
        role=Role.PREPARE,
        title=f"Create the mount folder {path}",
        reason="A mount hides what is in the folder, so the folder must be empty.",
        actions=(MakeFolder(path=path),),
        after=(DIRECTORY.of(path),),
        undo=(RemoveFolder(path=path, built=built),),
        undo_note=f"the folder {path} is removed if this build created it and it is empty",
    )


def remove_folder_steps(places: Sequence[str], *, built: str) -> list[Step]:
    """Remove the folders at ``places`` where the build of ``built`` created them; others stay."""
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
    """Mount it at boot; ``what``: the array or disk that it is on."""
    line = fstab_line(filesystem, uuid)
    reload = reload_systemd(system)
    return Step(
        id="fstab",
        role=Role.PERSIST,
        title=f"Add {filesystem.mountpoint} to {FSTAB} to mount it at boot",
        reason=f"By the filesystem's UUID and with nofail, so the computer still boots if the {what} is missing.",
        actions=(EnsureLine(path=FSTAB, line=line), *reload),
        after=(LINE_IN.of(FSTAB, line),),
        undo=(DropLine(path=FSTAB, line=line), *reload),
        undo_note=f"the line is removed from {FSTAB}",
    )


def mount_step(filesystem: FilesystemSpec, uuid: str, *, persistent: bool) -> Step:
    """Mount it now: through its fstab line if it has one, which proves the line."""
    path = filesystem.mountpoint
    by_hand = ("mount", "-t", filesystem.type, f"UUID={uuid}", path)
    return Step(
        id="mount",
        role=Role.PERSIST,
        title=f"Mount the filesystem at {path}",
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
    """systemd makes mount units from fstab; with stale ones it unmounts what it does not know."""
    return (Run(argv=("systemctl", "daemon-reload")),) if system.systemd else ()
