"""Where raidtui keeps its state: jobs, their capsules and journals, and results."""

import os
from pathlib import Path


def state_folder() -> Path:
    """The state folder: ``RAIDTUI_STATE`` if set, ``/var/lib/raidtui`` for root, else the user's own.

    The user's own is ``$XDG_STATE_HOME/raidtui``, by default ``~/.local/state/raidtui``. It may not exist yet.
    """
    if override := os.environ.get("RAIDTUI_STATE"):
        return Path(override).absolute()  # a job's process has a different working directory
    if os.geteuid() == 0:
        return Path("/var/lib/raidtui")
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "raidtui"
