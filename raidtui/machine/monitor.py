"""Find mdadm's monitor, which reports that an array has lost a member; systemd or an init script starts it.

With systemd, a udev rule starts the service when an array appears, so it need not be running yet. A masked unit, a
link to /dev/null, is never started.
"""

from typing import Final

from raidtui.machine.tree import Tree

_UNIT: Final = "mdmonitor.service"
_SCRIPT: Final = "/etc/init.d/mdadm"
_FOLDERS: Final = ("/usr/lib/systemd/system", "/lib/systemd/system", "/etc/systemd/system")


def monitored_by(tree: Tree) -> str:
    """The unit or init script that monitors arrays, now or once there is one; empty if there is none."""
    if tree.exists("/run/systemd/system"):
        masked = tree.link(f"/etc/systemd/system/{_UNIT}") == "/dev/null"
        return _UNIT if not masked and any(tree.exists(f"{folder}/{_UNIT}") for folder in _FOLDERS) else ""
    daemon = any(line.replace(" ", "") == "START_DAEMON=true" for line in tree.lines("/etc/default/mdadm"))
    return _SCRIPT if daemon and tree.exists(_SCRIPT) else ""
