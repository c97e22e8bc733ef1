"""The process that runs a job. Started by the other commands, never by hand."""

import argparse
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.machine.installation import was_replaced
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.journal import JobKind, Outcome
from raidtui.model.procedure import RemoveVdev, Replace
from raidtui.model.text import harmless

_LONGEST: Final = 200  # characters of an unexpected error


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mode", choices=("run", "rollback"), help="run or resume the job, or undo it")
    parser.add_argument("folder", type=Path, help="the job's folder")


def run(args: argparse.Namespace) -> int:
    """Run the job: hold its lock, outlive the terminal, and record its end, if not in the journal then elsewhere."""
    from raidtui.jobs.ending import exit_code_of, words_of
    from raidtui.jobs.store import LOG, running

    # A lost terminal must not stop the job between two writes; children inherit this.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    folder: Path = args.folder.absolute()
    runs = False
    try:
        with running(folder):
            runs = True
            return _run(folder, undo=args.mode == "rollback")
    except (RaidtuiError, OSError) as error:
        if isinstance(error, RaidtuiError) and not runs:
            raise  # another process runs it
        return _leave(folder, words_of(error), exit_code_of(error))
    except Exception as error:
        # The trace goes to the log, but a person looks at the job first.
        about = f"{type(error).__name__}: {harmless(str(error))[:_LONGEST]}"
        cause = "raidtui was updated or removed during the job" if was_replaced() else "raidtui has a bug"
        _leave(folder, f"{cause}: {about}; {folder / LOG} has its trace", StepFailed.exit_code)
        raise


def _leave(folder: Path, text: str, exit_code: int) -> int:
    """Record how the job ended where its journal does not."""
    from raidtui.jobs.ending import Ending, leave
    from raidtui.jobs.journal import read_journal

    entries = 0
    with suppress(RaidtuiError, OSError):
        entries = len(read_journal(folder))
    leave(folder, Ending(entries=entries, text=text, outcome=Outcome.FAILED, exit_code=exit_code))
    return exit_code


def _acknowledge(disk: str) -> None:
    """A disk that was replaced or removed is not lost. The job is done, also if this cannot be recorded."""
    with suppress(RaidtuiError, OSError, ImportError):  # ImportError: raidtui was updated during the job
        from raidtui.backends.units_now import every_unit_now
        from raidtui.jobs.unit_journal import UnitJournal

        UnitJournal().replaced(disk, every_unit_now().units)


def _run(folder: Path, *, undo: bool) -> int:
    from raidtui.jobs.store import read_request

    request = read_request(folder)
    if request.kind.has_plan:
        from raidtui.jobs.runner import run_job

        code = run_job(folder, rollback=undo)
        match request.procedure:
            case Replace(old=disk) | RemoveVdev(disk=disk) if code == 0 and not undo and disk:
                _acknowledge(disk)
        return code
    if request.kind is JobKind.SWEEP:
        from raidtui.sweep.session import run_sweep

        return run_sweep(folder, undo=undo)
    if request.kind is JobKind.BURN_IN:
        from raidtui.bench.burnin.session import run_burn_in

        return run_burn_in(folder)
    from raidtui.bench.session import run_bench

    return run_bench(folder)
