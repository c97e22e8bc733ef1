"""Processors whose registers are wider than the guest kernel can save.

User-mode Linux up to 6.12 keeps 2,696 bytes of vector state for each process of the guest. A processor with
AMX has 11,008, and the host's kernel only takes the whole: setting the state fails and init dies at once
(measured: "ptrace set fp regs failed, errno = 14"). The cure needs no compiler:

* a seccomp filter answers the one ptrace request that offers the wide state with an error, so that the guest
  kernel falls back to the 512 bytes that every x86-64 processor has;
* since AVX registers are then not saved from one process of the guest to the next, nobody there may use them:
  the C library and OpenSSL are told to leave them alone.
"""

import ctypes
import os
import struct
from pathlib import Path
from typing import Final

GUEST_ENVIRONMENT: Final = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2,-RTM,-ERMS,-XSAVEC,-XSAVE",
    "OPENSSL_ia32cap": "~0x1000000000000000:~0xFFFFFFFFFFFFFFFF",
}

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_SECCOMP_MODE_FILTER: Final = 2
_AUDIT_ARCH_X86_64: Final = 0xC000003E
_SYS_PTRACE: Final = 101
_PTRACE_GETREGSET: Final = 0x4204
_NT_X86_XSTATE: Final = 0x202
_EIO: Final = 5


def too_wide(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this processor has more vector state than the guest kernel can save: AMX, so far."""
    with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        flags = next((line for line in lines if line.startswith("flags")), "")
    return "amx_tile" in flags.split()


def _filter() -> bytes:
    """BPF: ptrace(PTRACE_GETREGSET, …, NT_X86_XSTATE, …) fails with EIO; everything else is allowed."""
    load, jump_if_equal, answer = 0x20, 0x15, 0x06
    program = [
        (load, 0, 0, 4),  # the architecture
        (jump_if_equal, 0, 7, _AUDIT_ARCH_X86_64),
        (load, 0, 0, 0),  # the system call
        (jump_if_equal, 0, 5, _SYS_PTRACE),
        (load, 0, 0, 16),  # its first argument
        (jump_if_equal, 0, 3, _PTRACE_GETREGSET),
        (load, 0, 0, 32),  # its third
        (jump_if_equal, 0, 1, _NT_X86_XSTATE),
        (answer, 0, 0, 0x00050000 | _EIO),
        (answer, 0, 0, 0x7FFF0000),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in program)


def hide_wide_state() -> None:
    """Put the filter on this process and all that it starts; call it in the child, right before exec."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = _filter()
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    program = Program(len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0
    ):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
