"""Talk to a running user-mode Linux over its management console: a datagram with a command, and its answer."""

import os
import socket
import struct
import time
from pathlib import Path
from typing import Final

from raidtui.model.errors import StepFailed

_REQUEST: Final = struct.Struct("=III512s")  # magic, version, length, command
_MAGIC: Final = 0xCAFEBABE
_VERSION: Final = 2
_ANSWER: Final = struct.Struct("=III")  # error, whether more follows, length
_TIMEOUT: Final = 20.0
_BUSY_SECONDS: Final = 5.0  # udev opens a disk for a moment
_BUSY: Final = "Device is currently open"


def command(folder: Path, words: str) -> str:
    """Send a command to the user-mode Linux with this ``umid`` folder; return its complaint, empty if there is none.

    Raises:
        StepFailed: it does not answer.
    """
    # The path of a socket is limited to 107 bytes; that of the folder may be longer.
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.bind("")  # any free name, to be answered at
            line.settimeout(_TIMEOUT)
            text = words.encode()
            request = _REQUEST.pack(_MAGIC, _VERSION, len(text), text)
            line.sendto(request, f"/proc/self/fd/{place}/mconsole")
            said, more = b"", 1
            while more:
                answer = line.recv(4096)
                error, more, length = _ANSWER.unpack_from(answer)
                said += answer[_ANSWER.size : _ANSWER.size + length]
    except OSError as error:
        raise StepFailed(f"user-mode Linux does not answer: {error.strerror or error}") from error
    finally:
        os.close(place)
    return said.decode(errors="replace").strip("\0\n ") or "error" if error else ""


def remove(folder: Path, device: str) -> bool:
    """Take a disk away from the guest; return whether it is gone, which it is not while something has it open."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while said := command(folder, f"remove {device}"):
        if said != _BUSY:
            raise StepFailed(f"user-mode Linux refused to remove {device}: {said}")
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
