"""The keeper of a guest, seen from the host: the process that has its folder, and whose end is that of the guest."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from raidtui.model.errors import StepFailed

_KEEPER: Final = Path(__file__).with_name("keeper.py")


class Keeping:
    """A keeper that runs."""

    def __init__(self, scratch: Path, fds: Sequence[int]) -> None:
        """Start one that makes its folder in ``scratch`` and inherits ``fds``. Raises StepFailed: it did not start."""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_KEEPER), str(scratch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=fds,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        named = os.fsdecode(self._answers.readline()).strip()
        if not named:
            self._end()
            raise StepFailed(f"the process that keeps the guest did not start; is there room in {scratch}?")
        self.folder: Final = Path(named)

    def fileno(self) -> int:
        """What is ready for reading or hung up when the keeper has ended."""
        return self._answers.fileno()

    def boot(self, order: Mapping[str, object]) -> None:
        """Have it boot the guest."""
        self._orders.write(json.dumps(order).encode() + b"\n")
        self._orders.flush()

    def dismiss(self) -> None:
        """Have it end the guest and remove its folder; if it was killed, do that directly."""
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._orders.close()
        self._process.wait()
        if self._process.returncode < 0 and (group := self._answers.readline().strip()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(group), signal.SIGKILL)
        self._answers.close()
