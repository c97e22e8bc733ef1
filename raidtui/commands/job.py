"""The process that runs a job. Started by the other commands, never by hand."""

import argparse
import signal
from pathlib import Path

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobKind, Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("mode", choices=("run", "rollback"), help="run or resume the job, or undo it")
    parser.add_argument("folder", type=Path, help="the job's folder")


def run(args: argparse.Namespace) -> int:
    """Run the job: hold its lock, outlive the terminal, and record its end, if not in the journal then elsewhere."""
    from raidtui.jobs.ending import Ending, exit_code_of, leave, words_of
    from raidtui.jobs.journal import read_journal
    from raidtui.jobs.store import running

    # A lost terminal must not stop the job between two writes; children inherit this.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    folder: Path = args.folder.absolute()
    entries, runs = 0, False
    try:
        entries = len(read_journal(folder))
        with running(folder):
            runs = True
            return _run(folder, undo=args.mode == "rollback")
    except (RaidtuiError, OSError) as error:
        if isinstance(error, RaidtuiError) and not runs:
            raise  # another process runs it
        code = exit_code_of(error)
        leave(folder, Ending(entries=entries, text=words_of(error), outcome=Outcome.FAILED, exit_code=code))
        return code


def _run(folder: Path, *, undo: bool) -> int:
    from raidtui.jobs.store import read_request

    request = read_request(folder)
    if request.kind.has_plan:
        from raidtui.jobs.runner import run_job

        return run_job(folder, rollback=undo)
    if request.kind is JobKind.SWEEP:
        from raidtui.sweep.session import run_sweep

        return run_sweep(folder, undo=undo)
    from raidtui.bench.session import run_bench

    return run_bench(folder)
