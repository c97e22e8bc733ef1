"""Whether this process may change disks."""

import os

from raidtui.model.errors import Refused


def check_root() -> None:
    """Check that this process may change disks. Raises Refused: it does not run as root."""
    if os.geteuid() != 0:
        raise Refused("only root can change disks; run the same command with sudo")
