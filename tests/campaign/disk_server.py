"""Serve a guest's disks over NBD, and record every write and flush on all disks in one order: for guests of QEMU.

QEMU asks for each disk on a connection of its own. One request after the other is carried out, in the order in which they
arrive, so the record is one of all disks. The protocol is that of the NBD project, fixed newstyle, with simple replies.
"""

import ctypes
import os
import selectors
import socket
import struct
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from tests.campaign.crashes import PUNCH, libc
from tests.campaign.recorder import DISCARD, FLUSH, WRITE, Record

_GREETING: Final = b"NBDMAGIC" + b"IHAVEOPT" + struct.pack(">H", 1 | 2)  # fixed newstyle, no zeroes
_OPTION: Final = struct.Struct(">8sII")  # magic, option, length
_ANSWER: Final = struct.Struct(">QIII")  # magic, option, kind, length
_ANSWER_MAGIC: Final = 0x3E889045565A9
_ABORT, _GO = 2, 7
_DONE, _INFO, _UNSUPPORTED = 1, 3, 0x80000001
_REQUEST: Final = struct.Struct(">IHHQQI")  # magic, flags, kind, cookie, offset, length
_REPLY: Final = struct.Struct(">IIQ")  # magic, error, cookie
_REPLY_MAGIC: Final = 0x67446698
_READ, _WRITE, _LEAVE, _FLUSH, _TRIM, _ZERO = 0, 1, 2, 3, 4, 6
_FLAGS: Final = 1 | 1 << 2 | 1 << 5 | 1 << 6  # flush, trim and writes of zeroes; no FUA: QEMU flushes instead


class DiskServer:
    """Serves the files in ``folder`` by their names, and records while it runs; ``records`` only ever grows.

    Args:
        place: the path of its socket.
        folder: of the files of the disks.
        data: the file for the written bytes.
    """

    def __init__(self, place: Path, folder: Path, data: Path) -> None:
        self.records: list[Record] = []
        self.names: list[str] = []
        """The files of the disks, in the order in which QEMU asked for them: so they are numbered in the records."""
        self.failed: list[str] = []
        self._place = place
        self._folder = folder
        self._data = data.open("wb")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(place))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def node(self, name: str) -> Mapping[str, object]:
        """What QEMU opens for a disk."""
        server = {"type": "unix", "path": str(self._place)}
        return {"driver": "nbd", "server": server, "export": name}

    def end(self) -> None:
        """Stop serving; the guest must be off already."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        self._data.close()
        assert not self.failed, self.failed

    def _serve(self) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(self._listener, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    try:
                        if key.fileobj is not self._listener:
                            if not key.data():
                                ready.unregister(key.fileobj)
                            continue
                        line, _ = self._listener.accept()
                        if (disk := self._open(line)) is not None:
                            ready.register(line, selectors.EVENT_READ, partial(self._answer, line, *disk))
                    except OSError as error:
                        if key.fileobj is self._listener:
                            return  # its end
                        self.failed.append(repr(error))
                        ready.unregister(key.fileobj)

    def _open(self, line: socket.socket) -> tuple[int, int] | None:
        """Agree with QEMU on a disk; return its number and an open file. None: QEMU only asked."""
        line.sendall(_GREETING)
        _exactly(line, 4)
        while True:
            _, option, length = _OPTION.unpack(_exactly(line, _OPTION.size))
            content = _exactly(line, length)
            if option == _ABORT:
                return None
            if option != _GO:
                line.sendall(_ANSWER.pack(_ANSWER_MAGIC, option, _UNSUPPORTED, 0))
                continue
            (size,) = struct.unpack_from(">I", content)
            name = content[4 : 4 + size].decode()
            file = os.open(self._folder / name, os.O_RDWR)
            export = struct.pack(">HQH", 0, os.fstat(file).st_size, _FLAGS)
            line.sendall(_ANSWER.pack(_ANSWER_MAGIC, option, _INFO, len(export)) + export)
            line.sendall(_ANSWER.pack(_ANSWER_MAGIC, option, _DONE, 0))
            self.names.append(name)
            return len(self.names) - 1, file

    def _answer(self, line: socket.socket, disk: int, file: int) -> bool:
        """Carry out one request; return whether another may follow."""
        head = _exactly(line, _REQUEST.size, or_nothing=True)
        if not head:
            return False
        _, _, kind, cookie, offset, length = _REQUEST.unpack(head)
        content = b""
        if kind == _LEAVE:
            return False
        if kind == _READ:
            content = os.pread(file, length, offset)
        elif kind == _WRITE:
            self._write(disk, file, offset, _exactly(line, length))
        elif kind == _FLUSH:
            self.records.append(Record(FLUSH, disk))
        else:
            if libc.fallocate(file, PUNCH, offset, length):
                raise OSError(ctypes.get_errno(), "fallocate")
            self.records.append(Record(WRITE if kind == _ZERO else DISCARD, disk, offset, length))
        line.sendall(_REPLY.pack(_REPLY_MAGIC, 0, cookie) + content)
        return True

    def _write(self, disk: int, file: int, offset: int, content: bytes) -> None:
        at = -1
        if content.strip(b"\0"):
            at = self._data.tell()
            self._data.write(content)
        os.pwrite(file, content, offset)
        self.records.append(Record(WRITE, disk, offset, len(content), at))


def _exactly(line: socket.socket, length: int, *, or_nothing: bool = False) -> bytes:
    """The next ``length`` bytes; nothing at the end, if that may be."""
    content = b""
    while len(content) < length:
        piece = line.recv(length - len(content))
        if not piece:
            if or_nothing and not content:
                return b""
            raise ConnectionError("QEMU closed the connection of a disk")
        content += piece
    return content
