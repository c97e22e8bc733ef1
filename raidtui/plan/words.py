"""Actions and checks in words, for people."""

import shlex

from raidtui.model.plan import (
    Action,
    Check,
    CheckKind,
    DropLine,
    EnsureLine,
    RestoreCapsule,
    Run,
    SaveCapsule,
)

_CHECKS = {
    CheckKind.BLANK: "{subject} has no signature",
    CheckKind.PRESENT: "{subject} is there",
    CheckKind.PARTITION: "{subject} begins and ends where it should",
    CheckKind.UNCLAIMED: "nothing uses {subject}",
    CheckKind.ARRAY_RUNS: "the array {subject} runs as {expect}",
    CheckKind.ARRAY_GONE: "the array {subject} is no longer assembled",
    CheckKind.FILESYSTEM: "{subject} has the filesystem {expect}",
    CheckKind.GEOMETRY: "the filesystem on {subject} reports {expect}",
    CheckKind.MOUNTED: "the filesystem {expect} is mounted at {subject}",
    CheckKind.NOT_MOUNTED: "{subject} is not mounted",
    CheckKind.LINE_IN: "{subject} has the line: {expect}",
    CheckKind.LINE_NOT_IN: "{subject} no longer has the line: {expect}",
    CheckKind.INITRAMFS_HAS: "the initramfs of the running kernel has the line: {expect}",
    CheckKind.INITRAMFS_LACKS: "the initramfs of the running kernel no longer has the line: {expect}",
    CheckKind.DIRECTORY: "{subject} is an empty directory",
}


def command_line(action: Action) -> str:
    """One action as a line that could be typed, or as words where it is no command."""
    match action:
        case Run(argv=argv, input=text):
            line = shlex.join(argv)
            return f"{line} <<< {shlex.quote(text)}" if text else line
        case EnsureLine(path=path, line=line):
            return f"add to {path}: {line}"
        case DropLine(path=path, line=line):
            return f"remove from {path}: {line}"
        case SaveCapsule(disks=disks):
            return f"save what will be overwritten on {', '.join(disks)}"
        case RestoreCapsule(disks=disks):
            return f"write back what was saved of {', '.join(disks)}"


def check_words(check: Check) -> str:
    """One condition in words."""
    return _CHECKS[check.kind].format(subject=check.subject, expect=check.expect)
