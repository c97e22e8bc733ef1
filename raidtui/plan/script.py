"""Write a plan as a POSIX shell script, which refuses to run on any other machine."""

import re
import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.backends.conditions import condition, every_condition
from raidtui.backends.registry import backend
from raidtui.backends.specfile import write_spec
from raidtui.model.plan import (
    Action,
    Check,
    DropLine,
    EnsureLine,
    MakeFolder,
    Plan,
    PlanKind,
    PlannedDisk,
    RemoveFolder,
    RestoreCapsule,
    Role,
    Run,
    SaveCapsule,
    Severity,
    Step,
    Undo,
)
from raidtui.model.text import harmless, spelled
from raidtui.model.units import both
from raidtui.plan.busy import may_be_busy
from raidtui.plan.script_parts import ARGUMENTS, BEFORE_CONDITIONS, CALLED_BY_STEPS, PATIENTLY
from raidtui.plan.words import shell_words

_ALWAYS: Final = (
    "awk",
    "blockdev",
    "cut",
    "dd",
    "find",
    "findmnt",
    "flock",
    "grep",
    "lsblk",
    "mktemp",
    "readlink",
    "sed",
    "sfdisk",
    "timeout",
    "wipefs",
)
_LOCK_SECONDS: Final = 60
_LINK_MISSING: Final = 111  # exit code; not one of the tools'
_EVERY: Final = 255  # number of nonzero exit codes


def as_script(plan: Plan, title: str = "") -> str:
    """Write ``plan`` as a script.

    Before its first write the script checks that it runs as root on the plan's computer, that every disk of the plan
    is present, with the same size and contents, that those that it erases are free and ``--erase`` names each of them,
    and that ``--accept`` names each HIGH hazard, as `raidtui apply` does.

    Args:
        title: what a plan does that neither builds nor removes a unit: "Let tank grow by 1 disk".
    """
    title = title or plan.leftover
    patiently = [
        "patiently=$(",
        "    cat <<'FUNCTION'",
        *PATIENTLY.splitlines(),
        "FUNCTION",
        ")",
        'eval "$patiently"',
    ]
    lines = [*_header(plan, title), "", shell_functions(), *patiently, "", ARGUMENTS.strip(), *_checks(plan)]
    for number, step in enumerate(plan.steps, 1):
        lines += ["", *_step(number, step, plan)]
    return "\n".join([*lines, "", "step=''", f"say {_quoted(_farewell(plan, title))}", ""])


def shell_functions() -> str:
    """Every shell function that the checks and steps of a script call."""
    conditions = "".join(
        f"{kind.helpers}{kind.source}".lstrip("\n") + "\n" for kind in every_condition().values()
    )
    return f"{BEFORE_CONDITIONS}{conditions}\n{CALLED_BY_STEPS}"


def _farewell(plan: Plan, title: str) -> str:
    if title:
        return f"done: {harmless(title)}"
    if plan.kind is PlanKind.TEARDOWN:
        return f"{plan.called} {'are' if plan.also else 'is'} removed"
    if plan.spec.alone:
        return f"{plan.spec.name} is mounted at {plan.spec.filesystem.mountpoint}"
    return f"{plan.array_path} is ready to use; its first sync may still run"


def _header(plan: Plan, title: str) -> Iterator[str]:
    verb = "Builds" if plan.kind is PlanKind.BUILD else "Removes"
    yield "#!/bin/sh"
    if title:
        yield _comment(f"{title}.")
    for unit in () if title else plan.units:
        noun = backend(unit.spec.backend).noun
        what = "the single disk" if unit.spec.alone else f"the {spelled(unit.spec.level)} {noun}"
        yield _comment(f"{verb} {what} {unit.spec.name}, {both(unit.array_bytes)}.")
    yield _comment(f"Made by raidtui for the computer {plan.host} and these disks; it refuses all others:")
    for disk in plan.disks:
        yield _comment(
            f"  {disk.role} {disk.named}: {disk.model or 'model unknown'}, {both(disk.size_bytes)}"
        )
    erase = f" --erase {','.join(disk.named for disk in plan.erased)}" if plan.erased else ""
    accept = f" --accept {','.join(_high(plan))}" if _high(plan) else ""
    yield _comment(f"Run it as root: sh THIS-FILE{erase}{accept}")
    for hazard in plan.hazards:
        if hazard.severity is not Severity.INFO:
            yield "#"
            yield _comment(f"{hazard.severity} {hazard.id}: {hazard.seen}")
            yield _comment(f"  {hazard.meaning} {hazard.advice}")
    if plan.kind is PlanKind.BUILD:
        yield "#"
        yield from (f"# {harmless(line)}".rstrip() for line in write_spec(plan.spec).splitlines())
    # Words of the plan are always quoted, even if they contain what a shell would expand.
    yield "# shellcheck disable=SC2016"


def _high(plan: Plan) -> list[str]:
    """The ids of the hazards that must be accepted, each once."""
    return list(dict.fromkeys(one.id for one in plan.hazards if one.severity is Severity.HIGH))


def _checks(plan: Plan) -> Iterator[str]:
    if plan.erased:
        yield "case $erase in *[!,]*) ;; *) usage ;; esac"
    yield "[ \"$(id -u)\" -eq 0 ] || refuse 'only root can change disks'"
    for hazard in plan.hazards:
        if hazard.severity is Severity.BLOCK:
            yield f"refuse {_quoted(f'this cannot be done safely: {hazard.id}: {harmless(hazard.meaning)}')}"
    if _high(plan):
        yield f"all_accepted {' '.join(map(_quoted, _high(plan)))}"
    tools = {action.argv[0] for step in plan.steps for action in step.actions if isinstance(action, Run)}
    yield f"for tool in {' '.join(_quoted(tool) for tool in sorted({*tools, *_ALWAYS}))}; do"
    yield '    command -v "$tool" >/dev/null || {'
    yield '        say "$tool is not installed; nothing was changed"'
    yield "        exit 5"
    yield "    }"
    yield "done"
    yield f'[ "$(uname -n)" = {_quoted(plan.host)} ] || refuse "this is not the computer "{_quoted(plan.host)}'
    yield " ".join(["all_named", *(_quoted(disk.named) for disk in plan.erased)])
    # The members of the array to be removed are in use by it, and those that a procedure keeps.
    free = () if plan.kind is PlanKind.TEARDOWN else plan.erased
    for disk in plan.disks:
        if not disk.path:
            continue  # behind a RAID card: its step checks slot and serial number with the card's tool
        known = disk.serial or disk.wwn or disk.identity
        contents = "\\n".join(one.replace("\\", "\\\\") for one in disk.contents)
        yield (
            f"same_disk {_quoted(disk.path)} {_quoted(known)} {disk.size_bytes} "
            f'"$(printf %b {_quoted(contents)})" {"free" if disk in free else "member"}'
        )


def _step(number: int, step: Step, plan: Plan) -> Iterator[str]:
    yield _comment(f"{number}. {step.title}")
    yield _comment(f"   {step.reason}")
    for lost in step.destroys:
        yield _comment(f"   Destroys: {lost}")
    if step.undoable is Undo.IMPOSSIBLE:
        yield _comment("   From here on the old contents cannot be restored.")
    yield f"say {_quoted(f'{number}/{len(plan.steps)} {step.title}')}"
    yield f"step={_quoted(step.id)}"
    # What is waited for may be over already, as `raidtui.jobs.steps.Worker` has it.
    waits = step.role is Role.WAIT and step.before and step.after
    if waits:
        yield f"if ! {{ {' && '.join(map(_asked, step.after))}; }}; then"
    yield from (f"must {_asked(check)}" for check in step.before)
    commands = [line for action in step.actions for line in _commands(action, plan)]
    if step.holds and commands:
        yield from _locked(sorted(step.holds), _links(step), commands)
    else:
        yield from commands
    if waits:
        yield "fi"
    yield from (f"must {_asked(check)}" for check in step.after)


def _links(step: Step) -> list[str]:
    """The links of udev that the commands of ``step`` name."""
    words = (word for action in step.actions if isinstance(action, Run) for word in action.argv)
    names = {word.removeprefix("of=") for word in words}
    return sorted(name for name in names if name.startswith("/dev/disk/"))


def _locked(paths: list[str], links: list[str], commands: list[str]) -> Iterator[str]:
    """Run ``commands`` with the disks locked, always in the same order: udev does not touch a locked disk.

    If one of ``links`` is missing then, because udev was about to make it again, unlock the disks and let it.
    """
    yield "commands=$("
    yield "    cat <<'COMMANDS'"
    if links:
        names = " ".join(_quoted(name) for name in links)
        yield f'for name in {names}; do [ -b "$name" ] || exit {_LINK_MISSING}; done'
    yield from commands
    yield "COMMANDS"
    yield ")"
    yield "tries=10"
    yield "while :; do"
    # By device node: flock would create a file in place of a link that is briefly missing.
    yield from (f"    must node_of {_quoted(path)} >/dev/null" for path in paths)
    yield "    code=0"
    yield from (
        f'    flock --exclusive --timeout {_LOCK_SECONDS} "$(node_of {_quoted(path)})" \\' for path in paths
    )
    yield '        sh -euc "$patiently'
    yield '$commands" || code=$?'
    yield f"    look_again {' '.join(_quoted(path) for path in paths)}"
    yield "    tries=$((tries - 1))"
    yield f'    [ "$code" -eq {_LINK_MISSING} ] && [ "$tries" -gt 0 ] || break'
    yield "    sleep 1"
    yield "done"
    yield '[ "$code" -eq 0 ] || exit "$code"'


def _commands(action: Action, plan: Plan) -> Iterator[str]:
    match action:
        case Run(argv=argv, input=text, ok=ok):
            line = shell_words(action, _quoted)
            if text:
                line = f"printf '%s\\n' {' '.join(_quoted(one) for one in text.splitlines())} | {line}"
            else:
                line = f"{'patiently ' if may_be_busy(argv) else ''}{line} </dev/null"
            also = [str(code) for code in ok if code]
            if len(also) == _EVERY:  # the conditions after the step decide
                yield f"{line} || :"
                return
            yield f"{line} || case $? in {' | '.join(also)}) ;; *) exit 1 ;; esac" if also else line
        case EnsureLine(path=path, line=text):
            yield f"put_line {_quoted(path)} {_quoted(text)}"
        case DropLine(path=path, line=text):
            yield f"drop_line {_quoted(path)} {_quoted(text)}"
        case MakeFolder(path=path):
            yield f"mkdir -p {_quoted(path)}"
        case RemoveFolder(path=path):
            # Which folders a build created is in its journal, which a script does not read.
            yield f"say {_quoted(f'the folder {path} stays; remove it if nothing else uses it')}"
        case SaveCapsule(disks=identities):
            state = "${RAIDTUI_STATE:-/var/lib/raidtui}"
            yield f'mkdir -p -m 700 "{state}"'
            yield f'capsule=$(mktemp -d "{state}"/script-{_quoted(plan.spec.name)}-XXXXXX)'
            for disk in plan.disks:
                if disk.identity in identities:
                    folder = re.sub(r"[^A-Za-z0-9._-]", "_", disk.identity).strip(".")
                    yield f"save {_quoted(folder)} {_quoted(disk.path)} {' '.join(_extents(disk, plan))}"
            yield 'say "what will be overwritten is saved in $capsule; restore.sh there restores it"'
        case RestoreCapsule():
            raise ValueError("a script cannot undo")


def _extents(disk: PlannedDisk, plan: Plan) -> Iterator[str]:
    """The extents of a disk that are written, as ``OFFSET:LENGTH``: those that its wipe zeroes include the partition table."""
    for step in plan.steps:
        for action in step.actions:
            # Of a table alone both ends of the disk are written; of one with a wipe, also within the partitions.
            if isinstance(action, Run) and (action.argv[0] == "dd" or "--wipe=never" in action.argv):
                yield from (
                    f"{one.offset}:{one.length}" for one in action.writes or () if one.disk == disk.path
                )


def _asked(check: Check) -> str:
    """The call of the function that asks whether a condition holds."""
    kind = condition(check)
    expected = check.expect.split() if kind.splits else [check.expect]
    words = [kind.shell, *([check.subject] if check.subject else []), *expected]
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    """Quote ``word`` for a shell; control characters (such as tabs in fstab) become octal escapes."""
    if word.isprintable():
        return shlex.quote(word)
    spelled = "".join(f"\\0{byte:03o}" for byte in word.encode())
    return f"\"$(printf %b '{spelled}')\""


def _comment(text: str) -> str:
    return f"# {harmless(text)}"
