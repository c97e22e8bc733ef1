"""A conversation with a running QEMU over its monitor, in QMP: one JSON document a line."""

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from raidtui.model.errors import StepFailed

NAME: Final = "monitor"
"""The socket's name in the folder that QEMU is started in."""

_TIMEOUT: Final = 60.0


class Monitor:
    """An open conversation; the guest runs on meanwhile."""

    def __init__(self, line: socket.socket) -> None:
        self._reader = line.makefile("rb")
        self._line = line
        self._read()  # the greeting
        self.ask("qmp_capabilities")

    def _read(self) -> dict[str, Any]:
        line = self._reader.readline()
        if not line:
            raise StepFailed("QEMU closed its monitor")
        document: dict[str, Any] = json.loads(line)
        return document

    def ask(self, command: str, arguments: Mapping[str, object] | None = None) -> Any:
        """Have QEMU do something and return what it answers.

        Raises:
            StepFailed: it refused; the sentence has its reason.
        """
        wish = {"execute": command} | ({"arguments": arguments} if arguments else {})
        self._line.sendall(json.dumps(wish).encode() + b"\n")
        while True:
            answer = self._read()
            if "error" in answer:
                raise StepFailed(f"QEMU refused {command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def wait_for(self, event: str, device: str) -> None:
        """Wait until QEMU reports ``event`` of ``device``."""
        deadline = time.monotonic() + _TIMEOUT
        while time.monotonic() < deadline:
            told = self._read()
            if told.get("event") == event and told["data"].get("device") == device:
                return
        raise StepFailed(f"QEMU did not report {event} of {device} within {_TIMEOUT:.0f} s")


@contextlib.contextmanager
def open_monitor(folder: Path) -> Iterator[Monitor]:
    """Talk to the QEMU that was started in ``folder``."""
    # The path of a socket has room for 107 bytes only; that of the folder may be longer.
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_TIMEOUT)
            line.connect(f"/proc/self/fd/{place}/{NAME}")
            yield Monitor(line)
    except OSError as error:
        raise StepFailed(f"QEMU does not answer: {error.strerror or error}") from error
    finally:
        os.close(place)
