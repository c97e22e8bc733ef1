"""Resume a job that was interrupted, canceled or failed, from the step it was at."""

import argparse

from raidtui.commands._recorded import refuse_recorded


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "job", metavar="JOB", help="job id, or its unambiguous start or end; see 'raidtui jobs'"
    )
    parser.add_argument(
        "--wait-sync",
        action="store_true",
        help="wait until the array is in sync; exit code 4 if it ends degraded",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Start the job's process again and follow it."""
    from raidtui.commands.terminal.follow import follow_to_the_end, next_entry
    from raidtui.jobs.start import resume

    refuse_recorded(args.machine, "has no jobs")
    since = next_entry(args.job)
    request = resume(args.job)
    return follow_to_the_end(request.id, as_json=args.json, since=since, wait_sync=args.wait_sync)
