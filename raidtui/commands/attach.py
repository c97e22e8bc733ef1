"""Follow a job from this terminal: what it has done, and what it is doing. Ctrl-C leaves it running."""

import argparse

from raidtui.model.errors import BadInput
from raidtui.model.journal import Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "job",
        metavar="JOB",
        nargs="?",
        help="job id, or its unambiguous start or end (default: the running job, or the last one)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Follow the job and return its exit code."""
    from raidtui.commands._follow import follow_to_the_end
    from raidtui.jobs.store import damaged_requests, list_jobs

    job = args.job
    if job is None:
        jobs = list_jobs()
        if not jobs:
            raise BadInput(
                "; ".join(damaged_requests()) or "there is no job to follow; 'raidtui apply' starts one"
            )
        job = next((one for one in jobs if one.outcome is Outcome.RUNNING), jobs[0]).request.id
    return follow_to_the_end(job, as_json=args.json)
