"""Actions and conditions as people read them: one line each, with nothing in it that could rewrite a terminal."""

import shlex
from collections.abc import Sized
from typing import Final

from raidtui.model.plan import (
    Action,
    Check,
    CheckKind,
    DropLine,
    EnsureLine,
    MakeFolder,
    RemoveFolder,
    RestoreCapsule,
    Run,
    SaveCapsule,
)
from raidtui.model.text import harmless

_CHECKS: Final = {
    CheckKind.BLANK: "{subject} has no signatures",
    CheckKind.PRESENT: "{subject} exists",
    CheckKind.PARTITION: "{subject} is {size} bytes long and starts at byte {start}",
    CheckKind.UNCLAIMED: "nothing uses {subject}",
    CheckKind.ARRAY_RUNS: "the array {subject} runs as {level} with {count} members",
    CheckKind.ARRAY_GONE: "no array {subject} is assembled",
    CheckKind.FILESYSTEM: "{subject} has the filesystem {expect}",
    CheckKind.GEOMETRY: "the filesystem on {subject} reports {expect}",
    CheckKind.MOUNTED: "the filesystem {expect} is mounted at {subject}",
    CheckKind.NOT_MOUNTED: "{subject} is not mounted",
    CheckKind.LINE_IN: "{subject} has the line '{expect}'",
    CheckKind.LINE_NOT_IN: "{subject} does not have the line '{expect}'",
    CheckKind.INITRAMFS_HAS: "the initramfs of {subject} has the line '{expect}'",
    CheckKind.INITRAMFS_LACKS: "the initramfs of {subject} does not have the line '{expect}'",
    CheckKind.DIRECTORY: "{subject} is an empty directory",
}


def command_line(action: Action) -> str:
    """One action in one line: a command as a shell would take it, an edit in words."""
    match action:
        case Run(argv=argv, input=text):
            line = shlex.join(argv)
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


def check_words(check: Check) -> str:
    """One condition as a statement."""
    first, _, second = check.expect.partition(" ")
    return harmless(
        _CHECKS[check.kind].format(
            subject=check.subject, expect=check.expect, start=first, size=second, level=first, count=second
        )
    )


def count_of(things: Sized, name: str) -> str:
    """How many there are: ``1 spare``, ``2 spares``."""
    return f"{len(things)} {name}" if len(things) == 1 else f"{len(things)} {name}s"
