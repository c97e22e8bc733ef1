"""Talk to a running QEMU over its monitor, in QMP: one JSON document per line."""

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
"""The name of the socket in QEMU's working folder."""

_TIMEOUT: Final = 60.0


class Monitor:
    """An open connection to the monitor; the guest keeps running."""

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
        """Send a command to QEMU and return its answer.

        Raises:
            StepFailed: QEMU refused it; the message has its reason.
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
        """Wait until QEMU reports ``event`` of ``device``. Raises StepFailed: it did not within a minute."""
        deadline = time.monotonic() + _TIMEOUT
        while time.monotonic() < deadline:
            message = self._read()
            if message.get("event") == event and message["data"].get("device") == device:
                return
        raise StepFailed(f"QEMU did not report {event} of {device} within {_TIMEOUT:.0f} s")


@contextlib.contextmanager
def open_monitor(folder: Path) -> Iterator[Monitor]:
    """Connect to the QEMU that runs in ``folder``."""
    # The path of a socket is limited to 107 bytes; that of the folder may be longer.
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
