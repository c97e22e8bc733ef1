"""Whether this process may change disks, and what starts or watches over them."""

import os

from raidtui.model.errors import Refused


def check_root() -> None:
    """Check that this process may do what needs root. Raises Refused: it does not run as root."""
    if os.geteuid() != 0:
        raise Refused("only root can do this; run the same command with sudo")
