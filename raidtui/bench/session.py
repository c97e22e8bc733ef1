"""A benchmark, in its job's process: check, open what is measured, go round the cells, store the result."""

import os
import platform
import secrets
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from raidtui import __version__
from raidtui.bench.context import context_of
from raidtui.bench.fio import MINIMUM
from raidtui.bench.flags import Asked, dirty_rate, flags_of
from raidtui.bench.live import Live, read_live, remove_live
from raidtui.bench.measured import Measured, cell_of, cells_so_far, measured_of
from raidtui.bench.place import opened
from raidtui.bench.profiles import READ, find_profile
from raidtui.bench.rounds import Rounds
from raidtui.bench.stop import Cancelled, StopRequests
from raidtui.bench.target import Target, check_target
from raidtui.jobs.journal import Journal
from raidtui.jobs.store import lock_disk, read_request
from raidtui.machine.reader import read_machine
from raidtui.machine.tools import require
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.journal import BenchRequest, Event, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.result import Result
from raidtui.model.units import spell_size
from raidtui.results.store import Store
from raidtui.results.summary import layout_of

__all__ = ["CANCELLED", "Live", "Measured", "cells_so_far", "measured_of", "read_live", "run_bench"]

CANCELLED: Final = 130  # what a shell calls a command that Ctrl-C ended


def run_bench(folder: Path) -> int:
    """Carry the benchmark of the job in ``folder`` out and return its exit code.

    SIGTERM or SIGINT ends it at once with exit code 130; nothing is stored and nothing left behind then.
    """
    with Journal(folder) as journal, StopRequests() as stop:
        journal.append(
            Event.STARTED,
            text=f"raidtui {__version__}, process {os.getpid()} on {platform.node()}: run",
            data={"pid": os.getpid(), "mode": "run"},
        )
        outcome, code = Outcome.DONE, 0
        try:
            text = _measure(folder, journal, stop, read_request(folder))
        except Cancelled:
            outcome, code, text = Outcome.CANCELLED, CANCELLED, "stopped as asked; nothing is left behind"
        except RaidtuiError as error:
            code, text = error.exit_code, str(error)
            outcome = Outcome.REFUSED if code == 3 else Outcome.FAILED
        finally:
            remove_live(folder)
        journal.append(Event.ENDED, text=text, outcome=outcome, exit_code=code)
        return code


def _measure(folder: Path, journal: Journal, stop: StopRequests, job: JobRequest) -> str:
    """All of it; the sentence about what came of it."""
    request = job.bench
    if request is None:
        raise BadInput(f"the job {job.id} is no benchmark")
    program = require("fio", MINIMUM)
    store = Store()
    store.check()
    machine = read_machine()
    target = check_target(request.target, machine, request)
    journal.append(Event.NOTE, text=f"measuring {target.path}: {_describe(target, request)}")
    with ExitStack() as stack:
        for identity in sorted({disk.identity or disk.path for disk in target.disks}):
            stack.enter_context(lock_disk(identity))
        descriptor = stack.enter_context(
            opened(target, machine, size_bytes=request.size_bytes, job=job.id, erase=request.erase)
        )
        rounds = Rounds(folder, journal, stop, target, request, program=program, descriptor=descriptor)
        rounds.measure()
        result = _result(rounds, target, machine, request)
    store.add(result)
    journal.append(Event.RESULT, text=result.id)
    return f"stored as {result.label} ({result.id})"


def _describe(target: Target, request: BenchRequest) -> str:
    words = [target.filesystem or "the device itself"]
    if target.array is not None:
        words.append(f"on {target.array.level} {target.array.name}")
    return f"{' '.join(words)}, {spell_size(request.size_bytes)}"


def _result(rounds: Rounds, target: Target, machine: Machine, request: BenchRequest) -> Result:
    profile = find_profile(request.profile)
    asked = Asked(
        seconds=request.seconds,
        rotational=target.below.rotational,
        filesystem=target.filesystem,
        mix_read_percent=profile.mix_read_percent,
        others_dirty_rate=dirty_rate(
            run for cell, runs in rounds.facts.items() if cell.direction == READ for run in runs
        ),
    )
    context = context_of(
        target,
        machine,
        request,
        engine=rounds.engine,
        argv=rounds.argv_of(next(turn for turn in rounds.turns if turn.run)),
        filename=rounds.filename,
        during_sync=next(
            (f.sync_action for some in rounds.facts.values() for f in some if f.sync_action), ""
        ),
    )
    return Result(
        id=secrets.token_hex(6),
        label=request.label or _label(target, layout_of(context)),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        profile=request.profile,
        context=context,
        cells=tuple(
            cell_of(cell, tuple(run.value for run in runs), flags_of(cell, runs, asked))
            for cell, runs in rounds.facts.items()
        ),
    )


def _label(target: Target, layout: str) -> str:
    """A name for a result that was given none: the array or the directory, and what it is."""
    name = target.array.name if target.array is not None else Path(target.path).name or target.path
    return f"{name} ({layout})"
