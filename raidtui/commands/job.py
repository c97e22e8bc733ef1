"""The process that runs a job. Started by the other commands, never by hand."""

import argparse
import signal
from pathlib import Path

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Event, JobKind, Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("mode", choices=("run", "rollback"), help="run or resume the job, or undo it")
    parser.add_argument("folder", type=Path, help="the job's folder")


def run(args: argparse.Namespace) -> int:
    """Run the job: hold its lock, outlive the terminal, and record its end in the journal."""
    from raidtui.jobs.journal import Journal, read_journal
    from raidtui.jobs.store import read_request, running

    # A lost terminal must not stop the job between two writes; children inherit this.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    folder: Path = args.folder.absolute()
    request = read_request(folder)
    with running(folder):
        if request.kind.has_plan:
            from raidtui.jobs.runner import run_job

            return run_job(folder, rollback=args.mode == "rollback")
        if request.kind is JobKind.SWEEP:
            from raidtui.sweep.session import run_sweep

            return run_sweep(folder, undo=args.mode == "rollback")
        from raidtui.bench.session import run_bench

        try:
            code, text = run_bench(folder), ""
        except RaidtuiError as error:
            code, text = error.exit_code, str(error)
        entries = read_journal(folder)
        if not entries or entries[-1].event is not Event.ENDED:
            outcome = {0: Outcome.DONE, 3: Outcome.REFUSED}.get(code, Outcome.FAILED)
            with Journal(folder) as journal:
                journal.append(Event.ENDED, text=text, outcome=outcome, exit_code=code)
        return code
