"""A benchmark, in the process of its job: check and open the target, run the rounds, store the result."""

import secrets
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from raidtui import __version__
from raidtui.backends.reading import read_whole
from raidtui.bench.bonnie import PROGRAM
from raidtui.bench.context import context_of, governor
from raidtui.bench.costs import Costs, read_costs
from raidtui.bench.fio import MINIMUM
from raidtui.bench.fio_runner import BenchContext
from raidtui.bench.flags import FlagInputs, RunFacts, dirty_rate, flags_of
from raidtui.bench.live import Live, read_live, remove_live
from raidtui.bench.measured import Measured, cells_of_runs, cells_so_far, measured_of
from raidtui.bench.own_file import opened
from raidtui.bench.rounds import Rounds, curve_of
from raidtui.bench.rows import FILES, READ, Planned, Work
from raidtui.bench.steady import WINDOW, is_steady
from raidtui.bench.stop import Cancelled, StopRequests
from raidtui.bench.target import Target, check_target
from raidtui.jobs.disk_locks import lock_disk
from raidtui.jobs.ending import record_start, to_the_end
from raidtui.jobs.journal import Journal
from raidtui.jobs.store import read_request
from raidtui.machine.tools import find_tool, require
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.journal import BenchRequest, Event, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.result import Cell, Result
from raidtui.model.text import harmless, spelled
from raidtui.model.units import spell_size
from raidtui.results.context_words import layout_of
from raidtui.results.statistics import median
from raidtui.results.store import Store

__all__ = ["CANCELLED", "Live", "Measured", "cells_so_far", "measured_of", "read_live", "run_bench"]

_CLOSE: Final = 5  # degrees below a disk's limit
CANCELLED: Final = 130  # what a shell calls a command that Ctrl-C ended


def run_bench(folder: Path) -> int:
    """Run the benchmark of the job in ``folder`` and return its exit code.

    SIGTERM or SIGINT ends it at once with exit code 130; then nothing is stored and nothing left behind.
    """
    with Journal(folder) as journal, StopRequests() as stop:
        record_start(journal, "run")

        def work() -> tuple[Outcome, str, int]:
            try:
                return Outcome.DONE, _measure(folder, journal, stop, read_request(folder)), 0
            finally:
                with suppress(OSError):
                    remove_live(folder)

        said = "canceled. Nothing was saved; the test file is gone."
        return to_the_end(journal, work, canceled=Cancelled, said=said, code=CANCELLED)


def _measure(folder: Path, journal: Journal, stop: StopRequests, job: JobRequest) -> str:
    """Run the whole benchmark and store its result; return a sentence on the outcome."""
    request = job.bench
    if request is None:
        raise BadInput(f"the job {job.id} is not a benchmark")
    program = require("fio", MINIMUM)
    store = Store()
    store.check()
    machine = read_whole()
    target = check_target(request.target, machine, request)
    journal.append(Event.NOTE, text=f"measuring {harmless(target.path)}: {described(target)}")
    settings = msgspec.structs.replace(target.settings, costs=_known_costs(request.target))
    target = msgspec.structs.replace(target, settings=settings)
    instead = (
        find_tool(settings.profile.program) if settings.profile.program and not target.is_device else None
    )
    with ExitStack() as stack:
        for identity in sorted({disk.identity or disk.path for disk in target.disks}):
            stack.enter_context(lock_disk(identity, part_of=job.part_of))
        open_now = stack.enter_context(
            opened(
                target,
                machine,
                size_bytes=settings.size_bytes,
                job=job.id,
                erase=request.erase,
                files=instead is not None or any(row.work in FILES for row in settings.rows),
            )
        )
        rounds = Rounds(
            BenchContext(
                job=folder, journal=journal, stop=stop, target=target, opened=open_now, program=program
            )
        )
        if instead is not None:
            rounds.measure_with(instead)
        else:
            rounds.measure()
        result = _result(rounds, target, machine, request, open_now.filename)
    store.add(result)
    journal.append(Event.RESULT, text=result.id)
    return f"stored as {result.label} ({result.id})"


def _known_costs(target: str) -> Costs:
    try:
        return read_costs(target)
    except RaidtuiError:
        return Costs()  # only for an estimate: a damaged journal of another job does not matter


def described(target: Target) -> str:
    """What is measured: "ext4 on RAID5 tank, 1GiB"."""
    made = target.nearest.made if target.nearest is not None else None
    unit = f"{spelled(made.kind)} {made.name}" if made is not None else ""
    files = target.filesystem or "the device itself"
    if made is not None and files == made.backend.value:  # the backend is the filesystem
        files = ""
    return f"{' on '.join(filter(None, (files, unit)))}, {spell_size(target.size_bytes)}"


def _result(rounds: Rounds, target: Target, machine: Machine, request: BenchRequest, filename: str) -> Result:
    settings = target.settings
    program = {PROGRAM: rounds.version} if rounds.cells else {}
    example = next(turn for turn in rounds.turns if turn.run)
    context = context_of(
        target,
        machine,
        engine=", ".join(program or rounds.running.engines),
        argv=rounds.argv_of(example),
        filename=filename,
        programs=program,
        temperatures=rounds.running.heat,
        during_sync=next(
            (f.sync_action for some in rounds.facts.values() for f in some if f.sync_action), ""
        ),
    )
    return Result(
        id=secrets.token_hex(6),
        label=request.label or _label(target, layout_of(context)),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        profile=settings.profile.name,
        context=context,
        cells=_cache_flagged(rounds.cells, target, machine)
        if rounds.cells
        else _cells(rounds, target, machine),
    )


def _cells(rounds: Rounds, target: Target, machine: Machine) -> tuple[Cell, ...]:
    """The cells that fio measured."""
    settings = target.settings
    inputs = _flag_inputs(rounds, target, machine)
    found: list[Cell] = []
    for cell, runs in rounds.facts.items():
        rates = [run.value.bytes_per_second for run in runs]
        steady = is_steady(rates) if settings.profile.steady else None
        kept = runs[-WINDOW:] if settings.profile.steady else runs
        ratios = [run.amplification for run in runs if run.amplification is not None]
        found += cells_of_runs(
            cell,
            tuple(run.value for run in kept),
            flags_of(cell, kept, msgspec.structs.replace(inputs, steady=steady)),
            amplification=median(ratios) if ratios and cell.row.touches_blocks else None,
            curve=curve_of(runs) if settings.profile.steady else (),
        )
    return tuple(found)


def _cache_flagged(cells: tuple[Cell, ...], target: Target, machine: Machine) -> tuple[Cell, ...]:
    """The cells of a program that uses the page cache, flagged if the file is too small for the memory."""
    memory = machine.system.memory_bytes
    if target.size_bytes >= 2 * memory:
        return cells
    flag = f"C the file has {target.size_bytes / memory:.2g} times the memory; below 2 it measures the cache"
    return tuple(
        msgspec.structs.replace(cell, flags=(flag,)) if cell.bytes_per_second else cell for cell in cells
    )


def _flag_inputs(rounds: Rounds, target: Target, machine: Machine) -> FlagInputs:
    settings, running = target.settings, rounds.running
    close = [
        f"/dev/{name} was at {highest:.0f} °C, its limit is {running.limit(name):.0f} °C"
        for name, (_, highest) in running.heat.items()
        if highest > running.limit(name) - _CLOSE
    ]
    reads: list[RunFacts] = [run for cell, runs in rounds.facts.items() if _only_reads(cell) for run in runs]
    return FlagInputs(
        seconds=settings.seconds,
        size_bytes=settings.size_bytes,
        memory_bytes=machine.system.memory_bytes,
        rotational=target.below.rotational,
        filesystem=target.filesystem,
        compresses=target.compresses,
        governor=governor(),
        hot=close[0] if close else "",
        others_dirty_rate=dirty_rate(reads),
    )


def _only_reads(cell: Planned) -> bool:
    return cell.direction == READ and not cell.writes and cell.row.work is Work.IO


def _label(target: Target, layout: str) -> str:
    """The default label of a result: the unit or directory, and its layout."""
    name = target.unit.name if target.unit is not None else Path(target.path).name or target.path
    return f"{name} ({spelled(layout)})"
