"""Find what scrubs the arrays regularly, or could: mdadm's timers, or cron.

Debian 12 has a cron file and mdadm's timers, Debian 13 only the timers, Fedora its own timer raid-check. A cron file
has no effect if cron is not installed.
"""

from typing import Final

from raidtui.machine.tools import find_tool
from raidtui.machine.tree import Tree

TIMERS: Final = ("mdcheck_start.timer", "raid-check.timer")
CHECKARRAY: Final = "/usr/share/mdadm/checkarray"
_CRON_FILES: Final = ("mdadm", "raid-check", "raidtui-scrub")
_CRON_WORDS: Final = ("checkarray", "raid-check", "mdcheck")
_CRONS: Final = ("cron", "crond", "anacron")
_UNITS: Final = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")


def scrubbed_by(tree: Tree) -> str:
    """What scrubs every array regularly: an enabled timer, or a cron file; empty if nothing does."""
    if tree.exists("/run/systemd/system"):
        for name in tree.names(_UNITS[0]):
            enabled = tree.names(f"{_UNITS[0]}/{name}") if name.endswith(".wants") else []
            for timer in TIMERS:
                if timer in enabled:
                    return timer
    if _has_cron():
        for name in _CRON_FILES:
            if any(_calls(line) for line in tree.lines(f"/etc/cron.d/{name}")):
                return f"/etc/cron.d/{name}"
    return ""


def could_scrub(tree: Tree) -> str:
    """An installed timer that could be enabled, else a program that cron could run; empty if there is neither."""
    if tree.exists("/run/systemd/system"):
        for timer in TIMERS:
            if any(tree.exists(f"{folder}/{timer}") for folder in _UNITS):
                return timer
    return CHECKARRAY if _has_cron() and tree.exists(CHECKARRAY) else ""


def _calls(line: str) -> bool:
    return not line.lstrip().startswith("#") and any(word in line for word in _CRON_WORDS)


def _has_cron() -> bool:
    return any(find_tool(name) for name in _CRONS)
