"""Who watches arrays and reports when one loses a member: mdadm's monitor, started by systemd or by an init script.

On systemd udev's rule starts the service as soon as an array is there, so it need not run before; a masked one, a
link to /dev/null, is never started.
"""

from typing import Final

from raidtui.machine.tree import Tree

_UNIT: Final = "mdmonitor.service"
_SCRIPT: Final = "/etc/init.d/mdadm"
_FOLDERS: Final = ("/usr/lib/systemd/system", "/lib/systemd/system", "/etc/systemd/system")


def monitored_by(tree: Tree) -> str:
    """What watches the arrays of this computer, or would as soon as there is one; empty if nothing does."""
    if tree.exists("/run/systemd/system"):
        masked = tree.link(f"/etc/systemd/system/{_UNIT}") == "/dev/null"
        return _UNIT if not masked and any(tree.exists(f"{folder}/{_UNIT}") for folder in _FOLDERS) else ""
    daemon = any(line.replace(" ", "") == "START_DAEMON=true" for line in tree.lines("/etc/default/mdadm"))
    return _SCRIPT if daemon and tree.exists(_SCRIPT) else ""
