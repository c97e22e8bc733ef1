"""Rehearse a spec in the lab: run its plan on sparse copies of the same disks.

The copies have the serial numbers, sizes, partition tables and superblocks of
the real disks, which are opened read-only. The lab runs the same commands with
this computer's own tools, reboots, and sees the filesystem mounted again. Needs
root to read the disks, and some GB in /var/tmp or TMPDIR while it runs.
replace, grow, care and teardown are rehearsed with their option --rehearse.
A ZFS pool is rehearsed on QEMU, with Debian's own ZFS, which takes minutes. Its
plan is made with the ZFS of this computer, which has to be installed too.
"""

import argparse
import sys
from typing import Final

from raidtui.model.errors import BadInput, ToolMissing

_NEEDED_HERE: Final = (
    "A rehearsal runs the plan of this computer, so its tools are needed here. To try a layout without them, "
    "build it in 'raidtui lab'; with ZFS, in 'raidtui lab --engine qemu'"
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the spec, a TOML file; - is standard input")
    parser.add_argument(
        "--seed", metavar="UUID", help="the seed that 'raidtui plan' showed, to rehearse that very plan"
    )
    # What a screen has ordered, as JSON on standard input.
    parser.add_argument("--order", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Plan, rehearse, record it, and print what was seen."""
    from raidtui.backends.reading import the_machine
    from raidtui.commands._spec import read_spec_file
    from raidtui.commands.apply import read_seed
    from raidtui.commands.rehearsal.order import check_not_in_lab, show_rehearsal
    from raidtui.jobs.rehearsed import order_of
    from raidtui.jobs.root import check_root
    from raidtui.jobs.runner import derive_plan
    from raidtui.model.journal import JobRequest
    from raidtui.model.struct import from_json

    check_not_in_lab()
    if bool(args.spec) == args.order:
        raise BadInput("name the spec that is to be rehearsed")
    if args.order:
        order = from_json(sys.stdin.read(), JobRequest, origin="the order")
    else:
        order = order_of(spec=read_spec_file(args.spec), seed=read_seed(args.seed))
    if not args.machine:
        check_root()
    machine = the_machine(args.machine)
    try:
        plan = derive_plan(order, machine)
    except ToolMissing as missing:
        raise ToolMissing(f"{missing}. {_NEEDED_HERE}") from missing
    again = f"To build exactly this: raidtui apply {args.spec} --seed={plan.seed} --erase=…"
    return show_rehearsal(
        order,
        plan,
        machine,
        recorded=bool(args.machine),
        as_json=args.json,
        again="" if args.order else again,
    )
