"""Record every write and flush of a guest's disks, on all disks in one order, without a compiler or a module.

User-mode Linux hands the requests of all disks to one helper process: it reads pointers to them from a pipe, and calls
pwrite64 for a write and fallocate for a discard. The recorder traces that process with ptrace, so what is recorded is
what really went to the files, in the order in which it went there. dm-log-writes keeps one log a device, without an
order between devices, and would put a layer under the members that users do not have.

A flush is a request without a part. Kernel 6.1 makes no system call for it, so it is read from the pipe, before the
writes of the same batch: the kernel was not told yet that these are done, so it cannot have meant them.
"""

import ctypes
import os
import re
import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

WRITE, DISCARD, FLUSH = "write", "discard", "flush"

_SEIZE, _INTERRUPT, _SYSCALL, _SYSCALL_INFO = 0x4206, 0x4207, 24, 0x420E
_OPTIONS: Final = 1  # PTRACE_O_TRACESYSGOOD: a stop at a system call differs from a signal
_WALL: Final = 0x40000000  # the helper is a clone, not a child
_EVENT_STOP: Final = 128
_INFO: Final = struct.Struct("<B3xIQQQ6Q")  # struct ptrace_syscall_info: kind, …, number or result, arguments
_ENTRY, _EXIT = 1, 2
_READ, _PWRITE64, _FSYNC, _FDATASYNC, _FALLOCATE = 0, 18, 74, 75, 285
_REQUEST: Final = struct.Struct(
    "<QiiQQQiii"
)  # struct io_thread_req: …, fds[2], offsets[2], offset, size, error, parts
_POINTER: Final = 8
_PATIENCE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Record:
    """One request: its kind, the disk's number, and where and how long it is, in bytes."""

    kind: str
    disk: int
    offset: int = 0
    length: int = 0
    at: int = -1
    """Where the bytes of a write stand in the file of data; -1: all of them are zero."""


class Recorder:
    """Records while it is on; ``records`` only ever grows.

    Args:
        kernel: the process of the guest's kernel.
        files: the files of the disks, in order.
        data: the file for the written bytes.
    """

    def __init__(self, kernel: int, files: Sequence[Path], data: Path) -> None:
        self.records: list[Record] = []
        self.failed: list[str] = []
        self._files = {os.stat(file).st_ino: number for number, file in enumerate(files)}
        self._data = data.open("wb")
        self._read_into = 0
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.ptrace.restype = ctypes.c_long
        self._libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(helper_of(kernel),), daemon=True)
        self._thread.start()
        assert self._ready.wait(_PATIENCE_SECONDS), self.failed

    def end(self) -> None:
        """Wait for the end of the guest, which must be off already."""
        self._thread.join(_PATIENCE_SECONDS)
        self._data.close()
        assert not self.failed, self.failed

    def _ptrace(self, request: int, pid: int, address: object = None, argument: object = None) -> int:
        done = int(self._libc.ptrace(request, pid, address, argument))
        if done < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), f"ptrace {request:#x}")
        return done

    def _follow(self, pid: int) -> None:
        try:
            self._ptrace(_SEIZE, pid, None, _OPTIONS)
            self._ptrace(_INTERRUPT, pid)
            memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
            while True:
                _, status = os.waitpid(pid, _WALL)
                if not os.WIFSTOPPED(status):
                    return
                self._ready.set()
                signal = os.WSTOPSIG(status)
                if signal & 0x80:
                    self._note(pid, memory)
                    signal = 0
                elif status >> 16 == _EVENT_STOP:
                    signal = 0
                self._ptrace(_SYSCALL, pid, None, signal)
        except ProcessLookupError:
            return  # the guest was cut off
        except Exception as error:  # a thread has nobody else to tell
            self.failed.append(repr(error))

    def _note(self, pid: int, memory: int) -> None:
        """Record what the system call at hand changes on a disk."""
        info = ctypes.create_string_buffer(_INFO.size)
        self._ptrace(_SYSCALL_INFO, pid, len(info), info)
        kind, _, _, _, number, *words = _INFO.unpack_from(info)
        if kind == _ENTRY:
            self._read_into = words[1] if number == _READ else 0
            if number in {_PWRITE64, _FSYNC, _FDATASYNC, _FALLOCATE}:
                self._record(pid, memory, number, words)
        elif kind == _EXIT and self._read_into and 0 < number < 2**63 and not number % _POINTER:
            for (address,) in struct.iter_unpack("<Q", os.pread(memory, number, self._read_into)):
                request = os.pread(memory, _REQUEST.size, address)
                if not request:
                    raise ProcessLookupError  # its memory has gone: the guest is being cut off
                _, descriptor, *_, parts = _REQUEST.unpack(request)
                if parts == 0:
                    self._record(pid, memory, _FSYNC, [descriptor])

    def _record(self, pid: int, memory: int, call: int, words: Sequence[int]) -> None:
        disk = self._files.get(os.stat(f"/proc/{pid}/fd/{words[0]}").st_ino)
        if disk is None:
            return
        if call == _PWRITE64:
            content, at = os.pread(memory, words[2], words[1]), -1
            assert len(content) == words[2]
            if content.strip(b"\0"):
                at = self._data.tell()
                self._data.write(content)
            self.records.append(Record(WRITE, disk, words[3], words[2], at))
        elif call == _FALLOCATE:
            self.records.append(Record(DISCARD, disk, words[2], words[3]))
        else:
            self.records.append(Record(FLUSH, disk))


def helper_of(kernel: int) -> int:
    """The helper for the disks: the first of the kernel's threads, or of the processes that it does not trace.

    Linux 7.2 has threads where 6.1 has processes, and with seccomp it traces none of its processes.
    """
    threads = {int(one.name) for one in Path(f"/proc/{kernel}/task").iterdir()} - {kernel}
    if threads:
        return min(threads)
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                status = (folder / "status").read_text(encoding="ascii", errors="replace")
            except OSError:
                continue
            known = dict(re.findall(r"^(PPid|TracerPid):\s*(\d+)$", status, re.MULTILINE))
            if known == {"PPid": str(kernel), "TracerPid": "0"}:
                found.append(int(folder.name))
    return min(found)


def kernel_of(keeper: int) -> int:
    """The process of the guest's kernel: the child of its keeper."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text(encoding="ascii").split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise AssertionError("the guest has no kernel")
