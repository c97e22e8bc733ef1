"""Try candidates one after the other, and end with nothing left behind or with the best one mounted read-only."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.jobs.commands import Commands
from raidtui.jobs.durable import make_folder
from raidtui.jobs.lock import held
from raidtui.jobs.recovering import record as records
from raidtui.jobs.recovering.contents import Looker
from raidtui.jobs.recovering.held import is_read_only
from raidtui.jobs.recovering.names import RULES_TEXT
from raidtui.jobs.recovering.not_taken import NotTaken
from raidtui.jobs.recovering.record import FOLDER, quiet_udev, set_read_only, undo, unmount
from raidtui.jobs.recovering.stack import Stack, load_modules
from raidtui.jobs.recovering.tool import do
from raidtui.jobs.recovering.words import seen
from raidtui.jobs.root import check_root
from raidtui.jobs.state_folder import disks_below
from raidtui.machine import recovery_trial
from raidtui.machine.blocks import whole_disks
from raidtui.machine.contents.partition_places import read_partitions
from raidtui.machine.devices import device_number
from raidtui.machine.recovery_trial import TrialRecord, read_record
from raidtui.machine.tools import find_tool
from raidtui.model.errors import Refused, StepFailed, ToolMissing
from raidtui.model.recovery import Candidate, Source, Tried, Way, ranked
from raidtui.model.text import count_of
from raidtui.model.units import GIB, MIB, binary, both

IN_MEMORY: Final = "/dev/shm"
_TOOLS: Final = ("dmsetup", "losetup", "blockdev", "blkid", "mount", "umount")
_LEAST_ROOM: Final = 64 * MIB
_MOST_ROOM: Final = 8 * GIB
_FULL: Final = 0.95  # of the overlay: the attempt ends before it overflows
_CHECKED: Final = 12  # candidates with files on which fsck is run
_AFTER: Final = {Way.ORDER: 8, Way.METADATA: 2}
"""How many are tried after one that looks right: another order may look right too; older metadata can be compared."""
_PATIENCE: Final = 1.0


class Trial(NamedTuple):
    """What is at hand while a trial lasts."""

    stack: Stack
    commands: Commands
    mountpoint: str
    record: TrialRecord


def clean() -> str:
    """Undo a trial that was not ended; return what it was of, empty if there was none.

    Raises:
        Refused: it is still running, or not root.
        StepFailed: something of it is in use.
    """
    check_root()
    with _locked():
        found = read_record()
        if found is None:
            return ""
        undo(Commands(recovery_trial.place()), found)
        return found.name


def begin() -> None:
    """Undo what a killed trial left behind.

    Raises:
        Refused: the files of another trial are mounted for a person, or it runs.
        StepFailed: something of it is in use.
    """
    check_root()
    with _locked():
        before = read_record()
        if before is None:
            return
        if before.kept and records.is_same_boot(before):
            raise Refused(
                f"the files of {before.name} are mounted at {before.mounted_at} for a recovery; end it first with 'raidtui recover "
                "--clean'"
            )
        undo(Commands(recovery_trial.place()), before)


def check_ready(folder: str, sources: Sequence[Source], mountpoint: str, register: Sequence[str] = ()) -> int:
    """Check what a trial needs, for the arguments of `trial`; return how large the overlay of an array may become.

    Raises:
        Refused: not root; ``folder`` is not there, is on a member, or has no room; ``mountpoint`` is not a folder.
        ToolMissing: a program is missing.
    """
    check_root()
    if missing := [tool for tool in (*_TOOLS, *register[:1]) if find_tool(tool) is None]:
        raise ToolMissing(f"{missing[0]} is not installed; 'raidtui doctor' says what to install")
    _check_mountpoint(mountpoint)
    return _room(folder, sources)


@contextmanager
def trial(
    name: str, sources: Sequence[Source], folder: str, mountpoint: str, register: Sequence[str] = ()
) -> Iterator[Trial]:
    """Set the members read-only and keep udev away; undo it all at the end unless the record says that it is kept.

    `begin` must have been called.

    Args:
        folder: where the overlays are; not on a disk of the members.
        mountpoint: where the files can be seen; a folder that is made if it is not there.
        register: the command by which the kernel gets to know a member; empty if it knows none.

    Raises:
        Refused: a member is in use or has no room, or another trial runs.
        ToolMissing: a program is missing.
        StepFailed: the kernel refuses something.
    """
    room = check_ready(folder, sources, mountpoint, register)
    make_folder(recovery_trial.place())
    with _locked():
        commands = Commands(recovery_trial.place())
        place = tempfile.mkdtemp(prefix=FOLDER, dir=folder)
        devices = [one.path for one in sources if not one.image]
        record = TrialRecord(
            name=name,
            folder=place,
            boot=records.this_boot(),
            read_only=tuple(path for path in devices if not is_read_only(path)),
            mounted_at=mountpoint,
            members=tuple(devices),
            register=tuple(register),
        )
        records.write(record)
        try:
            load_modules(commands)
            quiet_udev(commands, RULES_TEXT)
            set_read_only(commands, record.read_only, on=True)
            nodes: dict[str, str] = {}
            for one in sources:
                nodes[one.name] = one.path
                if one.image:
                    argv = ["losetup", "--find", "--show", "--read-only", os.path.realpath(one.path)]
                    nodes[one.name] = do(commands, argv).strip()
                    record = replace(record, loops=(*record.loops, nodes[one.name]))
                    records.write(record)
            os.makedirs(mountpoint, exist_ok=True)
            stack = Stack(commands, Path(place), nodes, room, register)
            yield Trial(stack, commands, mountpoint, record)
        finally:
            now = read_record()
            if now is None or not now.kept:
                undo(commands, now or record)


def attempt(here: Trial, candidates: Sequence[Candidate], report: Callable[[str], None]) -> list[Tried]:
    """Put each candidate together, look at its files, and check the filesystem of the first that have some.

    Args:
        report: gets a line about each: "[3/12] LAB-0001 LAB-0003: ext4, 41,203 files".

    Returns:
        What was tried, the most likely first.

    Raises:
        StepFailed: an overlay cannot be made, or something cannot be removed: nothing more is known of any.
    """
    found: list[Tried] = []
    waiting = list(candidates)
    right: dict[
        str, int
    ] = {}  # of each volume the number of the first that looks right, as far as it can be checked
    for number, candidate in enumerate(waiting, 1):
        first = right.get(candidate.of, 0)
        if first and number > first + _AFTER.get(candidate.way, len(waiting)):
            continue
        if candidate.unmounted and any(one.found for one in found):
            continue
        tried, parts = _one(here, candidate, checked=sum(one.clean is not None for one in found))
        if parts:
            waiting[number:number] = parts
            report(f"[{number}/{len(waiting)}] {candidate.words}: {count_of(parts, 'partition')}")
            continue
        found.append(tried)
        if tried.right or (candidate.filesystem and tried.sound):
            right.setdefault(candidate.of, number)
        report(f"[{number}/{len(waiting)}] {candidate.words}: {seen(tried)}")
    return ranked(found)


def keep(here: Trial, tried: Tried, number: int) -> None:
    """Leave the files of a candidate, ``number`` of the last list, mounted, read-only, when the trial ends.

    Raises:
        StepFailed: it cannot be mounted.
    """
    here.stack.put_together(tried.candidate)
    why = _looker(here, tried.candidate).mount(tried.contents)
    if why:
        raise StepFailed(f"it cannot be mounted at {here.mountpoint}: {why}")
    record = read_record() or here.record
    records.write(replace(record, kept=True, number=number))


def copy_out(here: Trial, tried: Tried, folder: str) -> int:
    """Copy the files of a candidate that is not mounted to ``folder``; return how many are there then.

    Raises:
        StepFailed: nothing was copied.
    """
    try:
        here.stack.put_together(tried.candidate)
        _looker(here, tried.candidate).copy_out(tried.contents, folder)
    finally:
        here.stack.take_apart()
    copied = sum(len(names) for _, _, names in os.walk(folder))
    if not copied:
        raise StepFailed(f"no file could be copied to {folder}")
    return copied


def check_target(folder: str, sources: Sequence[Source]) -> None:
    """Check that files can be copied to ``folder``: an empty one, and not on a member.

    Raises:
        Refused: it is not.
    """
    try:
        if os.listdir(folder):
            raise Refused(f"{folder} is not empty; name a new folder")
    except OSError as error:
        raise Refused(f"{folder} cannot be used: {error.strerror}; make it first") from error
    _check_elsewhere(folder, sources, "--copy-to FOLDER")


def _one(here: Trial, candidate: Candidate, *, checked: int) -> tuple[Tried, list[Candidate]]:
    """What was seen of a candidate; or, where a partition table is, each of its partitions as a candidate."""
    tried = Tried(candidate=candidate)
    if candidate.why_not:
        return replace(tried, problem=candidate.why_not, known=False), []
    try:
        here.stack.put_together(candidate)
        looker = _looker(here, candidate)
        tried = looker.files(replace(tried, pool_repaired=here.stack.pool_repaired))
        if not tried.contents and (parts := _partitions(here.stack.device, candidate)):
            return tried, parts
        # An order in which files cannot be read is a wrong one, whatever fsck says.
        ruled_out = candidate.way is Way.ORDER and tried.unreadable
        may_be_right = tried.found or candidate.way is Way.EVENTS
        if tried.mounted and may_be_right and checked < _CHECKED and not ruled_out:
            tried = looker.checked(tried)
    except NotTaken as error:
        tried = replace(tried, problem=str(error), known=error.known)
    finally:
        unmount(here.commands)
        here.stack.take_apart()
    return tried, []


def _partitions(device: str, candidate: Candidate) -> list[Candidate]:
    """The candidates for the partitions of ``device``. In an order that nothing confirms, a table means little."""
    if candidate.way is Way.ORDER or candidate.filesystem or candidate.length_bytes:
        return []
    return [
        replace(
            candidate,
            begin_bytes=one.begin,
            length_bytes=one.length,
            words=f"{candidate.words}, partition at {binary(one.begin)}",
        )
        for one in read_partitions(device)
    ]


def _looker(here: Trial, candidate: Candidate) -> Looker:
    def full() -> bool:
        return here.stack.filled() >= _FULL

    stack = here.stack
    return Looker(here.commands, stack.device, here.mountpoint, full, candidate, stack.others)


def _check_mountpoint(place: str) -> None:
    """Check that ``place`` is a folder, or can become one. Raises Refused: it cannot."""
    try:
        if not stat.S_ISDIR(os.stat(place).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Refused(
            f"nothing can be mounted at {place}: {error.strerror}; name a folder with --at"
        ) from error


def _room(folder: str, sources: Sequence[Source]) -> int:
    """How large the overlay of an array in ``folder`` may become.

    Raises:
        Refused: the folder is not there, is on a member, or has no room.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise Refused(f"the folder {folder} for the overlays cannot be used: {error.strerror}") from error
    _check_elsewhere(folder, sources, "--overlays FOLDER")
    if free // 2 < _LEAST_ROOM:
        raise Refused(
            f"{folder} has {both(free)} free, too little for overlays; name another folder: --overlays FOLDER"
        )
    return min(free // 2, _MOST_ROOM) // MIB * MIB


def _check_elsewhere(folder: str, sources: Sequence[Source], option: str) -> None:
    """Check that no member is under ``folder``. Raises Refused: one is."""
    under = disks_below(Path(folder))
    for one in sources:
        number = device_number(one.path)
        if number and under & {number, *whole_disks(number)}:
            raise Refused(
                f"the folder {folder} is on {one.name}, a member; name one on another disk: {option}"
            )


@contextmanager
def _locked() -> Iterator[None]:
    make_folder(recovery_trial.place())
    refusal = "a recovery trial runs already; wait for its end"
    with held(records.lock(), patience_seconds=_PATIENCE, refusal=refusal):
        yield


def sources_of(devices: Mapping[str, str]) -> tuple[Source, ...]:
    """The sources at these paths, by name; a path that is not a block device is an image.

    Raises:
        Refused: one cannot be read.
    """
    found = []
    for name, path in devices.items():
        number = device_number(path)
        try:
            size = (
                int(Path(f"/sys/dev/block/{number}/size").read_text()) * 512
                if number
                else os.stat(path).st_size
            )
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}") from error
        found.append(Source(name=name, path=path, size_bytes=size, image=not number))
    return tuple(found)
