"""Undo the steps of a job, the last one first.

Until a step has run that cannot be undone, the disks are restored byte for byte. After that, what was built is
removed, and the command says what is lost.
"""

import argparse

from raidtui.commands._recorded import refuse_recorded


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "job", metavar="JOB", help="job id, or its unambiguous start or end; see 'raidtui jobs'"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Start the rollback and follow it."""
    from raidtui.commands.terminal.follow import follow_to_the_end, next_entry
    from raidtui.jobs.start import rollback

    refuse_recorded(args.machine, "has no jobs")
    since = next_entry(args.job)
    request = rollback(args.job)
    return follow_to_the_end(request.id, as_json=args.json, since=since)
