"""Hazards and the exact commands of a spec, with what each destroys and how it is undone. Changes nothing."""

import argparse
import sys
import textwrap
import uuid
from collections.abc import Iterator
from pathlib import Path

from raidtui.model.errors import BadInput, Refused
from raidtui.model.plan import Plan, Severity, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.text import harmless

_WIDTH = 79


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options."""
    parser.add_argument("spec", metavar="SPEC", help="the spec, a TOML file; - reads it from standard input")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the whole plan as one JSON document")
    form.add_argument(
        "--script", action="store_true", help="a POSIX shell script that does the same on this machine"
    )
    parser.add_argument(
        "--seed", metavar="UUID", default="", help="derive the UUIDs from this one (default: a new one)"
    )


def read_spec_file(path: str) -> Spec:
    """The spec in a file, or on standard input for ``-``.

    Raises:
        BadInput: it is not there, not readable, not text or not a spec.
    """
    from raidtui.model.specfile import read_spec

    origin = "standard input" if path == "-" else path
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{origin} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{origin} is not a text file; a spec is a small TOML file") from error
    return read_spec(text, origin=origin)


def run(args: argparse.Namespace) -> int:
    """Print the plan; 3 if a hazard blocks it."""
    from raidtui.machine.reader import the_machine
    from raidtui.model.struct import to_json
    from raidtui.plan.build import make_plan
    from raidtui.plan.script import as_script

    spec = read_spec_file(args.spec)
    plan = make_plan(spec, the_machine(args.machine), seed=args.seed or str(uuid.uuid4()))
    blocking = [hazard for hazard in plan.hazards if hazard.severity is Severity.BLOCK]
    if args.json:
        print(to_json(plan))
    elif args.script:
        if not blocking:
            print(as_script(plan), end="")
    else:
        print("\n".join(plan_lines(plan)))
    if blocking:
        raise Refused(
            f"this cannot be built: {blocking[0].id}: {blocking[0].meaning} {blocking[0].advice}".rstrip()
        )
    return 0


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan for people, at most 79 columns but for commands, which stay whole."""
    from raidtui.model.units import both

    spec = plan.spec
    yield f"{spec.name}: {spec.level}, {both(plan.array_bytes)} = {plan.array_bytes} bytes, at {plan.array_path}"
    details = {
        "chunk": f"{spec.chunk // 1024} KiB" if spec.chunk else "",
        "layout": spec.layout,
        "metadata": spec.metadata,
        "consistency": spec.consistency,
        "members": "one partition each" if spec.partition else "whole disks",
        "filesystem": spec.filesystem.type if plan.filesystem_uuid else "none",
    }
    yield from _wrapped(", ".join(f"{name} {value}" for name, value in details.items() if value), "  ")
    yield ""
    yield "Disks to be erased, in their order"
    for disk in plan.disks:
        yield f"  {harmless(disk.identity):<22} {disk.role:<7} {both(disk.size_bytes):<24} {harmless(disk.model)}"
    yield ""
    yield "Hazards" if plan.hazards else "Hazards: none found"
    for hazard in plan.hazards:
        yield from _wrapped(f"{hazard.severity:<5} {hazard.id}: {hazard.meaning}", "  ", "        ")
        yield from _wrapped(f"Seen: {harmless(hazard.seen)}", "        ")
        if hazard.advice:
            yield from _wrapped(f"To do: {hazard.advice}", "        ")
    for number, step in enumerate(plan.steps, start=1):
        yield ""
        yield from _step_lines(number, step)
    serials = ",".join(disk.identity for disk in plan.disks)
    yield ""
    yield "Nothing has been changed. To do it:"
    yield f"  raidtui apply SPEC --erase {harmless(serials)}"


def _step_lines(number: int, step: Step) -> Iterator[str]:
    from raidtui.plan.words import check_words, command_line

    yield from _wrapped(f"{number}. {step.title}", "", "   ")
    yield from _wrapped(step.reason, "   ")
    for lost in step.destroys:
        yield from _wrapped(f"DESTROYS {harmless(lost)}", "   ", "     ")
    for action in step.actions:
        for line in harmless(command_line(action).replace("\n", "\\n")).splitlines():
            yield f"     $ {line}"
    for check in step.after:
        yield from _wrapped(f"then: {harmless(check_words(check))}", "     ", "       ")
    undo = {
        Undo.NOTHING: "",
        Undo.COMMANDS: step.undo_note,
        Undo.CAPSULE: step.undo_note,
        Undo.IMPOSSIBLE: f"not possible{f'; {step.undo_note}' if step.undo_note else ''}",
    }[step.undoable]
    if undo:
        yield from _wrapped(f"undo: {undo}", "     ", "       ")


def _wrapped(text: str, indent: str, further: str | None = None) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=further or indent)
