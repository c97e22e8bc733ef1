"""Build what a spec describes. Refuses unless you name every disk it will erase by serial number.

The job keeps running when this command or its terminal ends; Ctrl-C only stops following it.
"""

import argparse
import uuid
from collections.abc import Sequence

from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.terminal.tell import tell
from raidtui.model.errors import BadInput
from raidtui.model.plan import Hazard, Plan, Severity
from raidtui.model.text import count_of, harmless, spelled


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", metavar="SPEC", help="the spec, a TOML file; - is standard input")
    add_erase(parser)
    add_accept(parser, ids="; 'raidtui plan' shows their ids")
    parser.add_argument(
        "--wait-sync",
        action="store_true",
        help="wait until the array is in sync; exit code 4 if it ends degraded",
    )
    parser.add_argument(
        "--seed",
        metavar="UUID",
        help="the seed that 'raidtui plan' showed, for the same UUIDs; use a seed for one job only",
    )
    add_dry_run(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="change nothing: check everything, hold the disks exclusively, and show each command",
    )


def add_rehearse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rehearse",
        action="store_true",
        help="change nothing: run the same commands in the lab, on sparse copies of the disks",
    )


def add_script(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--script", action="store_true", help="change nothing: print a POSIX shell script that does the same"
    )


def add_erase(parser: argparse.ArgumentParser, *, without: str = "required") -> None:
    """Add ``--erase``; ``without``: what happens if it is not given."""
    parser.add_argument(
        "--erase",
        metavar="SERIAL[,SERIAL…]",
        action="append",
        default=[],
        help=f"name every disk that will be erased, by serial number or its last 4 or more characters; {without}",
    )


def add_accept(parser: argparse.ArgumentParser, *, ids: str = ", by their ids") -> None:
    """Add ``--accept``; ``ids``: where the ids of the hazards are shown."""
    parser.add_argument(
        "--accept",
        metavar="ID[,ID…]",
        action="append",
        default=[],
        help=f"accept these HIGH hazards{ids}",
    )


def words(values: list[str]) -> tuple[str, ...]:
    """The words of an option that was given any number of times, with or without commas."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def read_seed(text: str | None) -> str:
    """``text`` as a UUID, or a new one. Raises BadInput: it is not a UUID."""
    from raidtui.steps.seeds import new_seed

    try:
        return str(uuid.UUID(text)) if text else new_seed()
    except ValueError as error:
        raise BadInput(f"{text!r} is not a UUID; 'raidtui plan' shows the seed of a plan") from error


def show(hazards: Sequence[Hazard]) -> None:
    """Print every hazard above INFO to stderr."""
    for hazard in hazards:
        if hazard.severity is not Severity.INFO:
            tell(harmless(f"{hazard.severity.value} {hazard.id}: {hazard.meaning} {hazard.advice}"))


def announce(what: str, plan: Plan) -> None:
    """Print to stderr what is about to happen to which disks of which computer."""
    from raidtui.machine.whereabouts import this_computer

    disks = ", ".join(f"{'a part of ' if disk.shares else ''}{disk.named}" for disk in plan.erased)
    erases = f"ERASES {count_of(plan.erased, 'disk')}: {disks}" if plan.erased else "erases nothing"
    tell(harmless(f"On {this_computer()}: {what}; {erases}"))


def run(args: argparse.Namespace) -> int:
    """Check, start the job, and follow it."""
    from raidtui.backends.reading import read_whole
    from raidtui.backends.registry import builder
    from raidtui.commands._dry_run import show_dry_run
    from raidtui.commands._spec import read_spec_file
    from raidtui.commands.terminal.follow import follow_to_the_end
    from raidtui.jobs.root import check_root
    from raidtui.jobs.start import build_request, start_planned
    from raidtui.machine.tools import not_needed
    from raidtui.plan.build import make_plan

    spec = read_spec_file(args.spec)
    seed = read_seed(args.seed)
    refuse_recorded(args.machine)
    check_root()
    needed = [tool.name for tool in builder(spec.backend).tools]
    machine = read_whole(known_tools=not_needed(*needed, f"mkfs.{spec.filesystem.type}"))
    plan = make_plan(spec, machine, seed=seed)
    announce(f"build {spelled(spec.kind)} {spec.name}", plan)
    show(plan.hazards)
    erase, accepted = words(args.erase), words(args.accept)
    request = build_request(plan, machine, erase=erase, accepted=accepted)
    if args.dry_run:
        return show_dry_run(request, plan, machine, as_json=args.json)
    job = start_planned(request, plan, machine).id
    return follow_to_the_end(job, as_json=args.json, wait_sync=args.wait_sync)
