"""Find what starts an array at boot when a member is missing.

mdadm assembles an array as its members appear, and starts it once all are there. If one stays away, udev's rule has
systemd start a timer for that array, and its service runs it degraded 30 seconds later. A masked unit or rule, a link
to /dev/null, does nothing. A script of the initramfs does the same while it waits for the root filesystem, and for no
other array.
"""

from typing import Final

from raidtui.machine.tree import Tree

_TIMER: Final = "mdadm-last-resort@.timer"
_UNITS: Final = (_TIMER, "mdadm-last-resort@.service")
_RULE: Final = "64-md-raid-assembly.rules"
# The first folder that has it decides (systemd.unit(5), udev(7)).
_OF_SYSTEMD: Final = (
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
_OF_UDEV: Final = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")


def degraded_started_by(tree: Tree) -> str | None:
    """The timer that starts degraded arrays at boot; empty if nothing does, None where that is not known.

    That is so without systemd: it depends on scripts of that system.
    """
    if not tree.exists("/run/systemd/system"):
        return None
    there = all(_found(tree, _OF_SYSTEMD, name) for name in _UNITS)
    rule = _found(tree, _OF_UDEV, _RULE)
    return _TIMER if there and rule and "mdadm-last-resort@" in tree.text(rule) else ""


def _found(tree: Tree, folders: tuple[str, ...], name: str) -> str:
    """The path that counts of those that the folders have; empty if there is none, or if it is masked."""
    path = next((f"{folder}/{name}" for folder in folders if tree.exists(f"{folder}/{name}")), "")
    return "" if not path or tree.link(path) == "/dev/null" else path
