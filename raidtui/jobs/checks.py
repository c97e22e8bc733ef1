"""Asks the machine the conditions of a plan: each `Check` becomes an answer with the reason for it."""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from raidtui.jobs.blockdev import (
    device_number,
    extent,
    node,
    opened,
    partition_at,
    partition_numbers,
    read_at,
)
from raidtui.jobs.commands import Commands
from raidtui.jobs.edits import has_line
from raidtui.jobs.geometry import reported_geometry
from raidtui.jobs.guard import same_uuid
from raidtui.jobs.mounts import Mounted, find_mounts
from raidtui.machine.arrays import read_arrays
from raidtui.machine.blocks import read_blocks
from raidtui.machine.claims import exclusive_error
from raidtui.machine.processes import read_openers
from raidtui.machine.signatures import probe
from raidtui.machine.tree import HERE
from raidtui.model.plan import Check, CheckKind
from raidtui.model.struct import Record

PATIENCE_SECONDS: Final = 10.0  # udev makes links, md starts arrays: a moment after the command has ended
_POLL_SECONDS: Final = 0.05
_GRAIN: Final = 4096  # a multiple of every logical sector
_DEAD_STATES: Final = frozenset({"", "clear", "inactive", "broken"})
_IMAGES: Final = ("/boot/initrd.img-{release}", "/boot/initramfs-{release}.img", "/boot/initrd-{release}")
_UNPACK_SECONDS: Final = 300


class Answer(Record, frozen=True, kw_only=True):
    """Whether a condition holds, and what was seen."""

    holds: bool
    text: str


class Checks:
    """Answers checks; ``held`` says whether a device is on a disk that this job holds itself."""

    def __init__(self, commands: Commands, *, held: Callable[[str], bool]) -> None:
        self._commands = commands
        self._held = held
        self._answers: dict[CheckKind, Callable[[Check], Answer]] = {
            CheckKind.PRESENT: self._present,
            CheckKind.PARTITION: self._partition,
            CheckKind.UNCLAIMED: self._unclaimed,
            CheckKind.ARRAY_RUNS: self._array_runs,
            CheckKind.ARRAY_GONE: self._array_gone,
            CheckKind.FILESYSTEM: self._filesystem,
            CheckKind.GEOMETRY: self._geometry,
            CheckKind.MOUNTED: self._mounted,
            CheckKind.NOT_MOUNTED: self._not_mounted,
            CheckKind.LINE_IN: self._line_in,
            CheckKind.LINE_NOT_IN: self._line_not_in,
            CheckKind.INITRAMFS_HAS: self._initramfs_has,
            CheckKind.INITRAMFS_LACKS: self._initramfs_lacks,
            CheckKind.DIRECTORY: self._directory,
        }

    def ask(self, checks: Sequence[Check], *, patience_seconds: float = 0) -> list[Answer]:
        """The answers, once all are yes or ``patience_seconds`` have passed."""
        deadline = time.monotonic() + patience_seconds
        answers: dict[int, Answer] = {}
        while True:
            left = [n for n in range(len(checks)) if n not in answers or not answers[n].holds]
            blank = [n for n in left if checks[n].kind is CheckKind.BLANK]
            answers |= dict(zip(blank, blank_answers([checks[n].subject for n in blank]), strict=True))
            answers |= {n: self._answers[checks[n].kind](checks[n]) for n in left if n not in blank}
            if all(answer.holds for answer in answers.values()) or time.monotonic() >= deadline:
                return [answers[n] for n in range(len(checks))]
            time.sleep(_POLL_SECONDS)

    def _present(self, check: Check) -> Answer:
        number = device_number(check.subject)
        return _yes(f"{check.subject} is there ({number})") if number else _no(f"there is no {check.subject}")

    def _partition(self, check: Check) -> Answer:
        number = partition_at(check.subject)
        if not number:
            return _no(f"there is no partition {check.subject}")
        start, size = extent(number)
        text = f"{check.subject} has {size} bytes from byte {start}"
        return Answer(holds=f"{start} {size}" == check.expect, text=text)

    def _unclaimed(self, check: Check) -> Answer:
        if self._held(check.subject):
            return _yes(f"{check.subject} is held by this job")
        problem = exclusive_error(check.subject) or _other_user(check.subject)
        return _no(f"{check.subject}: {problem}") if problem else _yes(f"nothing uses {check.subject}")

    def _array_runs(self, check: Check) -> Answer:
        for array in read_arrays():
            if same_uuid(array.uuid, check.subject):
                alive = sum("faulty" not in member.state for member in array.members)
                text = (
                    f"{array.node} is {array.level or 'an array'} of {array.raid_disks}, "
                    f"{array.state or 'not running'}, with {alive} working members"
                )
                runs = array.state not in _DEAD_STATES and alive >= array.raid_disks
                return Answer(holds=runs and f"{array.level} {array.raid_disks}" == check.expect, text=text)
        return _no(f"no array with the UUID {check.subject} is assembled")

    def _array_gone(self, check: Check) -> Answer:
        for array in read_arrays():
            if same_uuid(array.uuid, check.subject):
                return _no(f"{array.node} is still there, {array.state or 'not running'}")
        return _yes(f"no array with the UUID {check.subject} is assembled")

    def _filesystem(self, check: Check) -> Answer:
        if not device_number(check.subject):
            return _no(f"there is no {check.subject}")
        probed = probe([check.subject])
        if check.subject in probed.failed:
            return _unknown(check.subject, probed.failed[check.subject])
        found = probed.found[check.subject]
        kind, _, uuid = check.expect.partition(" ")
        text = f"{check.subject} has {', '.join(f'{s.type} {s.uuid}' for s in found) or 'no signature'}"
        holds = any(s.type == kind and same_uuid(s.uuid, uuid) for s in found)
        return Answer(holds=holds, text=text)

    def _geometry(self, check: Check) -> Answer:
        wanted = dict(word.split("=", 1) for word in check.expect.split())
        found = reported_geometry(check.subject, wanted)
        text = f"{check.subject} reports " + " ".join(f"{key}={found.get(key, 'nothing')}" for key in wanted)
        return Answer(holds=all(found.get(key) == value for key, value in wanted.items()), text=text)

    def _mounted(self, check: Check) -> Answer:
        mount = _mount_at(check.subject)
        if mount is None:
            return _no(f"nothing is mounted at {check.subject}")
        probed = probe([mount.source] if device_number(mount.source) else [])
        if mount.source in probed.failed:
            return _unknown(mount.source, probed.failed[mount.source])
        uuids = [s.uuid for s in probed.found.get(mount.source, ())]
        text = f"{mount.source} ({', '.join(uuids) or 'without a UUID'}) is mounted at {check.subject}"
        return Answer(holds=any(same_uuid(uuid, check.expect) for uuid in uuids), text=text)

    def _not_mounted(self, check: Check) -> Answer:
        number = device_number(check.subject)
        for mount in find_mounts():
            if mount.target == os.path.normpath(check.subject) or (
                number and number in {mount.device_number, device_number(mount.source)}
            ):
                return _no(f"{mount.source} is mounted at {mount.target}")
        return _yes(f"{check.subject} is not mounted")

    def _line_in(self, check: Check) -> Answer:
        return self._line(check, wanted=True)

    def _line_not_in(self, check: Check) -> Answer:
        return self._line(check, wanted=False)

    def _line(self, check: Check, *, wanted: bool) -> Answer:
        there = has_line(check.subject, check.expect)
        return Answer(
            holds=there is wanted,
            text=f"{check.subject} {'has' if there else 'does not have'} the line {check.expect!r}",
        )

    def _initramfs_has(self, check: Check) -> Answer:
        return self._initramfs(check, wanted=True)

    def _initramfs_lacks(self, check: Check) -> Answer:
        return self._initramfs(check, wanted=False)

    def _initramfs(self, check: Check, *, wanted: bool) -> Answer:
        release = check.subject
        image = next((path for one in _IMAGES if os.path.exists(path := one.format(release=release))), None)
        if image is None:
            return _no(f"the kernel {release} has no initramfs in /boot")
        lines = self._configuration_inside(image)
        if lines is None:
            return _no(f"{image} cannot be unpacked, so its mdadm.conf is not known")
        there = check.expect.strip() in lines
        text = (
            f"the mdadm.conf inside {image} {'has' if there else 'does not have'} the line {check.expect!r}"
        )
        return Answer(holds=there is wanted, text=text)

    def _configuration_inside(self, image: str) -> set[str] | None:
        """The lines of the mdadm.conf that the boot will see; ``None`` if the image cannot be looked into."""
        if not os.access("/usr/bin/unmkinitramfs", os.X_OK):
            listed = self._commands.run(
                ["lsinitrd", "-f", "etc/mdadm.conf", image], timeout_seconds=_UNPACK_SECONDS
            )
            return None if listed.returncode else {line.strip() for line in listed.stdout.splitlines()}
        # lsinitramfs names the files only; their content takes unpacking.
        with tempfile.TemporaryDirectory(prefix="raidtui-initramfs-") as folder:
            unpacked = self._commands.run(["unmkinitramfs", image, folder], timeout_seconds=_UNPACK_SECONDS)
            if unpacked.returncode:
                return None
            inside = Path(folder)
            files = [*inside.glob("**/etc/mdadm/mdadm.conf"), *inside.glob("**/etc/mdadm.conf")]
            return {line.strip() for file in files for line in file.read_text(errors="replace").splitlines()}

    def _directory(self, check: Check) -> Answer:
        path = Path(check.subject)
        if not path.is_dir():
            return _no(f"{path} is not a directory")
        if (real := os.path.realpath(path)) != str(path):
            # mount(8) follows the link, and what is mounted is then found at the other name only.
            return _no(f"{path} is a link or below one; use {real} as the mount point")
        if _mount_at(check.subject) is not None:
            return _no(f"something is mounted at {path}")
        return _no(f"{path} is not empty") if any(path.iterdir()) else _yes(f"{path} is an empty directory")


def blank_answers(paths: Sequence[str]) -> list[Answer]:
    """Whether each device and its partitions can be read and have no signature; one probe for all of them."""
    numbers = {path: device_number(path) for path in paths}
    nodes = {
        path: [node(one) for one in (number, *partition_numbers(number))] if number else []
        for path, number in numbers.items()
    }
    unreadable = {path: problem for some in nodes.values() for path in some if (problem := _read_error(path))}
    every = [path for some in nodes.values() for path in some if path not in unreadable]
    probed = probe(every)
    unreadable |= probed.failed
    answers = []
    for path in paths:
        problems = [unreadable[one] for one in nodes[path] if one in unreadable]
        found = [f"{s.type} on {one}" for one in nodes[path] for s in probed.found.get(one, ())]
        if not numbers[path]:
            answers.append(_no(f"{path} does not exist"))
        elif problems or found:
            answers.append(_no(f"{path}: {', '.join([*problems, *found])}"))
        else:
            answers.append(_yes(f"{path} is blank"))
    return answers


def _other_user(path: str) -> str:
    """Who uses the device at ``path`` without a claim: a loop device over it, or a process that has it open."""
    blocks = read_blocks(HERE)
    whole = blocks.by_number.get(device_number(path))
    devices = (whole, *blocks.parts(whole)) if whole else ()
    loops = [above.path for one in devices for above in blocks.on(one) if above.loop_file]
    if loops:
        return f"the loop device {loops[0]} shows it"
    openers = read_openers(HERE, blocks) if devices else {}
    found = [
        f"raidtui job {o.job} is using it" if o.job else f"process {o.pid} ({o.name}) has it open"
        for one in devices
        for o in openers.get(one.number, ())
    ]
    return found[0] if found else ""


def _read_error(path: str) -> str:
    """Why nothing can be read from ``path``: a probe finds no signature on such a device either."""
    try:
        with opened(path, os.O_RDONLY) as fd:
            read_at(fd, 0, _GRAIN)
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    return ""


def _mount_at(target: str) -> Mounted | None:
    """The mount that is seen at ``target``: the last of several on top of each other."""
    found = [mount for mount in find_mounts() if mount.target == os.path.normpath(target)]
    return found[-1] if found else None


def _unknown(path: str, problem: str) -> Answer:
    return _no(f"cannot read what is on {path}: {problem}")


def _yes(text: str) -> Answer:
    return Answer(holds=True, text=text)


def _no(text: str) -> Answer:
    return Answer(holds=False, text=text)
