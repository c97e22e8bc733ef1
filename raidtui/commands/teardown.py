"""Take an array away: unmount, stop, erase its metadata from every member, and what would bring it back.

One disk alone goes the same way. What is stored on it is gone then. Every disk is named by its serial number, or nothing
is touched. What the fixes of a plan set right is about the computer and stays.
"""

import argparse

from raidtui.commands.apply import add_erase, read_seed, refuse_recorded, show, words


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options."""
    parser.add_argument(
        "array",
        metavar="ARRAY",
        help="its name, UUID or device; of one disk alone the serial number or mount point",
    )
    add_erase(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Check, start the job, and follow it."""
    from raidtui.commands._follow import follow_to_the_end
    from raidtui.jobs.start import check_root, start_teardown
    from raidtui.machine.reader import read_machine
    from raidtui.plan.teardown import make_teardown

    refuse_recorded(args.machine)
    check_root()
    machine = read_machine(smart=False)
    plan = make_teardown(args.array, machine, seed=read_seed(None))
    show(plan.hazards)
    request = start_teardown(plan, machine, array=args.array, erase=words(args.erase))
    return follow_to_the_end(request.id, as_json=args.json)
