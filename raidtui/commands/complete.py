"""Print the words that continue an argument: the shells' completion calls it."""

import argparse

from raidtui.machine.live_words import KINDS, complete


def configure(parser: argparse.ArgumentParser) -> None:
    """What is wanted, and what has been typed."""
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("begun", nargs="?", default="", help="the argument as far as it is typed")


def run(args: argparse.Namespace) -> int:
    """One word a line, with a tab and what it is."""
    print("".join(f"{line}\n" for line in complete(args.kind, args.begun)), end="")
    return 0
