"""Open the wizard: choose disks, see what each level gives, read the plan, confirm, build, measure, compare."""

import argparse

from raidtui.model.errors import BadInput


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="open on the plan of this spec")
    parser.add_argument("--answers", metavar="FILE", help=argparse.SUPPRESS)  # see raidtui.ui.shell.elevate
    parser.add_argument(
        "--plain",
        action="store_true",
        help="ask line by line, without pictures, color and cursor movement: for braille, speech, serial "
        "consoles and programs",
    )
    parser.add_argument(
        "--every",
        metavar="PACE",
        help="with --plain: how often to show progress, such as 10%% or 60s (default: 60s)",
    )
    parser.add_argument(
        "--colors",
        choices=("16", "none"),
        default="",
        help="16: the terminal's own palette, which may be one of high contrast (as on the Linux console); "
        "none: also with NO_COLOR set",
    )
    parser.add_argument(
        "--console",
        action="store_true",
        default=None,
        help="draw for the Linux console's font and sixteen colors (default where TERM=linux; "
        "RAIDTUI_CONSOLE=1 or 0 decides for all calls)",
    )


def run(args: argparse.Namespace) -> int:
    """Open the wizard and return its exit code."""
    if args.plain:
        if args.console or args.colors or args.answers:
            raise BadInput("--plain draws nothing; leave --console and --colors out")
        from raidtui.commands.plain.wizard import open_plain
        from raidtui.commands.terminal.pace import USUAL
        from raidtui.ui.shell.start import read_draft

        return open_plain(
            args.machine, read_draft(args.spec) if args.spec else None, every=args.every or USUAL
        )
    if args.every is not None:
        raise BadInput("--every is the pace of --plain; give both")
    from raidtui.ui.shell.start import open_wizard

    return open_wizard(
        args.machine,
        console=args.console,
        colors=args.colors,
        spec_file=args.spec,
        answers_file=args.answers,
    )
