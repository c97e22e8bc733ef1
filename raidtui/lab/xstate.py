"""A small library preloaded into user-mode Linux, for processors with more registers than it can handle.

User-mode Linux before 6.13 reserves 2696 bytes of vector registers for each of its tasks, enough up to AVX-512.
``ptrace(PTRACE_SETREGSET, …, NT_X86_XSTATE)`` accepts only the whole register file: on a processor with AMX,
11 008 bytes, it returns EFAULT and the guest dies with its first process. The library replaces libc's ``ptrace`` and
extends that one request. The registers that it appends are not in use by any program in the guest, because a guest
kernel cannot grant AMX.

The machine code is written out here, one instruction per line, because the lab must start on computers without a
compiler. The code is at `_TEXT`, its data at `_DATA`: the address of libc's ``__errno_location``, the length of the
register file as the host's kernel reports it, and on the next page a buffer for the registers.
"""

import struct
from typing import Final

_TEXT: Final = 0x400
_DATA: Final = 0x1000
_BUFFER: Final = 0x2000
_BUFFER_SIZE: Final = 0x4000

_CODE: Final = bytes.fromhex(
    # long ptrace(int request, pid_t pid, void *kind, struct iovec *data)
    "53"  # 400: push rbx
    "55"  # 401: push rbp
    "4883ec18"  # 402: sub rsp,24                   an iovec and one word
    "4989ca"  # 406: mov r10,rcx                    data, where the system call wants it
    "4881fa02020000"  # 409: cmp rdx,0x202          NT_X86_XSTATE?
    "0f859f000000"  # 410: jne 4b5 <plain>
    "81ff04420000"  # 416: cmp edi,0x4204           PTRACE_GETREGSET?
    "7446"  # 41c: je 464 <get>
    "81ff05420000"  # 41e: cmp edi,0x4205           PTRACE_SETREGSET?
    "0f858b000000"  # 424: jne 4b5 <plain>
    # set: copy the caller's registers into the buffer and pass the buffer on at full length
    "498b4a08"  # 42a: mov rcx,[r10+8]
    "483b0dd30b0000"  # 42e: cmp rcx,[1008]         long enough already?
    "737e"  # 435: jae 4b5 <plain>
    "4889f3"  # 437: mov rbx,rsi
    "4889fd"  # 43a: mov rbp,rdi
    "498b32"  # 43d: mov rsi,[r10]
    "488d3db91b0000"  # 440: lea rdi,[2000]
    "48893c24"  # 447: mov [rsp],rdi
    "f3a4"  # 44b: rep movsb
    "488b0db40b0000"  # 44d: mov rcx,[1008]
    "48894c2408"  # 454: mov [rsp+8],rcx
    "4889de"  # 459: mov rsi,rbx
    "4889ef"  # 45c: mov rdi,rbp
    "4989e2"  # 45f: mov r10,rsp
    "eb51"  # 462: jmp 4b5 <plain>
    # get: read everything into the buffer, store its length, return as much as the caller has room for
    "4c89d5"  # 464: mov rbp,r10
    "488d05921b0000"  # 467: lea rax,[2000]
    "48890424"  # 46e: mov [rsp],rax
    "48c744240800400000"  # 472: mov qword [rsp+8],0x4000
    "4989e2"  # 47b: mov r10,rsp
    "b865000000"  # 47e: mov eax,101
    "0f05"  # 483: syscall
    "4885c0"  # 485: test rax,rax
    "785c"  # 488: js 4e6 <failed>
    "488b4c2408"  # 48a: mov rcx,[rsp+8]
    "48890d720b0000"  # 48f: mov [1008],rcx
    "483b4d08"  # 496: cmp rcx,[rbp+8]
    "7604"  # 49a: jbe 4a0
    "488b4d08"  # 49c: mov rcx,[rbp+8]
    "48894d08"  # 4a0: mov [rbp+8],rcx
    "488d35551b0000"  # 4a4: lea rsi,[2000]
    "488b7d00"  # 4ab: mov rdi,[rbp]
    "f3a4"  # 4af: rep movsb
    "31c0"  # 4b1: xor eax,eax
    "eb45"  # 4b3: jmp 4fa <done>
    # plain: what libc does; PTRACE_PEEK* (requests 1 to 3) return the word itself and clear errno
    "8d5fff"  # 4b5: lea ebx,[rdi-1]
    "83fb03"  # 4b8: cmp ebx,3
    "7305"  # 4bb: jae 4c2
    "4c8d542410"  # 4bd: lea r10,[rsp+16]
    "b865000000"  # 4c2: mov eax,101
    "0f05"  # 4c7: syscall
    "4885c0"  # 4c9: test rax,rax
    "7818"  # 4cc: js 4e6 <failed>
    "83fb03"  # 4ce: cmp ebx,3
    "7327"  # 4d1: jae 4fa <done>
    "ff15270b0000"  # 4d3: call [1000]
    "c70000000000"  # 4d9: mov dword [rax],0
    "488b442410"  # 4df: mov rax,[rsp+16]
    "eb14"  # 4e4: jmp 4fa <done>
    # failed: errno = -rax; return -1
    "4889c3"  # 4e6: mov rbx,rax
    "f7db"  # 4e9: neg ebx
    "ff150f0b0000"  # 4eb: call [1000]
    "8918"  # 4f1: mov [rax],ebx
    "48c7c0ffffffff"  # 4f3: mov rax,-1
    # done
    "4883c418"  # 4fa: add rsp,24
    "5d"  # 4fe: pop rbp
    "5b"  # 4ff: pop rbx
    "c3"  # 500: ret
)

# The constants of elf(5) that a shared library with one function needs.
_PT_LOAD, _PT_DYNAMIC, _PT_GNU_STACK = 1, 2, 0x6474E551
_READ, _WRITE, _EXECUTE = 4, 2, 1
_DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_RELAENT, _DT_STRSZ, _DT_SYMENT = (
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
)
_GLOBAL_FUNCTION = 0x12
_R_X86_64_GLOB_DAT = 6


def preload_library() -> bytes:
    """The library as a file: an ELF shared object for x86-64 that defines ``ptrace``."""
    names = b"\0ptrace\0__errno_location\0"
    symbols = b"".join(
        struct.pack("<IBBHQQ", name, info, 0, section, value, size)
        for name, info, section, value, size in (
            (0, 0, 0, 0, 0),
            (names.index(b"ptrace"), _GLOBAL_FUNCTION, 1, _TEXT, len(_CODE)),
            (names.index(b"__errno"), _GLOBAL_FUNCTION, 0, 0, 0),
        )
    )
    hash_table = struct.pack("<6I", 1, 3, 1, 0, 2, 0)  # one bucket, holding the symbols 1 and 2
    relocation = struct.pack("<QQq", _DATA, 2 << 32 | _R_X86_64_GLOB_DAT, 0)

    headers = 64 + 4 * 56
    at_symbols = headers
    at_names = at_symbols + len(symbols)
    at_hash = -(-(at_names + len(names)) // 8) * 8
    at_relocation = at_hash + len(hash_table)
    at_dynamic = _DATA + 16
    dynamic = b"".join(
        struct.pack("<QQ", tag, value)
        for tag, value in (
            (_DT_HASH, at_hash),
            (_DT_STRTAB, at_names),
            (_DT_SYMTAB, at_symbols),
            (_DT_RELA, at_relocation),
            (_DT_RELASZ, len(relocation)),
            (_DT_RELAENT, len(relocation)),
            (_DT_STRSZ, len(names)),
            (_DT_SYMENT, 24),
            (0, 0),
        )
    )
    data_size = at_dynamic + len(dynamic) - _DATA

    def segment(kind: int, flags: int, address: int, file_size: int, size: int) -> bytes:
        return struct.pack("<IIQQQQQQ", kind, flags, address, address, address, file_size, size, 0x1000)

    image = bytearray(at_dynamic + len(dynamic))

    def put(address: int, content: bytes) -> None:
        image[address : address + len(content)] = content

    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    put(0, ident + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 4, 64, 0, 0))
    put(
        64,
        segment(_PT_LOAD, _READ | _EXECUTE, 0, _TEXT + len(_CODE), _TEXT + len(_CODE))
        + segment(_PT_LOAD, _READ | _WRITE, _DATA, data_size, _BUFFER + _BUFFER_SIZE - _DATA)
        + segment(_PT_DYNAMIC, _READ | _WRITE, at_dynamic, len(dynamic), len(dynamic))
        + segment(_PT_GNU_STACK, _READ | _WRITE, 0, 0, 0),
    )
    put(at_symbols, symbols)
    put(at_names, names)
    put(at_hash, hash_table)
    put(at_relocation, relocation)
    put(_TEXT, _CODE)
    put(at_dynamic, dynamic)
    return bytes(image)
