"""Rehearse a plan in the lab, on sparse copies of its disks, with the tools of this computer.

The copies have the names, sizes, partition tables, signatures and superblocks of the real disks, which are opened
read-only. The same order is planned again in the lab, and its commands are compared with the real ones. They run, and
the result is checked again after a reboot of the lab.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.backends.registry import find_rehearser
from raidtui.commands.rehearsal.lab import RehearsalLab
from raidtui.commands.rehearsal.units import Involved, check_units, involved, lessen, limits, with_growth
from raidtui.jobs.disk_copies import blank_copy, copy_disk
from raidtui.jobs.write_extents import find_writes
from raidtui.lab.disks import LETTERS, MAX_DISKS, SCSI, SCSI_4KN, SECTOR_4KN, CopiedDisk
from raidtui.lab.engines import find_engine
from raidtui.lab.guest import Guest, Setup
from raidtui.lab.host import scratch_folder
from raidtui.model.errors import Refused
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, PlanKind, Severity
from raidtui.model.procedure import Grow
from raidtui.model.rehearsal import NOT_REHEARSED, ONLY_BUILDS, Rehearsal, RehearsedStep
from raidtui.model.text import count_of, harmless
from raidtui.model.units import SECTOR

_PREFIX: Final = "raidtui-rehearsal-"
_LOCK: Final = "lock"  # held while the rehearsal lives
_OTHER_TOOLS: Final = "this computer's own ZFS and tools: the lab on QEMU has those of Debian"
_NOT_LOCAL: Final = ("nfs", "cifs", "smb", "fuse", "ceph", "glusterfs", "9p")


def check_can_rehearse(plan: Plan, machine: Machine) -> Involved:
    """What ``plan`` needs in the lab, if the lab can have copies of it.

    Raises:
        Refused: it cannot, and why.
    """
    if why := NOT_REHEARSED.get(plan.spec.backend):
        raise Refused(f"a plan of {plan.spec.backend} cannot be rehearsed: {why}")
    if blocking := [one for one in plan.hazards if one.severity is Severity.BLOCK]:
        raise Refused(harmless(f"this cannot be done safely: {blocking[0].id}: {blocking[0].meaning}"))
    what = involved(plan, machine)
    if not what.disks:
        raise Refused("this plan changes no disk, so there is nothing to rehearse on")
    if len(what.disks) > MAX_DISKS:
        raise Refused(f"the lab has room for {MAX_DISKS} disks, and this plan needs {len(what.disks)}")
    for disk in what.disks:
        if disk.logical_sector_bytes not in {SECTOR, SECTOR_4KN}:
            raise Refused(
                f"{harmless(disk.identity)} has logical sectors of {disk.logical_sector_bytes:,} bytes and the disks of the "
                f"lab have {SECTOR} or {SECTOR_4KN:,}, so its plan cannot be rehearsed"
            )
    check_units(what, machine)
    return what


def rehearse(
    order: JobRequest, plan: Plan, machine: Machine, *, recorded: bool, report: Callable[[str], None]
) -> Rehearsal:
    """Run ``plan``, which ``order`` gives on ``machine``, on copies of its disks.

    Args:
        recorded: ``machine`` is a recording: its disks are not here, so their copies are blank.
        report: gets a line about each thing that is done.

    Raises:
        ToolMissing, Refused: the lab cannot run here, or cannot have such disks.
        StepFailed: a disk cannot be read, or the lab died.
    """
    begun = time.monotonic()
    what = check_can_rehearse(plan, machine)
    if isinstance(order.procedure, Grow):
        what = with_growth(what, order.procedure)
    if recorded and plan.kind is not PlanKind.BUILD:
        raise Refused(ONLY_BUILDS)
    used = {plan.spec.backend, *(unit.backend for unit in what.units)}
    engines = {rehearser.engine for one in used if (rehearser := find_rehearser(one))}
    engine = "qemu" if "qemu" in engines else "uml"
    find_engine(engine).prepare()  # what it lacks is said before anything is copied
    disks, planned = what.disks, {one.identity: one for one in plan.disks}
    room = scratch_folder(sum(disk.size_bytes for disk in disks))
    with _workplace(room) as folder:
        copied = 0
        copies = described(disks, engine)
        files = [folder / copy.file_name for copy in copies]
        for disk, file in zip(disks, files, strict=True):
            if recorded:
                blank_copy(disk, file)
            else:
                builds = plan.kind is PlanKind.BUILD
                copied += copy_disk(disk, find_writes(plan, planned[disk.identity]) if builds else (), file)
        remade = lessen(what, machine, files)
        slow = " on QEMU, which takes minutes without KVM" if engine == "qemu" else ""
        report(f"{count_of(disks, 'disk')} copied; starting the lab{slow}")
        shown = Rehearsal(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            name=plan.spec.name,
            fingerprint=plan.fingerprint,
            seed=plan.seed,
            kind=plan.kind,
            passed=False,
            steps=tuple(RehearsedStep(id=step.id, title=step.title) for step in plan.steps),
            calculated_bytes=plan.array_bytes,
            limits=(*limits(what), *([_OTHER_TOOLS] if engine == "qemu" else [])),
            blank=recorded,
            copied_bytes=copied,
        )
        with Guest(Setup(disk_dir=folder, copies=copies, etc=_etc(machine), engine=engine)) as guest:
            shown = RehearsalLab(guest, what, remade, machine, plan, report).rehearse(order, shown, folder)
        written = sum((folder / copy.file_name).stat().st_blocks * SECTOR for copy in copies)
    return replace(shown, written_bytes=written, seconds=round(time.monotonic() - begun, 1))


@contextmanager
def _workplace(room: Path) -> Iterator[Path]:
    """A folder in ``room`` that is removed at the end; those of rehearsals that were killed are removed first."""
    for old in room.glob(f"{_PREFIX}*"):
        with suppress(OSError), (old / _LOCK).open("rb") as lock:
            if os.fstat(lock.fileno()).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(old)
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX, dir=room) as name,
        (Path(name) / _LOCK).open("xb") as lock,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(name)


def described(disks: Sequence[Disk], engine: str) -> tuple[CopiedDisk, ...]:
    """The copies of ``disks``: on SCSI in QEMU; else those that the plain lab has no other place for."""
    wide = [disk.logical_sector_bytes == SECTOR_4KN for disk in disks]
    narrow = SCSI if engine == "qemu" or wide.count(False) > len(LETTERS) else ""
    return tuple(
        CopiedDisk(
            disk.serial,
            disk.size_bytes,
            SCSI_4KN if is_wide else narrow,
            model=disk.model,
            name=disk.wwn,
            by_id=disk.by_id,
            rotational=disk.rotational,
        )
        for disk, is_wide in zip(disks, wide, strict=True)
    )


def _etc(machine: Machine) -> dict[str, str]:
    """The files in /etc that a plan depends on, without what is mounted from elsewhere."""
    system = machine.system
    fstab = [
        line for line in system.fstab if not line.split()[2:3] or not line.split()[2].startswith(_NOT_LOCAL)
    ]
    conf = ["HOMEHOST <system>"]
    conf += [line for entry in system.mdadm_conf_entries for line in entry.lines]
    conf += [f"MAILADDR {system.mail_address}"] if system.mail_address else []
    return {
        "hostname": f"{system.hostname or 'lab'}\n",
        "fstab": "".join(f"{line}\n" for line in fstab),
        system.mdadm_conf.removeprefix("/etc/"): "".join(f"{line}\n" for line in conf),
    }
