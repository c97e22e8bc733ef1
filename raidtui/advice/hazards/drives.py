"""Hazards of the type of drive: SMR, error recovery, USB, mixed speeds."""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.smr_models import listed_as_shingled
from raidtui.backends.look import Check, Look, of_disks, on_disks, on_each
from raidtui.backends.registry import backend
from raidtui.model.machine import Disk
from raidtui.model.plan import Hazard, Severity
from raidtui.model.spec import USUAL

PATIENCE_SECONDS: Final = 180  # desktop drives retry a bad sector for up to about three minutes
KERNEL_PATIENCE_SECONDS: Final = 30  # drivers/scsi/sd.h, SD_TIMEOUT
_ATA: Final = frozenset({"sata", "usb"})  # transports of drives that speak it


def _host_aware(disk: Disk) -> str:
    words = _zone_words(disk)
    aware = disk.zoned == "host-aware" or "host_aware" in words or "host aware" in words
    return "host-aware shingled disk" if aware else ""


def _zone_words(disk: Disk) -> str:
    return disk.smart.zoned.lower().replace("-", "_") if disk.smart else ""


def shingled(disk: Disk) -> str:
    """Why a disk is or appears to be drive-managed SMR, with the source; empty if there is no sign of it."""
    return known_shingled(disk) or suspected_shingled(disk)


def suspected_shingled(disk: Disk) -> str:
    """The sign that a disk may be SMR if nothing says so: it rotates and supports TRIM, which CMR disks do not."""
    if _recording(disk) or known_shingled(disk) or not (disk.rotational and disk.smart):
        return ""
    return "probably SMR: a rotating disk that takes TRIM" if disk.smart.trim_supported else ""


def _recording(disk: Disk) -> str:
    """What the drive's own log says, SMR or CMR; empty if it says neither."""
    said = disk.smart.recording if disk.smart else ""
    return said if said in {"SMR", "CMR"} else ""


def known_shingled(disk: Disk) -> str:
    """What says that a disk is drive-managed SMR; empty if nothing does.

    Sources in order of trust: the drive itself, smartmontools' drive database, the vendors, users.
    """
    words = _zone_words(disk)
    if "device_managed" in words or "drive_managed" in words or "device managed" in words:
        return "SMR, the drive says so itself"
    if recording := _recording(disk):
        return "SMR, the drive's own log says so" if recording == "SMR" else ""
    if disk.smart and "(SMR)" in disk.smart.family:
        return f"SMR by smartmontools' drive database: {disk.smart.family}"
    if disk.rotational and (source := listed_as_shingled(disk.model)):
        return f"SMR by {source}: {disk.model}"
    return ""


def _recovery_matters(disk: Disk) -> bool:
    """Whether the kernel may reset a disk that retries too long; a RAID card has its own timeouts."""
    return (
        disk.has_device and disk.rotational and disk.transport not in {"nvme", "sas", "virtio", "ubd", "loop"}
    )


def is_limit_off(disk: Disk) -> bool:
    """Whether the drive has an error-recovery limit that is off, while the kernel times out first."""
    return (
        _recovery_matters(disk)
        and disk.smart is not None
        and disk.smart.erc_read_deciseconds == 0
        and (disk.scsi_timeout_seconds or KERNEL_PATIENCE_SECONDS) < PATIENCE_SECONDS
    )


def has_no_limit(disk: Disk) -> bool:
    """Whether the drive has no error-recovery limit, while the kernel times out first.

    Only of drives that are known to speak ATA: what a virtual or remote disk does with a bad sector is not known.
    """
    return (
        _recovery_matters(disk)
        and disk.transport in _ATA
        and disk.smart is not None
        and disk.smart.erc_read_deciseconds is None
        and disk.scsi_timeout_seconds is not None
        and disk.scsi_timeout_seconds < PATIENCE_SECONDS
    )


def error_recovery_off(look: Look) -> Iterator[Hazard]:
    """A drive with its error-recovery limit off, while the kernel times out first."""
    if not look.redundant:
        return
    seen = [
        (
            disk,
            f"error-recovery limit off, kernel timeout {disk.scsi_timeout_seconds or KERNEL_PATIENCE_SECONDS} s",
        )
        for disk in look.disks
        if is_limit_off(disk)
    ]
    yield from on_disks(
        "erc-off",
        Severity.HIGH,
        seen,
        meaning=(
            "One bad sector can cost the whole disk. The drive retries it for minutes, the kernel resets the drive after "
            "half a minute, and it is dropped."
        ),
        advice="Run at every boot: " + on_each("smartctl -l scterc,70,70", seen),
        source="raid.wiki.kernel.org, Timeout Mismatch; smartctl(8)",
    )


def error_recovery_missing(look: Look) -> Iterator[Hazard]:
    """A drive without an error-recovery limit, while the kernel times out first."""
    if not look.redundant:
        return
    seen = [
        (disk, f"no error-recovery limit, kernel timeout {disk.scsi_timeout_seconds} s")
        for disk in look.disks
        if has_no_limit(disk)
    ]
    yield from on_disks(
        "erc-missing",
        Severity.HIGH,
        seen,
        meaning=(
            "One bad sector can cost the whole disk. The drive may retry it for minutes and has no setting to stop that. The "
            "kernel resets the drive first, and it is dropped."
        ),
        advice="At every boot: "
        + "; ".join(f"echo {PATIENCE_SECONDS} > /sys/block/{d.name}/device/timeout" for d, _ in seen),
        source="raid.wiki.kernel.org, Timeout Mismatch; Linux drivers/scsi/sd.h",
    )


def _turns(disk: Disk) -> str:
    if not disk.rotational:
        return "flash"
    rate = disk.smart.rotation_rate if disk.smart else None
    return f"{rate} revolutions a minute" if rate else "rotating"


def mixed_speed(look: Look) -> Iterator[Hazard]:
    """Rotating disks and flash in one array, or disks with different rotation rates."""
    rates = {disk.smart.rotation_rate for disk in look.members if disk.smart and disk.smart.rotation_rate}
    if len({disk.rotational for disk in look.members}) < 2 and len(rates) < 2:
        return
    yield from on_disks(
        "mixed-speed",
        Severity.WARN,
        [(disk, _turns(disk)) for disk in look.members],
        meaning="An array writes at the speed of its slowest member.",
        advice="Use disks of one kind and speed."
        + (
            " A RAID1 reads from the flash alone where the rotating disk is marked write-mostly, see md(4)."
            if look.spec.backend is USUAL
            else ""
        ),
        source=backend(look.spec.backend).manual,
    )


_VIRTUAL: Final = ("QEMU", "VMWARE", "VBOX", "VIRTUAL", "MSFT")


def virtual(look: Look) -> Iterator[Hazard]:
    """Virtual disks, several of which may be on one real disk.

    A passed-through disk reports SMART. The lab's disks are for practice and need no warning.
    """
    inside = look.machine.system.hypervisor if look.machine else ""
    seen = [
        (disk, f"a virtual disk{f' of {inside}' if inside not in {'', 'unnamed'} else ''}")
        for disk in look.disks
        if disk.transport == "virtio"
        or any(word in f"{disk.vendor} {disk.model}".upper() for word in _VIRTUAL)
        or (
            inside
            and look.smart_was_read
            and disk.has_device  # a drive behind a RAID card is real
            and disk.smart is None
            and disk.transport not in {"ubd", "usb"}
        )
    ]
    yield from on_disks(
        "virtual-disks",
        Severity.INFO,
        seen,
        meaning="One failure may take all of these: virtual disks may be stored on the same real disk.",
        advice="Store them on different disks of the host, or leave redundancy to the host.",
        source="every level assumes that disks fail independently",
    )


def _odd_size(disk: Disk) -> str:
    """A rotating disk without an IDEMA standard size. A RAID card rounds the sizes of its drives."""
    sectors, rest = divmod(disk.size_bytes, 512)
    agreed = rest == 0 and (sectors - 97_696_368) % 1_953_504 == 0
    judged = disk.rotational and disk.has_device and disk.transport in {"sata", "ata"}
    return f"{sectors:,} sectors" if judged and disk.size_bytes >= 80 * 10**9 and not agreed else ""


CHECKS: Final[tuple[Check, ...]] = (
    of_disks(
        "smr-host-managed",
        Severity.BLOCK,
        lambda disk: "queue/zoned is host-managed" if disk.zoned == "host-managed" else "",
        meaning="This disk cannot be a member: it accepts only sequential writes within a zone, and nothing that raidtui builds writes that way.",
        advice="Choose another disk.",
        source="Linux drivers/md: no zone support in any RAID level",
    ),
    of_disks(
        "smr-host-aware",
        Severity.HIGH,
        _host_aware,
        meaning="Rebuilds may take days: this shingled (SMR) disk is very slow at writes that are not sequential.",
        advice="Use a conventionally recorded (CMR) disk.",
        source="zoned block device characteristics, as the drive reports them",
    ),
    of_disks(
        "smr",
        Severity.HIGH,
        known_shingled,
        meaning=(
            "A rebuild may take days, and the disk may drop out of the array. Shingled (SMR) disks stall under sustained "
            "or random writes."
        ),
        advice="Use conventionally recorded (CMR) disks. If it must be these, time a rebuild before you trust them.",
        source="smartmontools drive database; Ars Technica 2020-06; OpenZFS issue 10214",
    ),
    of_disks(
        "smr-suspected",
        Severity.HIGH,  # not BLOCK in any backend: a suspicion can always be accepted
        suspected_shingled,
        meaning="A rebuild may take days and the disk may drop out if it is shingled (SMR): neither the drive nor any list says.",
        advice="Look up the model at its maker, or time 100 GB of random writes: a shingled disk slows down to a few MB/s.",
        source="T10 and T13: TRIM on rotating drives came with drive-managed SMR",
    ),
    error_recovery_off,
    error_recovery_missing,
    of_disks(
        "usb",
        Severity.HIGH,
        lambda disk: f"{disk.model or 'disk'} on USB" if disk.transport == "usb" else "",
        meaning=(
            "A reset of the USB hub drops all its disks at once, more than any level survives. SMART and the "
            "error-recovery limit are often not available."
        ),
        advice="Connect the disks by SATA or SAS. Over USB, store only data that you also have elsewhere.",
        source="OpenZFS documentation, Hardware: USB",
    ),
    virtual,
    mixed_speed,
    of_disks(
        "odd-size",
        Severity.INFO,
        _odd_size,
        meaning="A part may be hidden (HPA), or the disk comes from an external case: disk makers do not use this size.",
        advice="Check whether all of it is visible: {}",
        command="hdparm -N",
        source="IDEMA LBA1-03; hdparm(8), -N",
    ),
)
