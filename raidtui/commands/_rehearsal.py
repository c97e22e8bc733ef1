"""Rehearse the plan of a build in the lab, on sparse copies of its disks, with the tools of this computer.

The copies have the names, sizes, partition tables, signatures and superblocks of the real disks, which are opened
read-only. The same spec is planned again in the lab, and its commands are compared with the real ones. They run, and
the result is checked again after a reboot of the lab.
"""

import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from raidtui.backends.specfile import write_spec
from raidtui.jobs.disk_copies import blank_copy, copy_disk
from raidtui.jobs.journal import read_journal
from raidtui.jobs.write_extents import find_writes
from raidtui.lab.command import CommandTimeout
from raidtui.lab.disks import LETTERS, MAX_DISKS, CopiedDisk
from raidtui.lab.guest import Guest, Setup
from raidtui.lab.host import scratch_folder
from raidtui.model.errors import Refused
from raidtui.model.journal import Entry, Event
from raidtui.model.machine import Disk, Machine
from raidtui.model.paths import OF_ROOT
from raidtui.model.plan import Plan, Severity
from raidtui.model.rehearsal import NOT_REHEARSED, Rehearsal, RehearsedStep
from raidtui.model.spec import Spec
from raidtui.model.struct import from_json
from raidtui.model.text import count_of, harmless
from raidtui.model.units import SECTOR, duration
from raidtui.plan.words import command_line

_LONGEST_BUILD: Final = 1800.0  # seconds
_LONGEST_LOOK: Final = 180.0
_PREFIX: Final = "raidtui-rehearsal-"
_LOCK: Final = "lock"  # held while the rehearsal lives
_MARK: Final = ".raidtui-rehearsal"
_NOT_LOCAL: Final = ("nfs", "cifs", "smb", "fuse", "ceph", "glusterfs", "9p")
# A first resync would read terabytes of nothing, and a rebuild would write zeros until the copies are full.
_HOLD_SYNC: Final = "echo 1 >/proc/sys/dev/raid/speed_limit_min; echo 1 >/proc/sys/dev/raid/speed_limit_max"
_ENVIRONMENT: Final = {
    "RAIDTUI_STATE": OF_ROOT
}  # of the caller it may be a folder that the lab does not keep
# What the copies of former members make udev start; on the real disks nothing of it runs, or they would be in use.
_STOP_ALL: Final = "mdadm --stop --scan; vgchange -qq -an; udevadm settle"


def check_can_rehearse(plan: Plan, machine: Machine) -> tuple[Disk, ...]:
    """The disks of ``plan``, if the lab can have copies of them.

    Raises:
        Refused: it cannot, and why.
    """
    if why := NOT_REHEARSED.get(plan.spec.backend):
        raise Refused(f"a plan of {plan.spec.backend} cannot be rehearsed: {why}")
    if blocking := [one for one in plan.hazards if one.severity is Severity.BLOCK]:
        raise Refused(harmless(f"this cannot be built safely: {blocking[0].id}: {blocking[0].meaning}"))
    disks = tuple(machine.disk(one.identity) for one in plan.disks)
    if len(disks) > MAX_DISKS:
        raise Refused(f"the lab has room for {MAX_DISKS} disks, and this plan has {len(disks)}")
    for disk in disks:
        if disk.logical_sector_bytes != SECTOR:
            raise Refused(
                f"{harmless(disk.identity)} has logical sectors of {disk.logical_sector_bytes:,} bytes and the disks of the "
                f"lab have {SECTOR}, so its plan cannot be rehearsed"
            )
    return disks


def rehearse(
    spec: Spec, plan: Plan, machine: Machine, *, recorded: bool, report: Callable[[str], None]
) -> Rehearsal:
    """Run ``plan``, which ``spec`` gives on ``machine``, on copies of its disks.

    Args:
        recorded: ``machine`` is a recording: its disks are not here, so their copies are blank.
        report: gets a line about each thing that is done.

    Raises:
        ToolMissing, Refused: the lab cannot run here, or cannot have such disks.
        StepFailed: a disk cannot be read, or the lab died.
    """
    begun = time.monotonic()
    disks = check_can_rehearse(plan, machine)
    room = scratch_folder(sum(disk.size_bytes for disk in disks))
    with _workplace(room) as folder:
        copied = 0
        copies = tuple(map(_described, disks))
        for planned, disk, copy in zip(plan.disks, disks, copies, strict=True):
            if recorded:
                blank_copy(disk, folder / copy.file_name)
            else:
                copied += copy_disk(disk, find_writes(plan, planned), folder / copy.file_name)
        report(f"{count_of(disks, 'disk')} copied; starting the lab")
        shown = Rehearsal(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            name=plan.spec.name,
            fingerprint=plan.fingerprint,
            seed=plan.seed,
            passed=False,
            steps=tuple(RehearsedStep(id=step.id, title=step.title) for step in plan.steps),
            calculated_bytes=plan.array_bytes,
            blank=recorded,
            copied_bytes=copied,
        )
        with Guest(Setup(disk_dir=folder, copies=copies, etc=_etc(machine))) as guest:
            shown = _in_the_lab(guest, spec, plan, copies, shown, folder, report)
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


def _described(disk: Disk) -> CopiedDisk:
    return CopiedDisk(
        disk.serial,
        disk.size_bytes,
        model=disk.model,
        name=disk.wwn,
        by_id=disk.by_id,
        rotational=disk.rotational,
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


def _in_the_lab(
    guest: Guest,
    spec: Spec,
    plan: Plan,
    copies: Sequence[CopiedDisk],
    shown: Rehearsal,
    folder: Path,
    report: Callable[[str], None],
) -> Rehearsal:
    """Plan, build, look, reboot and look again; what is known when something fails is kept."""
    _settle(guest, copies)
    guest.shell(_STOP_ALL, check=False)
    text = write_spec(spec)
    seed = f"--seed={plan.seed}"
    answer = guest.run(
        ["raidtui", "plan", "-", "--json", seed], stdin=text, timeout=_LONGEST_LOOK, env=_ENVIRONMENT
    )
    if answer.returncode:
        return replace(shown, sentence=f"in the lab this spec gives no plan: {_last_line(answer.stderr)}")
    there = from_json(answer.stdout, Plan, origin="the plan in the lab")
    here, lab = (list(_commands(one)) for one in (plan, there))
    shown = replace(
        shown,
        left_out=tuple(one for one in here if one not in lab),
        instead=tuple(one for one in lab if one not in here),
    )
    high = ",".join(dict.fromkeys(one.id for one in there.hazards if one.severity is Severity.HIGH))
    words = ["raidtui", "apply", "-", seed, f"--erase={','.join(one.identity for one in there.erased)}"]
    words += [f"--accept={high}"] if high else []
    said = _Lines(report)
    building = guest.start(words, env=_ENVIRONMENT, sinks=(lambda _: None, said.take))
    building.write_all(text.encode())
    try:
        code = building.wait(_LONGEST_BUILD)
    except CommandTimeout:
        return replace(shown, sentence=f"the build in the lab did not end within {duration(_LONGEST_BUILD)}")
    shown = replace(shown, steps=_steps(plan, there, folder))
    if code:
        return replace(shown, sentence=f"the build failed in the lab: {_last_line(said.text)}")
    shown = replace(shown, usable_bytes=_usable(guest, plan))
    if shown.usable_bytes is not None and shown.usable_bytes != plan.array_bytes:
        return replace(
            shown,
            sentence=f"the usable space is {shown.usable_bytes:,} bytes in the lab, not {plan.array_bytes:,} as calculated",
        )
    place = plan.spec.filesystem.mountpoint
    if not place or not plan.spec.persistent:
        return replace(shown, passed=not shown.instead, sentence=_difference(shown))
    report("rebooting the lab")
    mark = f"{place}/{_MARK}"
    before = guest.run(["sh", "-c", 'head -c 1048576 /dev/urandom >"$1" && sha256sum "$1"', "sh", mark])
    guest.power_off()
    guest.power_on()
    _settle(guest, copies)
    after = guest.run(["sh", "-c", 'mountpoint -q "$2" && sha256sum "$1"', "sh", mark, place])
    same = before.returncode == 0 and (after.returncode, after.stdout) == (0, before.stdout)
    return replace(
        shown,
        after_reboot=same,
        passed=same and not shown.instead,
        sentence=_difference(shown)
        if same
        else f"after a reboot {harmless(place)} is not mounted with its files",
    )


class _Lines:
    """The lines of a command as they come; those that begin a step are reported."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.text = ""
        self._report = report
        self._rest = b""

    def take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in (one.decode(errors="replace") for one in lines):
            self.text += f"{line}\n"
            if line.startswith("["):
                self._report(harmless(line))


def _difference(shown: Rehearsal) -> str:
    return f"the lab ran other commands: {shown.instead[0]}" if shown.instead else ""


def _settle(guest: Guest, copies: Sequence[CopiedDisk]) -> None:
    """Hold back syncs, and let the copies of disks that rotate say so."""
    turning = [letter for letter, copy in zip(LETTERS, copies, strict=False) if copy.rotational]
    guest.shell(
        "; ".join([_HOLD_SYNC, *(f"echo 1 >/sys/block/ubd{letter}/queue/rotational" for letter in turning)])
    )


def _commands(plan: Plan) -> Iterator[str]:
    """Every command and edit of ``plan``, in order."""
    return (command_line(action) for step in plan.steps for action in step.actions)


def _steps(plan: Plan, there: Plan, folder: Path) -> tuple[RehearsedStep, ...]:
    """The steps of ``plan`` as the journal of the job in the lab shows; those that the lab does not have are left out."""
    journals = sorted((folder / "state" / "raidtui" / "jobs").glob("*/"))
    entries = read_journal(journals[-1]) if journals else ()
    ended = {one.step: one for one in entries if one.event in {Event.STEP_DONE, Event.STEP_FAILED}}
    known = {step.id for step in there.steps}
    return tuple(
        RehearsedStep(
            id=step.id,
            title=step.title,
            seconds=ended[step.id].seconds if step.id in ended else None,
            error=_error(ended.get(step.id)),
        )
        for step in plan.steps
        if step.id in known
    )


def _error(entry: Entry | None) -> str:
    return entry.text if entry is not None and entry.event is Event.STEP_FAILED else ""


def _usable(guest: Guest, plan: Plan) -> int | None:
    """The usable bytes of what was built, as the lab's kernel reports; None if it reports none."""
    answer = guest.run(["raidtui", "status", "--json"], timeout=_LONGEST_LOOK, env=_ENVIRONMENT)
    if answer.returncode:
        return None
    units: list[Mapping[str, Any]] = json.loads(answer.stdout)["units"]
    found = [one for one in units if one["uuid"] in plan.marks or set(one["marks"]) & set(plan.marks)]
    return found[0]["size_bytes"] if len(found) == 1 else None


def _last_line(text: str) -> str:
    return harmless(next((line for line in reversed(text.splitlines()) if line.strip()), "it said nothing"))
