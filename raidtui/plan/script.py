"""A plan as a POSIX shell script that does the same on the machine it was made for, and nothing on another."""

import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.model.plan import (
    Action,
    Check,
    CheckKind,
    DropLine,
    EnsureLine,
    Plan,
    PlannedDisk,
    RestoreCapsule,
    Run,
    SaveCapsule,
    Step,
)
from raidtui.model.text import harmless
from raidtui.model.units import both
from raidtui.plan.words import check_words

_HEAD: Final = r"""set -eu
LC_ALL=C
export LC_ALL
erase=''
[ "${1-}" = --erase ] && erase=${2-}
say() { printf '%s\n' "$*" >&2; }
refuse() { say "refused: $*"; say 'Nothing was changed.'; exit 3; }
failed() { say "failed: $*"; exit 4; }

# Is this still the disk that was confirmed?  serial size path signatures
same_disk() {
    [ -b "$3" ] || refuse "there is no $3"
    real=$(readlink -f "$3")
    serial=$(udevadm info --query=property --name="$real" | sed -n 's/^ID_SERIAL_SHORT=//p')
    [ -n "$serial" ] || serial=$(lsblk --nodeps --noheadings --output SERIAL "$real" | tr -d ' ')
    [ "$serial" = "$1" ] || refuse "$3 has the serial number '$serial', and the plan is for $1"
    size=$(blockdev --getsize64 "$real")
    [ "$size" = "$2" ] || refuse "$3 has $size bytes, and the plan is for $2"
    found=$(lsblk --noheadings --output NAME,FSTYPE "$real" | awk 'NF > 1 { print $NF }' | sort -u | tr '\n' ' ')
    [ "${found% }" = "$4" ] || refuse "$3 holds '${found% }', and when the plan was made it held '$4'"
    case ",$erase," in *",$1,"*) ;; *) refuse "the disk $1 is not named in --erase" ;; esac
}
has_line() { [ -f "$1" ] && grep -Fqx -e "$2" "$1"; }
add_line() { has_line "$1" "$2" || printf '%s\n' "$2" >>"$1"; }
drop_line() {
    has_line "$1" "$2" || return 0
    grep -Fvx -e "$2" "$1" >"$1.raidtui" || true
    cat "$1.raidtui" >"$1"
    rm "$1.raidtui"
}
# Tables, signatures and both ends of a disk, for a repair by hand.
capsule() {
    name=$(printf %s "$1" | tr / _)
    sfdisk --dump "$2" >"$capsule/$name.table" 2>/dev/null || true
    wipefs "$2" >"$capsule/$name.signatures"
    dd if="$2" of="$capsule/$name.head" bs=1M count=1 status=none
    dd if="$2" of="$capsule/$name.tail" bs=1M count=1 skip=$(($(blockdev --getsize64 "$2") - 1048576)) \
        iflag=skip_bytes status=none
}
"""


def as_script(plan: Plan) -> str:
    """``plan`` as a script; it wants ``--erase`` with the serial number of every disk, like `raidtui apply`."""
    return "\n".join([*_header(plan), _HEAD, *_questions(plan), *_steps(plan), ""])


def _comment(text: str) -> str:
    return "# " + harmless(text)


def _header(plan: Plan) -> Iterator[str]:
    yield "#!/bin/sh"
    yield _comment(
        f"{plan.kind} of {plan.array_path}, {plan.spec.level}, {both(plan.array_bytes)}; UUID {plan.array_uuid}"
    )
    yield _comment(
        "Written by raidtui. It runs on the machine and the disks it was made for, and refuses elsewhere:"
    )
    for disk in plan.disks:
        yield _comment(
            f"  {disk.role} {disk.identity}, {disk.model or 'unknown model'}, {both(disk.size_bytes)}"
        )
    serials = ",".join(disk.serial or disk.identity for disk in plan.disks)
    yield _comment(f"Run as root: sh SCRIPT --erase {serials}")


def _questions(plan: Plan) -> Iterator[str]:
    yield '[ "$(id -u)" -eq 0 ] || refuse "run it as root"'
    tools = {action.argv[0] for step in plan.steps for action in step.actions if isinstance(action, Run)}
    yield f"for tool in {shlex.join(sorted(tools))}; do"
    yield '    command -v "$tool" >/dev/null || refuse "$tool is missing"'
    yield "done"
    for disk in plan.disks:
        yield f"same_disk {shlex.join([disk.serial or disk.identity, str(disk.size_bytes), disk.path, _kinds(disk)])}"
    count = len(plan.disks)
    yield f"[ \"$(printf %s \"$erase\" | tr ',' '\\n' | grep -c .)\" -eq {count} ] || refuse '--erase names other disks too'"
    yield "capsule=$(mktemp -d /var/tmp/raidtui-capsule.XXXXXX)"
    yield 'say "What will be overwritten is saved in $capsule"'


def _kinds(disk: PlannedDisk) -> str:
    """The kinds of content that lsblk names, sorted; tables it does not name."""
    kinds = {words.split()[1] for words in disk.contents}
    return " ".join(sorted(kinds - {"gpt", "dos", "PMBR"}))


def _steps(plan: Plan) -> Iterator[str]:
    for number, step in enumerate(plan.steps, start=1):
        yield ""
        yield _comment(f"{number}. {step.title}")
        yield _comment(step.reason)
        for lost in step.destroys:
            yield _comment(f"Destroys: {lost}")
        yield f"say {shlex.quote(f'{number}/{len(plan.steps)} {harmless(step.title)}')}"
        # A locked disk is left alone by udev, which would assemble a half-written array.
        yield from _locked(step, [line for action in step.actions for line in _commands(action, plan)])
        for check in step.after:
            if line := _check(check):
                yield f"{line} || failed {shlex.quote('not so: ' + harmless(check_words(check)))}"
    yield ""
    yield f"say {shlex.quote(f'Done. {plan.array_path} is being filled; watch /proc/mdstat.')}"


def _locked(step: Step, lines: list[str]) -> Iterator[str]:
    if not step.holds:
        yield from lines
        return
    locks = " ".join(f"flock {shlex.quote(path)}" for path in step.holds)
    yield f"{locks} sh -eu <<'LOCKED'"
    yield from lines
    yield "LOCKED"


def _commands(action: Action, plan: Plan) -> Iterator[str]:
    match action:
        case Run(argv=argv, input=text, ok=ok):
            line = (
                f"printf %s {shlex.quote(text)} | {shlex.join(argv)}"
                if text
                else f"{shlex.join(argv)} </dev/null"
            )
            yield line if ok == (0,) else f"{line} || true"
        case EnsureLine(path=path, line=line):
            yield f"add_line {shlex.quote(path)} {shlex.quote(line)}"
        case DropLine(path=path, line=line):
            yield f"drop_line {shlex.quote(path)} {shlex.quote(line)}"
        case SaveCapsule(disks=disks):
            for disk in plan.disks:
                if disk.identity in disks:
                    yield f"capsule {shlex.quote(disk.serial or disk.identity)} {shlex.quote(disk.path)}"
        case RestoreCapsule():
            raise ValueError("a script only goes forward")


def _check(check: Check) -> str:
    match check.kind:
        case CheckKind.PRESENT | CheckKind.PARTITION:
            return f"[ -b {shlex.quote(check.subject)} ]"
        case CheckKind.BLANK:
            return f'[ -z "$(wipefs --noheadings {shlex.quote(check.subject)})" ]'
        case CheckKind.MOUNTED:
            return f"mountpoint -q {shlex.quote(check.subject)}"
        case CheckKind.NOT_MOUNTED:
            return f"! findmnt {shlex.quote(check.subject)} >/dev/null"
        case CheckKind.LINE_IN:
            return f"has_line {shlex.quote(check.subject)} {shlex.quote(check.expect)}"
        case CheckKind.LINE_NOT_IN:
            return f"! has_line {shlex.quote(check.subject)} {shlex.quote(check.expect)}"
        case _:
            return ""
