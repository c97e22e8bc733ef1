"""Steps that make the array come back after a reboot, by name and mounted.

In this order: mdadm.conf, then the initramfs, which has a copy of it, then fstab. An initramfs without the ARRAY
line assembles the array as /dev/md127 or not at all, the commonest failure of home-made arrays.
"""

from raidtui.model.machine import Machine
from raidtui.model.plan import Check, CheckKind, DropLine, EnsureLine, Run, Step
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.plan.seeds import as_md

FSTAB = "/etc/fstab"
_INITRAMFS_SECONDS = 900


def array_line(spec: Spec, array_path: str, array_uuid: str) -> str:
    """The ARRAY line: by UUID, and without ``spares=``, which mdadm prints during a first build and then misses."""
    return f"ARRAY {array_path} metadata={spec.metadata} UUID={as_md(array_uuid)}"


def fstab_line(wanted: FilesystemSpec, uuid: str) -> str:
    """The fstab line: by filesystem UUID, and ``nofail``, so that a missing disk does not stop the boot."""
    check = "2" if wanted.type == "ext4" else "0"
    options = "defaults,nofail,x-systemd.device-timeout=30s"
    return f"UUID={uuid} {wanted.mountpoint} {wanted.type} {options} 0 {check}"


def conf_step(line: str, machine: Machine) -> Step:
    """Name the array in mdadm.conf."""
    conf = machine.system.mdadm_conf
    return Step(
        id="conf",
        title=f"Name the array in {conf}",
        reason="So that it is assembled under its own name at every boot, and not as /dev/md127.",
        actions=(EnsureLine(path=conf, line=line),),
        after=(Check(kind=CheckKind.LINE_IN, subject=conf, expect=line),),
        undo=(DropLine(path=conf, line=line),),
        undo_note="the line is removed",
    )


def initramfs_step(line: str, machine: Machine, *, has: bool = True) -> Step:
    """Rebuild the initramfs, and look into it."""
    command = (
        ("update-initramfs", "-u")
        if machine.system.initramfs == "update-initramfs"
        else ("dracut", "--force")
    )
    rebuild = Run(argv=command, timeout_seconds=_INITRAMFS_SECONDS)
    kind = CheckKind.INITRAMFS_HAS if has else CheckKind.INITRAMFS_LACKS
    return Step(
        id="initramfs",
        title="Rebuild the initramfs",
        reason="It has a copy of mdadm.conf, and assembles arrays before the real one can be read.",
        actions=(rebuild,),
        after=(Check(kind=kind, expect=line),),
        undo=(rebuild,) if has else (),
        undo_note="it is rebuilt without the line",
    )


def fstab_step(line: str, place: str) -> Step:
    """Mount the filesystem at every boot."""
    return Step(
        id="fstab",
        title=f"Mount it at {place} at every boot",
        reason="By the filesystem's UUID; 'nofail' lets the computer start even when a disk is missing.",
        actions=(EnsureLine(path=FSTAB, line=line),),
        after=(Check(kind=CheckKind.LINE_IN, subject=FSTAB, expect=line),),
        undo=(DropLine(path=FSTAB, line=line),),
        undo_note="the line is removed",
    )
