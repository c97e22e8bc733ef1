"""Where raidtui keeps its state: jobs, their capsules and journals, and results."""

import os
from pathlib import Path
from typing import Final

OF_ROOT: Final = "/var/lib/raidtui"
FINDINGS: Final = "findings"
"""The file of the runtime folder with the names of what was last found wrong, for completion."""
MDADM_CONFS: Final = ("/etc/mdadm/mdadm.conf", "/etc/mdadm.conf")
"""Where mdadm.conf may be: on Debian, and elsewhere."""


def state_folder() -> Path:
    """The state folder: ``RAIDTUI_STATE`` if set, ``/var/lib/raidtui`` for root, else the user's own.

    The user's own is ``$XDG_STATE_HOME/raidtui``, by default ``~/.local/state/raidtui``. It may not exist yet.
    """
    if override := os.environ.get("RAIDTUI_STATE"):
        return Path(override).absolute()  # a job's process has a different working directory
    if os.geteuid() == 0:
        return Path(OF_ROOT)
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "raidtui"


def runtime_folder() -> Path | None:
    """The folder for what need not survive a reboot: ``/run/raidtui`` for root, else ``$XDG_RUNTIME_DIR/raidtui``.

    ``RAIDTUI_RUN`` overrides it. None if there is no such place.
    """
    if override := os.environ.get("RAIDTUI_RUN"):
        return Path(override).absolute()
    if os.geteuid() == 0:
        return Path("/run/raidtui")
    base = os.environ.get("XDG_RUNTIME_DIR")
    return Path(base) / "raidtui" if base else None
