"""Find what scrubs units regularly, or could: enabled timers of systemd, and cron.

Debian 12 has a cron file for md and mdadm's timers, Debian 13 only the timers, Fedora its own timer raid-check. ZFS
has a cron file in Debian and a timer for each pool, Btrfs a timer for each mount point or that of btrfsmaintenance.
LVM has nothing. A cron file has no effect if cron, or the program that it calls, is not installed.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from raidtui.machine.tools import find_tool
from raidtui.machine.tree import Tree
from raidtui.model.errors import BadInput
from raidtui.model.hours import Hours, read_hours
from raidtui.model.spec import Backend
from raidtui.model.system import ScrubSchedule

TIMERS: Final = ("mdcheck_start.timer", "raid-check.timer")
CHECKARRAY: Final = "/usr/share/mdadm/checkarray"
INSTEAD: Final = "# instead of "  # a line of that, with the timer of the distribution that it replaced
DEBIAN_CRON: Final = "/etc/cron.d/mdadm"  # of Debian's mdadm; it calls checkarray
AUTOCHECK: Final = "/etc/default/mdadm"  # where Debian switches that off
OWN: Final = "raidtui-scrub"  # our own timer, a template with an instance for each unit
_CRONS: Final = ("cron", "crond", "anacron")
_OWN_UNITS: Final = "/etc/systemd/system"
_UNITS: Final = (_OWN_UNITS, "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
_RUNNING: Final = "/run/systemd/system"
# Patterns, compiled when they are first used: most commands read the schedules of a computer that has none.
_OF_TIMER: Final = (
    (r"(?:mdcheck_start|raid-check)\.timer", Backend.MDADM),
    (r"zfs-scrub(?:-weekly|-monthly)?@(.+)\.timer", Backend.ZFS),
    (r"btrfs-scrub(?:@(.+))?\.timer", Backend.BTRFS),
    (rf"{OWN}@(.+)\.timer", None),
)
_INSTALLED: Final = r"(?:mdcheck_start|raid-check|(?:zfs-scrub(?:-weekly|-monthly)?|btrfs-scrub)@)\.timer"
_OF_CRON: Final = (
    (r"checkarray|raid-check|mdcheck", Backend.MDADM),
    (r"zfs-linux/scrub|zpool\s+scrub", Backend.ZFS),
    (r"btrfs\s+scrub|btrfs-scrub", Backend.BTRFS),
    (r"lvchange.*--syncaction", Backend.LVM),
)
_CRON_TABLES: Final = ("/etc/crontab", "/var/spool/cron/crontabs/root", "/var/spool/cron/root")
_CRON_SCRIPTS: Final = ("daily", "weekly", "monthly")
_PROGRAM: Final = r"(?<![\w./-])/[\w./-]+"
_IN_HOURS: Final = r"^ExecStart=.* --run --hours (\S+)$"
_ESCAPED: Final = r"\\x([0-9a-f]{2})"


class _NotReadable(Exception):
    """A file or folder is there and cannot be read."""


def read_schedules(tree: Tree) -> tuple[ScrubSchedule, ...] | None:
    """Everything that scrubs regularly; None if a file that may say so cannot be read."""
    try:
        timers = _timers(tree) if tree.exists(_RUNNING) else ()
        return (*timers, *(_cron(tree) if _has_cron() else ()))
    except _NotReadable:
        return None


def scrubbed_by(schedules: tuple[ScrubSchedule, ...] | None) -> str | None:
    """What of ``schedules`` scrubs every md array; empty: nothing; None: not known."""
    if schedules is None:
        return None
    return next((one.by for one in schedules if one.backend is Backend.MDADM and not one.target), "")


def could_scrub(tree: Tree) -> str:
    """An installed timer that could be enabled, else a program that cron could run; empty if there is neither."""
    if tree.exists(_RUNNING):
        for timer in TIMERS:
            if any(tree.exists(f"{folder}/{timer}") for folder in _UNITS):
                return timer
    return CHECKARRAY if _has_cron() and tree.exists(CHECKARRAY) else ""


def installed_timers(tree: Tree) -> tuple[str, ...]:
    """The timers here that scrub when they are enabled; none without systemd."""
    if not tree.exists(_RUNNING):
        return ()
    found = {name for folder in _UNITS for name in tree.names(folder) if re.fullmatch(_INSTALLED, name)}
    return tuple(sorted(found))


def _timers(tree: Tree) -> Iterator[ScrubSchedule]:
    """The enabled timers: those that a unit wants, and which are not masked."""
    enabled: set[str] = set()
    for folder in _UNITS:
        for name in _names(tree, folder):
            if name.endswith(".wants"):
                enabled.update(_names(tree, f"{folder}/{name}"))
    for name in sorted(enabled):
        for pattern, backend in _OF_TIMER:
            found = re.fullmatch(pattern, name)
            if found is None or tree.link(f"{_OWN_UNITS}/{name}") == os.devnull:
                continue
            when = _calendar(tree, name)
            for target in _targets(tree, name, found[1] if found.re.groups else None):
                yield ScrubSchedule(
                    by=name,
                    backend=backend,
                    target=target,
                    when=when,
                    hours=_hours(tree, name),
                    instead=_instead(tree, name),
                )


def _targets(tree: Tree, timer: str, instance: str | None) -> tuple[str, ...]:
    """What a timer scrubs: that of its instance, or what the configuration of its package names; "" is all."""
    if instance is not None:
        # systemd-escape(1): a mount point is written with - for /, and - alone is the root.
        is_path = timer.startswith("btrfs")
        plain = "/" + instance.replace("-", "/").lstrip("/") if is_path else instance
        return (re.sub(_ESCAPED, lambda code: chr(int(code[1], 16)), plain),)
    if timer == "btrfs-scrub.timer":
        for file in ("/etc/default/btrfsmaintenance", "/etc/sysconfig/btrfsmaintenance"):
            for line in _lines(tree, file):
                key, _, value = line.partition("=")
                if key.strip() == "BTRFS_SCRUB_MOUNTPOINTS":
                    words = tuple(word for word in value.strip().strip("\"'").split(":") if word)
                    return ("",) if "auto" in words else words
        return ("/",)
    if timer == "raid-check.timer" and any(
        line.replace(" ", "").startswith("ENABLED=no") for line in _lines(tree, "/etc/sysconfig/raid-check")
    ):
        return ()
    return ("",)


def _calendar(tree: Tree, timer: str) -> str:
    """Its first ``OnCalendar``; empty if it cannot be read. The file of a template serves its instances."""
    head, at, _ = timer.partition("@")
    for name in (timer, f"{head}@.timer") if at else (timer,):
        for folder in _UNITS:
            for line in tree.lines(f"{folder}/{name}"):
                key, _, value = line.partition("=")
                if key.strip() == "OnCalendar":
                    return value.strip()
    return ""


def _hours(tree: Tree, timer: str) -> Hours | None:
    """The hours that the service of one of our own timers keeps; None: none."""
    if timer.startswith(f"{OWN}@"):
        for line in tree.lines(f"{_OWN_UNITS}/{timer.removesuffix('.timer')}.service"):
            if found := re.search(_IN_HOURS, line):
                with suppress(BadInput):
                    return read_hours(found[1], what="--hours")
    return None


def _instead(tree: Tree, timer: str) -> str:
    """The timer of the distribution that one of our own replaced, as its file says."""
    if timer.startswith(f"{OWN}@"):
        for line in tree.lines(f"{_OWN_UNITS}/{timer}"):
            name = line.removeprefix(INSTEAD).strip()
            if line.startswith(INSTEAD) and name in TIMERS:
                return name
    return ""


def _cron(tree: Tree) -> Iterator[ScrubSchedule]:
    tables = (*_CRON_TABLES, *(f"/etc/cron.d/{name}" for name in _names(tree, "/etc/cron.d") if _runs(name)))
    for file in tables:
        for line in _lines(tree, file):
            if (backend := _scrubs(tree, line)) is not None:
                fields = line.split(None, 5)
                yield ScrubSchedule(by=file, backend=backend, when=" ".join(fields[:5]))
                break
    for often in _CRON_SCRIPTS:
        for name in _names(tree, f"/etc/cron.{often}"):
            file = f"/etc/cron.{often}/{name}"
            found = (_scrubs(tree, line) for line in _lines(tree, file)) if _runs(name) else ()
            if (backend := next(filter(None, found), None)) is not None:
                yield ScrubSchedule(by=file, backend=backend, when=often)


def _runs(name: str) -> bool:
    """Whether cron takes a file of this name: no copy of an editor or of dpkg (cron(8), run-parts(8))."""
    return re.fullmatch(r"[A-Za-z0-9_-]+", name) is not None


def _scrubs(tree: Tree, line: str) -> Backend | None:
    """What a line scrubs; None if nothing, or if the program that it calls is not here or set to do nothing."""
    if line.lstrip().startswith("#"):
        return None
    for pattern, backend in _OF_CRON:
        if re.search(pattern, line):
            programs = [path for path in re.findall(_PROGRAM, line) if re.search(pattern, path)]
            here = all(tree.exists(path) for path in programs)
            return backend if here and not (CHECKARRAY in programs and _switched_off(tree)) else None
    return None


def _switched_off(tree: Tree) -> bool:
    """Whether Debian's checkarray is set to do nothing when cron calls it."""
    settings = [line.strip() for line in _lines(tree, AUTOCHECK)]
    given = [line.partition("=")[2].strip("\"' ") for line in settings if line.startswith("AUTOCHECK=")]
    return bool(given) and given[-1] != "true"


def _names(tree: Tree, folder: str) -> list[str]:
    try:
        return sorted(os.listdir(tree.path(folder)))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _NotReadable from error


def _lines(tree: Tree, file: str) -> list[str]:
    try:
        with open(tree.path(file), errors="replace") as text:
            return text.read().splitlines()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return []
    except OSError as error:
        raise _NotReadable from error


def _has_cron() -> bool:
    return any(find_tool(name) for name in _CRONS)
