"""The process between `raidtui lab` and the guest kernel: whatever dies, and however, nothing is left behind.

``python -m raidtui.lab.keeper FOLDER`` starts what ``FOLDER/keeper.json`` says, waits for its end, ends every
process that the guest left, and, when its own parent is gone, removes FOLDER as well.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Final

import psutil

from raidtui.lab.vectors import hide_wide_state

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


def _die_with_parent(signal_number: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal_number), 0, 0, 0)


def _end_all_children() -> None:
    # The guest's processes are processes of the host; as subreaper their orphans come to us.
    while children := psutil.Process().children(recursive=True):
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        psutil.wait_procs(children, timeout=5)


def main(folder: Path) -> int:
    """Keep one guest; returns 0 when it ended by itself."""
    _die_with_parent(signal.SIGTERM)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    order = json.loads((folder / "keeper.json").read_text(encoding="utf-8"))
    parent = order["parent"]

    def before_exec() -> None:
        _die_with_parent(signal.SIGKILL)
        if order["wide"]:
            hide_wide_state()

    class Ended(Exception):
        """We were asked to end."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Ended

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    guest: subprocess.Popen[bytes] | None = None
    code = 1
    try:
        if os.getppid() == parent:  # else it died before we could ask to be told
            with (folder / "kernel.log").open("wb") as log:
                guest = subprocess.Popen(
                    order["argv"],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=order["fds"],
                    env=order["env"],
                    cwd=folder,
                    preexec_fn=before_exec,
                )
            for descriptor in order["fds"]:
                os.close(descriptor)
            guest.wait()
            code = 0
    except Ended:
        code = 1
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if guest is not None and guest.poll() is None:
            guest.kill()
            guest.wait()
        _end_all_children()
        if os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
