"""Look at what is on a device of a trial: mount it read-only, count its files, read a sample of them, check the filesystem."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering.by_copy import ext_copy, kind_by_copy, repair, write_superblock
from raidtui.machine.ask import ToolAnswer, ask_patiently
from raidtui.machine.contents.filesystem_copies import EXT
from raidtui.model.recovery import Candidate, Tried, Way
from raidtui.model.units import KIB, MIB

_MOUNTS: Final = {
    # With the journal, whose replay goes to the overlay; then without.
    **dict.fromkeys(EXT, ("ro", "ro,noload")),
    "xfs": ("ro,nouuid", "ro,nouuid,norecovery"),
    "btrfs": ("ro", "ro,rescue=all"),
}
_BLIND: Final = "rescue=all"  # ignoredatacsums is one of all: btrfs(5)
_CHECKS: Final = {
    **dict.fromkeys(EXT, ("e2fsck", "-f", "-n")),
    "xfs": ("xfs_repair", "-n"),
    "btrfs": ("btrfs", "check", "--readonly", "--force"),
}
_FOUND_ERRORS: Final = {**dict.fromkeys(EXT, 4), "xfs": 1, "btrfs": 1}
_COPIES: Final = {"btrfs": ("btrfs", "restore", "--ignore-errors")}
"""The commands that copy files out of what does not mount; with -v -v each names every file, and every folder twice."""
_COPIED, _FOLDER_DONE = "Restoring ", "Done searching /"
_NOT_OPENED: Final = "cannot open file system"
_OF_ANOTHER: Final = frozenset({"linux_raid_member", "ddf_raid_member", "isw_raid_member", "zfs_member"})
_SEVERAL: Final = 8  # blkid(8): it found signatures of several kinds, which contradict each other
_SAMPLE: Final = 48  # files
_OF_EACH: Final = 1 * MIB  # read of a file
_COUNT_SECONDS: Final = 120.0
_CHECK_SECONDS: Final = 1800.0
_COPY_SECONDS: Final = 14 * 86400.0
_STARTS: Final = {  # what files with these names begin with, at which byte
    ".jpg": (0, b"\xff\xd8\xff"),
    ".jpeg": (0, b"\xff\xd8\xff"),
    ".png": (0, b"\x89PNG"),
    ".pdf": (0, b"%PDF"),
    ".zip": (0, b"PK"),
    ".docx": (0, b"PK"),
    ".xlsx": (0, b"PK"),
    ".gz": (0, b"\x1f\x8b"),
    ".xz": (0, b"\xfd7zXZ"),
    ".flac": (0, b"fLaC"),
    ".mp4": (4, b"ftyp"),
    ".mov": (4, b"ftyp"),
    ".heic": (4, b"ftyp"),
    ".mkv": (0, b"\x1aE\xdf\xa3"),
}


class Looker:
    """Looks at one device; ``full`` says whether its overlay is about to overflow."""

    def __init__(
        self,
        commands: Commands,
        device: str,
        mountpoint: str,
        full: Callable[[], bool],
        candidate: Candidate,
        others: Sequence[str] = (),
    ) -> None:
        """``others``: the further devices of its filesystem."""
        self._commands = commands
        self._device = device
        self._at = mountpoint
        self._full = full
        self._candidate = candidate
        self._others = tuple(f"device={one}" for one in others)
        self._used = ""  # the options that it is mounted with
        self._repaired = False  # whether it was repaired on the overlay to be mounted

    def files(self, tried: Tried) -> Tried:
        """``tried`` with its contents and, mounted for the time being, its files."""
        kind = self._candidate.filesystem
        if not kind:
            answer = self._probed()
            if (
                answer.stdout.strip() in _OF_ANOTHER
                or answer.returncode == _SEVERAL
                or self._candidate.shape.lacks_a_part
            ):
                # Left behind by another array, at the end of the disks mostly: it hides what can be mounted. Where the end
                # is missing, blkid fails to read it, and says nothing.
                plain = self._probed("--match-types", ",".join(_MOUNTS))
                answer = plain if plain.stdout.strip() else answer
            kind = answer.stdout.strip() or kind_by_copy(self._device)
            tried = replace(tried, by_copy=bool(kind) and not answer.stdout.strip())
            if answer.returncode not in {0, 2}:  # 2: nothing is known there
                why = answer.stderr.strip()[-200:]
                return replace(tried, problem=f"blkid does not say what is on it: {why}", known=False)
        tried = replace(tried, contents=kind)
        if self._candidate.unmounted:
            return self._listed(tried)
        if kind not in _MOUNTS:
            return replace(tried, problem="" if kind else "no filesystem is there", known=not kind)
        if why := self.mount(kind):
            if self._full():
                why = "its overlay is full; name a folder with more room: --overlays FOLDER"
            return replace(tried, problem=f"it cannot be mounted: {why}", known=not self._full())
        try:
            seen = replace(tried, mounted=True, repaired=self._repaired, blind=_BLIND in self._used)
            return self._counted(seen)
        finally:
            self.unmount()

    def _probed(self, *options: str) -> ToolAnswer:
        argv = ["blkid", "--probe", "--output", "value", "--match-tag", "TYPE", *options, self._device]
        return ask_patiently(argv)

    def mount(self, kind: str) -> str:
        """Mount it read-only; return why that is impossible, empty if it is mounted."""
        if kind == "btrfs":
            write_superblock(self._commands, self._device)
        why = self._mount_as_it_is(kind)
        # In a wrong order a repair makes anything clean.
        if why and self._candidate.way is not Way.ORDER and repair(self._commands, kind, self._device):
            self._repaired = True
            why = self._mount_as_it_is(kind) and why
        return why

    def _mount_as_it_is(self, kind: str) -> str:
        """`mount` without a repair."""
        why = ""
        own = self._candidate.options
        copied = ext_copy(self._device) if kind in EXT else None
        by_copy = (f"sb={copied[0] * copied[1] // KIB}",) if copied is not None else ()
        for some in (own,) if own else _MOUNTS[kind]:
            options = ",".join((some, *by_copy, "nosuid", "nodev", "noexec", *self._others))
            argv = ["mount", "-t", kind, "-o", options, self._device, self._at]
            done = self._commands.run(argv, timeout_seconds=600)
            if done.returncode == 0:
                self._used = options
                return ""
            why = why or done.last_words
        return why

    def unmount(self) -> None:
        """Unmount it."""
        self._commands.run(["umount", self._at])

    def checked(self, tried: Tried) -> Tried:
        """``tried`` with what fsck says, which changes nothing.

        It was mounted before: without the replay of its journal fsck finds errors that are none.
        """
        if tried.contents not in _CHECKS:
            return tried
        copied = ext_copy(self._device) if tried.contents in EXT else None
        by_copy = ("-b", str(copied[0]), "-B", str(copied[1])) if copied is not None else ()
        argv = [*_CHECKS[tried.contents], *by_copy, *self._candidate.check, self._device]
        done = self._commands.run(argv, timeout_seconds=_CHECK_SECONDS)
        if done.returncode == 0:
            return replace(tried, clean=True)
        if _NOT_OPENED in done.stderr:  # btrfs: it has looked at nothing
            return replace(tried, fsck=f"{argv[0]} cannot open it")
        if done.returncode & _FOUND_ERRORS[tried.contents] and not done.timed_out and done.returncode > 0:
            return replace(tried, clean=False, fsck=done.last_words)
        why = "did not end in time" if done.timed_out else f"failed: {done.last_words}"
        return replace(tried, fsck=f"{argv[0]} {why}")

    def copy_out(self, kind: str, folder: str) -> None:
        """Copy the files to ``folder`` without a mount, with their owners, modes and times; what cannot be read is left out."""
        argv = [
            *_COPIES[kind],
            "--metadata",
            "--symlink",
            "--xattr",
            *self._candidate.check,
            self._device,
            folder,
        ]
        self._commands.run(argv, timeout_seconds=_COPY_SECONDS)

    def _listed(self, tried: Tried) -> Tried:
        """``tried`` with the number of files that could be copied out; none is read."""
        argv = [
            *_COPIES[tried.contents],
            "--dry-run",
            "-v",
            "-v",
            *self._candidate.check,
            self._device,
            self._at,
        ]
        done = self._commands.run(argv, timeout_seconds=_CHECK_SECONDS)
        lines = done.stdout.splitlines()
        files = sum(one.startswith(_COPIED) for one in lines) - sum(
            one.startswith(_FOLDER_DONE) for one in lines
        )
        why = "" if files > 0 else f"no file can be copied out: {done.last_words}"
        return replace(tried, files=max(0, files), problem=why)

    def _counted(self, tried: Tried) -> Tried:
        deadline = time.monotonic() + _COUNT_SECONDS
        files = newest = bad = 0
        sample: list[str] = []
        step = 1  # every so manieth file is in the sample
        whole = True
        for path, about in self._walk():
            files += 1
            if about is None:
                bad += 1
            elif stat.S_ISREG(about.st_mode):
                newest = max(newest, int(about.st_mtime))
                if files % step == 0 and about.st_size:
                    sample.append(path)
                    if len(sample) > 2 * _SAMPLE:
                        sample, step = sample[::2], step * 2
            if files % 256 == 0 and (time.monotonic() > deadline or self._full()):
                whole = False
                break
        read, unread, odd = self._sampled(sample[:: max(1, len(sample) // _SAMPLE)])
        return replace(
            tried,
            files=files,
            newest=newest,
            unreadable=bad + unread,
            unread=unread,
            counted_all=whole,
            sampled=read,
            odd=odd,
            problem="its overlay is full" if self._full() else "",
        )

    def _walk(self) -> Iterator[tuple[str, os.stat_result | None]]:
        """Every file with its status; a file or folder that cannot be read has none."""
        broken: list[OSError] = []
        for folder, _, names in os.walk(self._at, onerror=broken.append):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    yield path, os.lstat(path)
                except OSError:
                    yield path, None
            while broken:
                yield str(broken.pop().filename), None
        while broken:
            yield str(broken.pop().filename), None

    def _sampled(self, sample: list[str]) -> tuple[int, int, int]:
        """How many of these files were read, could not be read, and have other contents than their names say."""
        read = unread = odd = 0
        for path in sample:
            try:
                with open(path, "rb", buffering=0) as file:
                    begin = file.read(_OF_EACH)
            except OSError:
                unread += 1
                continue
            read += 1
            at, magic = _STARTS.get(os.path.splitext(path)[1].lower(), (0, b""))
            odd += begin[at : at + len(magic)] != magic
        return read, unread, odd
