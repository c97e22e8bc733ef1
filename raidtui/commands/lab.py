"""The wizard, or a command, in a guest kernel with virtual disks: a real kernel, no root, no risk."""

import argparse
import sys
from pathlib import Path

from raidtui.model.errors import BadInput
from raidtui.model.units import parse_size


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options."""
    parser.add_argument("--disks", metavar="4x2GiB,…", help="the virtual disks (default: 6x1GiB)")
    parser.add_argument(
        "--disk-dir",
        metavar="DIR",
        type=Path,
        help="keep the disks and the guest's changes here, for another boot",
    )
    parser.add_argument("--share", metavar="DIR", type=Path, help="a folder that can be written from inside")
    parser.add_argument(
        "--memory", metavar="SIZE", default="1GiB", help="memory of the guest (default: 1GiB)"
    )
    parser.add_argument(
        "command", nargs="*", metavar="COMMAND", help="after --: run this and end with its exit code"
    )


def run(args: argparse.Namespace) -> int:
    """Boot the guest; returns the exit code of what ran in it."""
    from raidtui.lab.guest import Setup, open_terminal, run_command

    if args.machine:
        raise BadInput("the lab has its own disks; --machine cannot be combined with it")
    if args.share and not args.share.is_dir():
        raise BadInput(f"--share {args.share}: there is no such folder")
    setup = Setup(args.disks, args.disk_dir, args.share, parse_size(args.memory))
    at_terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if at_terminal:
        return open_terminal(setup, args.command or ["raidtui"])
    if not args.command:
        raise BadInput(
            "the wizard needs a terminal, and this is none; run 'raidtui tour', or a command after --"
        )
    return run_command(setup, args.command)
