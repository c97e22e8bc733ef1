"""Show hazards and the exact commands of a spec, what each step destroys and how it is undone. Changes nothing."""

import argparse
import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.model.errors import Refused
from raidtui.model.plan import Action, Hazard, Plan, Run, Severity, Step, Undo
from raidtui.model.rehearsal import NOT_REHEARSED
from raidtui.model.struct import to_json
from raidtui.model.text import count_of, fold, harmless, spelled

_WIDTH: Final = 80


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", metavar="SPEC", help="the spec, a TOML file; - is standard input")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the whole plan as one JSON document")
    form.add_argument(
        "--script", action="store_true", help="a POSIX shell script that does the same on this machine"
    )
    parser.add_argument(
        "--seed",
        metavar="UUID",
        help="derive the UUIDs on the disks from this seed, as an earlier plan did (default: a new seed)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the plan, even one that a hazard blocks; then refuse a blocked one."""
    from raidtui.backends.reading import the_machine
    from raidtui.commands._spec import read_spec_file
    from raidtui.plan.build import make_plan
    from raidtui.plan.script import as_script
    from raidtui.steps.seeds import new_seed

    spec = read_spec_file(args.spec)
    plan = make_plan(spec, the_machine(args.machine), seed=args.seed or new_seed())
    blocking = [hazard for hazard in plan.hazards if hazard.severity is Severity.BLOCK]
    if args.json:
        print(to_json(plan))
    elif not args.script:
        print("\n".join(plan_lines(plan, args.spec)))
    elif not blocking:
        print(as_script(plan), end="")
    if blocking:
        reasons = "; ".join(f"{one.id}: {one.meaning.rstrip('.')} ({one.seen})" for one in blocking)
        raise Refused(harmless(f"this cannot be built safely: {reasons}"))
    return 0


def plan_lines(plan: Plan, spec_path: str) -> Iterator[str]:
    """The plan as text in 80 columns; only a longer single word makes a longer line."""
    from raidtui.model.units import both, exact, spell_size

    spec = plan.spec
    yield from _wrapped(
        (
            f"{plan.array_path}: single disk"
            if spec.alone
            else f"{plan.array_path}: {spelled(spec.level)} of {count_of(spec.members, 'member')}"
        )
        + (f" and {count_of(spec.spares, 'spare')}" if spec.spares else "")
        + f", {both(plan.array_bytes)} usable, {plan.array_bytes:,} bytes",
        "",
    )
    details = {
        "chunk": spell_size(spec.chunk) if spec.chunk else "",
        "layout": spec.layout,
        "metadata": spec.metadata,
        "consistency": spec.consistency,
        "reserved": exact(spec.reserve) if spec.alone and spec.reserve else "",
        "members are": ""
        if spec.alone
        else f"partitions, {exact(spec.reserve or 0)} reserved"
        if spec.partition
        else "whole disks",
        "filesystem": f"{spec.filesystem.type} at {spec.filesystem.mountpoint}"
        if plan.filesystem_uuid
        else "none",
    }
    yield from _wrapped(", ".join(f"{name} {value}" for name, value in details.items() if value), "  ")
    yield from ("", "Disks that will be erased:")
    for disk in plan.disks:
        what = f"{disk.role:<6}  {disk.identity}  {both(disk.size_bytes)}  {disk.model}"
        yield from _wrapped(harmless(what), "  ", "          ")
    yield from ("", "Hazards:" if plan.hazards else "Hazards: none found.")
    for hazard in plan.hazards:
        yield from _hazard_lines(hazard)
    yield from ("", "Steps:")
    for number, step in enumerate(plan.steps, start=1):
        yield from _step_lines(number, step)
    if spec.backend not in NOT_REHEARSED:
        yield from ("", "To rehearse it on copies of these disks, run:")
        words = ["raidtui", "rehearse", spec_path, f"--seed={plan.seed}"]
        yield from _command_lines(harmless(shlex.join(words)), "  ")
    yield from ("", "Nothing has been changed. To build it, run:")
    serials = ",".join(disk.named for disk in plan.disks)
    high = ",".join(dict.fromkeys(h.id for h in plan.hazards if h.severity is Severity.HIGH))
    accept = [f"--accept={high}"] if high else []
    yield from _command_lines(
        harmless(
            shlex.join(["raidtui", "apply", spec_path, f"--erase={serials}", *accept, f"--seed={plan.seed}"])
        ),
        "  ",
    )


def _hazard_lines(hazard: Hazard) -> Iterator[str]:
    yield from _wrapped(f"{hazard.severity.value:<5} {hazard.id}: {hazard.meaning}", "  ", "        ")
    yield from _wrapped(f"Seen: {hazard.seen}", "        ")
    if hazard.advice:
        yield from _wrapped(f"Advice: {hazard.advice}", "        ")


def _step_lines(number: int, step: Step) -> Iterator[str]:
    from raidtui.plan.words import check_words

    yield ""
    yield from _wrapped(f"{number:>2}. {step.title}", "", "    ")
    yield from _wrapped(step.reason, "    ")
    for lost in step.destroys:
        yield from _wrapped(f"Destroys {lost}", "    ", "      ")
    for action in step.actions:
        yield from _action_lines(action)
    for check in step.after:
        yield from _wrapped(f"then: {check_words(check)}", "      ", "        ")
    undo = {
        Undo.NOTHING: step.undo_note or "nothing to undo",
        Undo.COMMANDS: step.undo_note,
        Undo.CAPSULE: step.undo_note,
        Undo.IMPOSSIBLE: f"not in full: {step.undo_note}" if step.undo_note else "not possible",
    }[step.undoable]
    yield from _wrapped(f"undo: {undo}", "      ", "        ")


def _action_lines(action: Action) -> Iterator[str]:
    from raidtui.plan.words import command_line

    line = command_line(action)
    if isinstance(action, Run):
        yield from _command_lines(f"# {line}", "    ")
    else:
        yield from _wrapped(line, "    * ", "      ")


def _command_lines(line: str, indent: str) -> Iterator[str]:
    """A command broken between words with backslashes, so that it can be pasted into a shell."""
    rows = [""]
    for word in _shell_words(line):
        if rows[-1] and len(indent) + len(rows[-1]) + len(word) + 3 > _WIDTH:
            rows.append("      ")
        rows[-1] += word if not rows[-1].strip() else f" {word}"
    yield from (f"{indent}{row} \\" for row in rows[:-1])
    yield indent + rows[-1]


def _shell_words(line: str) -> list[str]:
    """The words of a shell line, with their quotes and never split inside them."""
    words, quoted = [""], False
    for letter in line:
        if letter == " " and not quoted:
            words.append("")
            continue
        quoted ^= letter == "'"
        words[-1] += letter
    return words


def _wrapped(text: str, indent: str, further: str | None = None) -> list[str]:
    return fold(harmless(text), _WIDTH, first=indent, then=indent if further is None else further, whole=True)
