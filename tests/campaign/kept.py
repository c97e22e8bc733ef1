"""A guest that is booted once, and gets the disks of one crash after the other as if they had been there at its boot.

To boot and to start Python are the greater part of a short case. A guest in which a case leaves something behind (an
array that cannot be stopped, a process, a file, a parameter of md) is not used again.
"""

import json
import shutil
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from raidtui.lab.command import Command
from raidtui.lab.guest import Guest, Setup
from raidtui.model.errors import RaidtuiError, StepFailed

_AFTER_BOOT: Final = Path(__file__).with_name("after_boot.py")
_PATIENCE_SECONDS: Final = 300.0


class KeptGuest:
    """The guest of a worker.

    Args:
        disks: the list of its disks.
        folder: where their files are, which the caller writes before each case.
        engine: of the lab.
    """

    def __init__(self, disks: str, folder: Path, engine: str) -> None:
        self._setup = Setup(disks=disks, disk_dir=folder, engine=engine)
        self._guest: Guest | None = None
        self._server: Command | None = None
        self._seen = ""
        self._said = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Cut its power."""
        if self._guest is not None:
            self._guest.power_cut()
        self._guest = self._server = None

    def disks(self) -> Path:
        """The folder for the files of the disks, once the guest is up and has none of them."""
        folder = self._setup.disk_dir
        assert folder is not None
        if self._guest is None:
            shutil.rmtree(folder, ignore_errors=True)
            self._boot()
        return folder

    def _boot(self) -> None:
        guest = self._guest = Guest(self._setup)
        guest.power_on()
        self._server = guest.start(
            [sys.executable, str(_AFTER_BOOT)], env={"PYTHONPATH": str(_AFTER_BOOT.parent.parent.parent)}
        )
        self._said = 0
        self._line()
        for disk in guest.disks:
            guest.pull(disk.serial)
        self._ask("end")
        self._seen = self._ask("seen")

    def run(self, state: Path, order: dict[str, Any]) -> dict[str, Any]:
        """Boot the disks in the folder with this /etc and state folder, and return what after_boot.py says.

        Raises:
            StepFailed: it failed, or took too long.
        """
        guest = self._guest
        assert guest is not None
        try:
            self._ask("begin", state=str(state))
            for disk in guest.disks:
                guest.plug(disk.serial)
            return dict(json.loads(self._ask("try", **order)))
        except RaidtuiError:
            self.end()
            raise

    def _is_as_before(self) -> bool:
        """Whether nothing is left of the case; what is only ending, as a process of udev, gets some time."""
        for _ in range(10):
            if self._ask("seen") == self._seen:
                return True
            time.sleep(0.1)
        return False

    def _ask(self, order: str, **words: Any) -> str:
        """Give after_boot.py an order, and return its answer."""
        assert self._server is not None
        self._server.write(json.dumps({"order": order, **words}).encode() + b"\n")
        return self._line()

    def _line(self) -> str:
        """The next line that after_boot.py says."""
        guest, server = self._guest, self._server
        assert guest is not None
        assert server is not None
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (end := server.stdout.find(b"\n", self._said)) < 0:
            if server.returncode is not None or time.monotonic() > deadline:
                raise StepFailed(
                    f"after_boot.py says nothing: {server.stderr[-1500:].decode()}{self._doing()}"
                )
            guest.pump(1.0)
        line = server.stdout[self._said : end].decode()
        self._said = end + 1
        return line

    def _doing(self) -> str:
        """What the guest is doing instead; or that it answers nothing, as where the only processor is in a loop."""
        assert self._guest is not None
        look = "ps axo pid,stat,wchan:25,etimes,args | grep -v ']$'; cat /proc/mdstat; dmsetup table; dmesg | tail -n 20"
        try:
            return self._guest.run(["sh", "-c", look], timeout=20).stdout[-6000:]
        except RaidtuiError as error:
            return f"the guest does not answer: {error}"

    def clear(self) -> None:
        """Take the disks away; a guest that does not let them go, or is not as it was, is ended."""
        if (guest := self._guest) is None:
            return
        try:
            self._ask("end")
            for disk in guest.disks:
                guest.pull(disk.serial)
            as_before = self._is_as_before()
        except RaidtuiError:
            as_before = False
        if not as_before:
            self.end()
