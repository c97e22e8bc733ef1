"""Rehearse a spec in the lab: run its plan on sparse copies of the same disks.

The copies have the serial numbers, sizes, partition tables and superblocks of
the real disks, which are opened read-only. The lab runs the same commands with
this computer's own tools, reboots, and sees the filesystem mounted again. Needs
root to read the disks, and some GB in /var/tmp or TMPDIR while it runs.
"""

import argparse
from collections.abc import Iterator

from raidtui.commands._tell import tell
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.rehearsal import Rehearsal
from raidtui.model.text import harmless
from raidtui.model.units import binary, duration


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("spec", metavar="SPEC", help="the spec, a TOML file; - is standard input")
    parser.add_argument(
        "--seed", metavar="UUID", help="the seed that 'raidtui plan' showed, to rehearse that very plan"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Plan, rehearse, record it, and print what was seen."""
    import os

    from raidtui.backends.reading import the_machine
    from raidtui.commands._rehearsal import rehearse
    from raidtui.commands._spec import read_spec_file
    from raidtui.commands.apply import read_seed
    from raidtui.jobs.rehearsed import record
    from raidtui.jobs.start import check_root
    from raidtui.lab.session import Ended, ended_by_signals
    from raidtui.model.struct import to_json
    from raidtui.plan.build import make_plan

    if "RAIDTUI_LAB" in os.environ:
        raise BadInput("this is the lab already: its disks are virtual; build the spec itself")
    spec = read_spec_file(args.spec)
    seed = read_seed(args.seed)
    if not args.machine:
        check_root()
    machine = the_machine(args.machine)
    plan = make_plan(spec, machine, seed=seed)
    try:
        with ended_by_signals():
            shown = rehearse(spec, plan, machine, recorded=bool(args.machine), report=tell)
    except Ended as ended:
        tell("raidtui: the rehearsal was stopped; nothing was changed")
        return ended.exit_code
    if not args.machine:
        record(shown)
    print(to_json(shown) if args.json else "\n".join(_lines(shown, args.spec)))
    if not shown.passed:
        tell(f"raidtui: the rehearsal did not pass: {shown.sentence}")
    return 0 if shown.passed else StepFailed.exit_code


def _lines(shown: Rehearsal, spec: str) -> Iterator[str]:
    """The report in words: what came of it, each step with its time, and what no rehearsal shows."""
    from raidtui.jobs.rehearsed import seen_words

    result = "PASSED" if shown.passed else "DID NOT PASS"
    yield harmless(
        f"{result}: {shown.name} on copies of its disks, {shown.done} of {len(shown.steps)} steps done"
    )
    for number, step in enumerate(shown.steps, 1):
        took = "FAILED" if step.error else "not run" if step.seconds is None else duration(step.seconds)
        yield harmless(f"  {number:>2}. {took:<8} {step.title}")
    yield from (f"  {line}" for line in seen_words(shown))
    yield f"  {binary(shown.written_bytes)} written here meanwhile"
    if not shown.blank:
        yield harmless(f"To build exactly this: raidtui apply {spec} --seed={shown.seed} --erase=…")
