"""List every job of this computer, newest first: what it did, how it ended, and why."""

import argparse
import sys

from raidtui.commands._recorded import refuse_recorded
from raidtui.model.errors import BadInput
from raidtui.model.journal import JobState
from raidtui.model.struct import Record, to_json
from raidtui.model.text import harmless


class Jobs(Record, frozen=True, kw_only=True):
    """The document of ``--json``."""

    jobs: tuple[JobState, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the jobs."""
    from raidtui.jobs.store import damaged_requests, list_jobs

    refuse_recorded(args.machine, "has no jobs")
    found, damaged = list_jobs(), damaged_requests()
    if args.json:
        print(to_json(Jobs(jobs=found)))
    elif not found and not damaged:
        print("no jobs yet; 'raidtui apply' or the wizard starts one")
    elif found:
        rows = [("JOB", "WHAT", "OUTCOME", "STEP")]
        rows += [
            (harmless(s.request.id), harmless(s.request.title), s.outcome.words, harmless(s.step))
            for s in found
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            print("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip())
    for sentence in damaged:
        print(f"raidtui: {harmless(sentence)}", file=sys.stderr)
    return BadInput.exit_code if damaged else 0
