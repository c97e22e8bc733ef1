"""Read files that are bounded: neither a pipe that never ends nor a disk's contents."""

import codecs
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.text import harmless
from raidtui.model.units import KIB, MIB

_BEGIN: Final = 4096  # bytes
_MOST_BYTES: Final = MIB  # a thousand times the usual size
_STREAMS: Final = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # what a shell passes as a file: <(command)


def read_bounded(path: str | Path, *, most: int) -> bytes:
    """Read the file ``path``. Pipes, sockets and devices are not opened.

    Args:
        most: bytes that it may have.

    Raises:
        OSError: it is missing, unreadable, larger, or not a file; ``strerror`` says which.
    """
    return b"".join(pieces_of(path, most=lambda _: most))


def pieces_of(path: str | Path, *, most: Callable[[bytes], int]) -> Iterator[bytes]:
    """Read the file ``path`` piece by piece, as `read_bounded` does; the first is its beginning, or all of it.

    Args:
        most: bytes that a file which begins with these may have.

    Raises:
        OSError: as `read_bounded`. What is too large is found there, after pieces that were good.
    """
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not (stat.S_ISFIFO(mode) and str(path).startswith(_STREAMS)):
            raise OSError(errno.EINVAL, f"it is {_kind(mode)}, not a file", str(path))
        # /proc/kmsg is a file to stat, and waits for the kernel's next message.
        waits = 0 if stat.S_ISFIFO(mode) else os.O_NONBLOCK
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | waits)) as file:
            piece = file.read(_BEGIN)
            if piece is None:  # nothing is there yet
                raise OSError(errno.EAGAIN, "it has no end: reading it waits", str(path))
            limit, read = most(piece), len(piece)
            yield piece
            while read <= limit and (piece := file.read(min(MIB, limit + 1 - read))):
                read += len(piece)
                yield piece
    except ValueError as error:  # a NUL or a lone surrogate in the name
        raise OSError(errno.EINVAL, "that is not a file's name", str(path)) from error
    if read > limit:
        raise OSError(errno.EFBIG, f"it is larger than {_size(limit)}", str(path))


def _size(limit: int) -> str:
    return f"{limit // MIB} MiB" if limit >= MIB else f"{limit // KIB} KiB"


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def read_text(path: str, *, what: str) -> str:
    """Read the text file ``path``.

    Args:
        what: what the file should be, such as "spec", for errors.

    Raises:
        BadInput: the file is missing, unreadable, too large, or not UTF-8 text.
    """
    shown = harmless(path)
    try:
        content = read_bounded(path, most=_MOST_BYTES)
    except OSError as error:
        hint = f"; a {what} is a small TOML file" if error.errno == errno.EFBIG else ""
        raise BadInput(f"the {what} {shown} cannot be read: {error.strerror}{hint}") from error
    return _text(content, shown, what)


def read_input(*, what: str) -> str:
    """Read standard input; otherwise like `read_text`."""
    if sys.stdin is None:
        raise BadInput(f"standard input is closed; name a file with the {what}")
    try:
        content = sys.stdin.buffer.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"the {what} on standard input cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise BadInput(f"standard input is larger than 1 MiB; a {what} is a small TOML file")
    return _text(content, "standard input", what)


def _text(content: bytes, shown: str, what: str) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput(f"{shown} is text in UTF-16; save it as UTF-8")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown} is not text; a {what} is a small TOML file in UTF-8") from error
    if "\0" in text:
        raise BadInput(f"{shown} is not text: it has NUL bytes; a {what} is a small TOML file in UTF-8")
    return text
