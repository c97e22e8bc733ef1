"""What brings the array back after a reboot: mdadm.conf, then the initramfs, then fstab, then the mount itself."""

from typing import Final

from raidtui.model.machine import System
from raidtui.model.plan import Action, Check, CheckKind, DropLine, EnsureLine, Run, Step, Undo
from raidtui.model.spec import FilesystemSpec
from raidtui.plan.uuids import md_spelling

FSTAB: Final = "/etc/fstab"
# mdadm gives the missing members of a degraded array 30 s and then starts it without them; disks spin up first.
_DEVICE_TIMEOUT: Final = "120s"
_FSCK_PASS: Final = {"ext4": 2}  # xfs and btrfs are not checked at boot
_DRACUT_CONF: Final = "/etc/dracut.conf.d/90-mdadmconf.conf"
_REBUILD_SECONDS: Final = 3600  # of every installed kernel's image


def array_line(path: str, *, uuid: str, metadata: str) -> str:
    """The array's line of mdadm.conf: by UUID, and without the number of spares.

    ``spares=`` would make mdadm's monitor complain whenever a spare has taken a failed member's place.
    """
    return f"ARRAY {path} metadata={metadata} UUID={md_spelling(uuid)}"


def fstab_line(filesystem: FilesystemSpec, uuid: str) -> str:
    """The filesystem's line of fstab: by UUID, and not so that a missing array keeps the computer from starting."""
    options = f"defaults,nofail,x-systemd.device-timeout={_DEVICE_TIMEOUT}"
    checked = _FSCK_PASS.get(filesystem.type, 0)
    return f"UUID={uuid} {filesystem.mountpoint} {filesystem.type} {options} 0 {checked}"


def rebuild_initramfs(system: System) -> Run | None:
    """The command that rebuilds the images of all installed kernels; ``None`` where there are none."""
    if system.initramfs == "update-initramfs":
        return Run(argv=("update-initramfs", "-u", "-k", "all"), timeout_seconds=_REBUILD_SECONDS)
    if system.initramfs == "dracut":
        return Run(argv=("dracut", "--force", "--regenerate-all"), timeout_seconds=_REBUILD_SECONDS)
    return None


def conf_step(line: str, system: System) -> Step:
    """Name the array in mdadm.conf."""
    rebuild = rebuild_initramfs(system)
    undo: list[Action] = [DropLine(path=system.mdadm_conf, line=line)]
    if rebuild is not None:
        undo.append(rebuild)  # here and not in the next step: the line must be gone before
    return Step(
        id="conf",
        title=f"Name the array in {system.mdadm_conf}",
        reason="Without it the array may come back under another name, such as /dev/md127.",
        actions=(EnsureLine(path=system.mdadm_conf, line=line),),
        after=(Check(kind=CheckKind.LINE_IN, subject=system.mdadm_conf, expect=line),),
        undo=tuple(undo),
        undo_note=f"the line is taken out of {system.mdadm_conf}"
        + (" and the initramfs rebuilt without it" if rebuild is not None else ""),
    )


def initramfs_step(line: str, system: System) -> Step | None:
    """Have the initramfs know the array; ``None`` where the system has none."""
    rebuild = rebuild_initramfs(system)
    if rebuild is None:
        return None
    actions: tuple[Action, ...] = (rebuild,)
    note = "rebuilt without the array when its line is taken out of mdadm.conf"
    if system.initramfs == "dracut":
        actions = (EnsureLine(path=_DRACUT_CONF, line='mdadmconf="yes"'), rebuild)
        note += f"; {_DRACUT_CONF} stays, other arrays may need it"
    return Step(
        id="initramfs",
        title=f"Rebuild the initramfs ({system.initramfs})",
        reason="Arrays are assembled from the initramfs before the system's own mdadm.conf can be read, "
        "so the copy inside must name the array too.",
        actions=actions,
        after=(Check(kind=CheckKind.INITRAMFS_HAS, expect=line),),
        undoable=Undo.NOTHING,
        undo_note=note,
    )


def mountpoint_step(filesystem: FilesystemSpec) -> Step:
    """Make the folder to mount on. It comes first: a folder that is in use stops the plan before any write."""
    path = filesystem.mountpoint
    return Step(
        id="mountpoint",
        title=f"Make the folder {path}",
        reason="What is in a folder disappears from view while something is mounted on it, so it must be empty.",
        actions=(Run(argv=("mkdir", "-p", path)),),
        after=(Check(kind=CheckKind.DIRECTORY, subject=path),),
        undoable=Undo.NOTHING,
        undo_note=f"the empty folder {path} stays",
    )


def fstab_step(filesystem: FilesystemSpec, *, uuid: str, system: System, what: str = "array") -> Step:
    """Have it mounted at every start; ``what``: the thing that it is on."""
    line = fstab_line(filesystem, uuid)
    reload = reload_systemd(system)
    return Step(
        id="fstab",
        title=f"Mount it at {filesystem.mountpoint} at every start",
        reason=f"By the filesystem's UUID, and with nofail: a computer whose {what} is missing still starts.",
        actions=(EnsureLine(path=FSTAB, line=line), *reload),
        after=(Check(kind=CheckKind.LINE_IN, subject=FSTAB, expect=line),),
        undo=(DropLine(path=FSTAB, line=line), *reload),
        undo_note=f"the line is taken out of {FSTAB}",
    )


def mount_step(filesystem: FilesystemSpec, uuid: str, *, persistent: bool) -> Step:
    """Mount it now: by its line of fstab if it has one, which proves the line."""
    path = filesystem.mountpoint
    by_hand = ("mount", "-t", filesystem.type, f"UUID={uuid}", path)
    return Step(
        id="mount",
        title=f"Mount it at {path}",
        reason="By its line of fstab, which proves that the line is right."
        if persistent
        else "By its UUID, until it is unmounted or the computer is restarted.",
        actions=(Run(argv=("mount", path) if persistent else by_hand, timeout_seconds=600),),
        before=(
            Check(kind=CheckKind.NOT_MOUNTED, subject=path),
            Check(kind=CheckKind.DIRECTORY, subject=path),
        ),
        after=(Check(kind=CheckKind.MOUNTED, subject=path, expect=uuid),),
        undo=(Run(argv=("umount", path)),),
        undo_note="it is unmounted",
    )


def reload_systemd(system: System) -> tuple[Run, ...]:
    """systemd makes mount units from fstab; with stale ones it unmounts what it does not know."""
    return (Run(argv=("systemctl", "daemon-reload")),) if system.systemd else ()
