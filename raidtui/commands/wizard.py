"""Open the wizard: choose disks, see what each level gives, read the plan, confirm, build, measure, compare."""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="open on the plan of this spec")
    parser.add_argument("--answers", metavar="FILE", help=argparse.SUPPRESS)  # see raidtui.ui.shell.elevate
    parser.add_argument(
        "--console",
        action="store_true",
        default=None,
        help="draw for the Linux console's font and sixteen colors (default where TERM=linux; "
        "RAIDTUI_CONSOLE=1 or 0 decides for all calls)",
    )


def run(args: argparse.Namespace) -> int:
    """Open the wizard and return its exit code."""
    from raidtui.ui.shell.start import open_wizard

    return open_wizard(args.machine, console=args.console, spec_file=args.spec, answers_file=args.answers)
