"""Describe actions and conditions, one line each, without control characters."""

import shlex
from collections.abc import Callable

from raidtui.backends.conditions import condition
from raidtui.model.machine import Machine
from raidtui.model.plan import (
    REPLACED,
    Action,
    Check,
    DropLine,
    EnsureLine,
    MakeFolder,
    Plan,
    RemoveFolder,
    RestoreCapsule,
    Run,
    SaveCapsule,
)
from raidtui.model.text import harmless


def command_line(action: Action) -> str:
    """One action in one line: a command in shell syntax, an edit in words."""
    match action:
        case Run(input=text):
            line = shell_words(action, _in_one_line)
            if text:
                lines = " ".join(shlex.quote(one) for one in text.splitlines())
                line = f"printf '%s\\n' {lines} | {line}"
        case EnsureLine(path=path, line=text):
            line = f"add to {path}: {text}"
        case DropLine(path=path, line=text):
            line = f"remove from {path}: {text}"
        case MakeFolder(path=path):
            line = shlex.join(("mkdir", "-p", path))
        case RemoveFolder(path=path):
            line = f"remove {path} if a build created it and it is empty"
        case SaveCapsule(disks=disks):
            line = f"save what will be overwritten on {', '.join(disks)}"
        case RestoreCapsule(disks=disks):
            line = f"restore what was saved of {', '.join(disks)}"
    return harmless(line)


def _in_one_line(word: str) -> str:
    """``word`` quoted for a shell; with an escape for each line break and tab, as bash, ksh and zsh read it."""
    if "\n" not in word and "\t" not in word:
        return shlex.quote(word)
    escaped = word.translate({ord(one): f"\\{shown}" for one, shown in zip("\\'\n\t", "\\'nt", strict=True)})
    return f"$'{escaped}'"


def shell_words(run: Run, quoted: Callable[[str], str]) -> str:
    """The words of a command for a shell; a link that it is given by its node is followed there."""
    return " ".join(
        f'"$(readlink -f {quoted(word)})"' if run.follows(word) else quoted(word) for word in run.argv
    )


def check_words(check: Check) -> str:
    """One condition as a statement."""
    return condition(check).words(check)


def replaced_disk(plan: Plan, machine: Machine | None) -> str:
    """The disk that a replacement frees, and where it is connected: "LAB-0002 at ata3"; empty if it frees none."""
    old = next((disk for disk in plan.disks if disk.role == REPLACED), None)
    if old is None:
        return ""
    disks = machine.disks if machine is not None else ()
    place = next((one.place for one in disks if one.identity == old.identity), "")
    return f"{old.named} at {place}" if place else old.named
