"""Measure many arrays on the same disks in one go: build each, wait for its sync, measure it, remove it.

SWEEP is a file, or the name of a study that comes with raidtui. Without --erase it changes nothing: it shows what it
would do, how long that takes and how much it writes. All disks are free at the end. The sweep keeps running when this
command or its terminal ends; after a power cut 'raidtui resume' continues without measuring anything twice.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import add_accept, add_erase, show, words
from raidtui.model.errors import BadInput
from raidtui.model.journal import Outcome
from raidtui.model.plan import Severity
from raidtui.model.struct import Record, to_json
from raidtui.model.sweep import Sweep
from raidtui.model.text import fold, harmless, spelled
from raidtui.model.units import decimal, parse_size

if TYPE_CHECKING:
    from raidtui.sweep.prepare import Preview

_WIDTH: Final = 79
_NUMBERS: Final = ("passes", "runs", "seconds")


class Measurement(Record, frozen=True, kw_only=True):
    """One result of a sweep."""

    turn: str
    profile: str
    result: str  # id


class SweepDocument(Record, frozen=True, kw_only=True):
    """Outcome of a sweep: the document of ``--json``."""

    job: str
    outcome: Outcome
    exit_code: int
    sentence: str
    measurements: tuple[Measurement, ...]
    failed: dict[str, str]  # turn → reason


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP", nargs="?", help="a file, or the name of a study")
    parser.add_argument("--list", action="store_true", help="show the studies that come with raidtui")
    parser.add_argument(
        "--disks",
        metavar="SERIAL[,SERIAL…]",
        action="append",
        default=[],
        help="use these disks instead of those in the file",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a short sweep of minutes: each value of the lists once, with runs of one second",
    )
    add_erase(parser, without="without it the sweep is only shown")
    add_accept(parser, ids=", by the ids shown without --erase")
    parser.add_argument("--slice", metavar="SIZE", help="use only this much of each disk, for short syncs")
    parser.add_argument("--size", metavar="SIZE", help="size of the test file")
    for name, what in zip(_NUMBERS, ("over all combinations", "of each cell", "of each run"), strict=True):
        parser.add_argument(f"--{name}", metavar="N", type=int, help=f"{name} {what}")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Show what the sweep would do; with ``--erase`` start the job, follow it, and show its results."""
    from raidtui.backends.reading import the_machine
    from raidtui.steps.seeds import new_seed
    from raidtui.sweep.file import find_sweep
    from raidtui.sweep.prepare import begin, preview

    if args.list:
        print("\n".join(_studies()))
        return 0
    if args.sweep is None:
        raise BadInput("name a file, or a study; 'raidtui sweep --list' shows those that come with raidtui")
    sweep = _with_options(find_sweep(args.sweep), args)
    machine = the_machine(args.machine)
    seed = new_seed()
    seen = preview(sweep, machine, seed=seed)
    erase = words(args.erase)
    if not erase:
        names = ",".join(disk.named for disk in seen.disks)
        offer = f"Nothing was changed. To erase these disks and measure: add --erase {harmless(names)}"
        print(to_json(seen) if args.json else "\n".join((*preview_lines(seen), offer)))
        return 0
    refuse_recorded(args.machine)
    show(seen.hazards)
    request = begin(seen, machine, seed=seed, erase=erase, accepted=words(args.accept))
    return _follow(request.id, as_json=args.json)


def _with_options(sweep: Sweep, args: argparse.Namespace) -> Sweep:
    from raidtui.sweep.quick import quickened

    if args.quick:
        sweep = quickened(sweep)
    changes: dict[str, Any] = {}
    if args.disks:
        changes["disks"] = words(args.disks)
    if args.slice is not None:
        changes["slice"] = parse_size(args.slice)
    if args.size is not None:
        changes["size_bytes"] = parse_size(args.size)
    for name in _NUMBERS:
        number = getattr(args, name)
        if number is not None:
            if number < 1:
                raise BadInput(f"--{name} must be at least 1, not {number}")
            changes[name] = number
    return msgspec.structs.replace(sweep, **changes)


def _studies() -> Iterator[str]:
    from raidtui.machine.installation import REFERENCE
    from raidtui.sweep.file import published_studies

    for name, sweep in published_studies().items():
        yield name
        yield from _wrapped(sweep.about)
    yield ""
    yield "raidtui sweep NAME --disks SERIAL,SERIAL,… shows what one would do on them."
    yield "A sweep of your own is a TOML file; the page about it is"
    yield f"  {REFERENCE}"


def preview_lines(seen: "Preview") -> Iterator[str]:
    """What a sweep would do: its disks, its arrays with the time that each takes, and its hazards."""
    from raidtui.sweep.measurement import measurements_of
    from raidtui.sweep.quick import NOTE

    sweep, total = seen.sweep, seen.total
    yield f"Sweep {sweep.name}"
    yield from _wrapped(sweep.about)
    if sweep.quick:
        yield from _wrapped(NOTE)
    yield f"Erases these disks and uses {seen.part}:"
    for disk in seen.disks:
        yield harmless(f"  {disk.named}  {disk.model or disk.path}  {decimal(disk.size_bytes)}")
    if seen.unused:
        yield harmless(f"Not needed, left alone: {', '.join(seen.unused)}")
    often = "once" if sweep.passes == 1 else f"{sweep.passes} times"
    yield f"Arrays, each built and measured {often} with {', '.join(one.name for one in measurements_of(sweep))}:"
    width = max(len(combination.title) for combination, _ in seen.combinations)
    for combination, estimate in seen.combinations:
        if estimate.refused is not None:
            why = f"  {spelled(combination.title):<{width}}  cannot be built: {harmless(estimate.refused)}"
            yield from fold(why, _WIDTH, then=" " * (width + 4))
        else:
            yield f"  {spelled(combination.title):<{width}}  {estimate.times}"
    for hazard in seen.hazards:
        if hazard.severity is not Severity.INFO:
            text = harmless(f"{hazard.severity.value} {hazard.id}: {hazard.seen}. {hazard.meaning}")
            yield from fold(text, _WIDTH, then="  ")
    yield f"Total: {total.times}, about {decimal(round(total.written_bytes))} written."


def _wrapped(text: str) -> list[str]:
    return fold(harmless(text), _WIDTH, first="  ", then="  ")


def _follow(job: str, *, as_json: bool) -> int:
    from raidtui.commands.terminal.follow import follow_to_the_end
    from raidtui.jobs.journal import read_journal
    from raidtui.jobs.store import job_state
    from raidtui.sweep.state import progress_of

    code = follow_to_the_end(job, as_json=False, quiet=as_json)
    state = job_state(job)
    progress = progress_of(read_journal(Path(state.folder)))
    if as_json:
        cells = [(*cell.rpartition("/")[::2], result) for cell, result in progress.results.items()]
        report = SweepDocument(
            job=job,
            outcome=state.outcome,
            exit_code=code,
            sentence=state.sentence,
            measurements=tuple(
                Measurement(turn=turn, profile=profile, result=result) for turn, profile, result in cells
            ),
            failed=progress.failed,
        )
        print(to_json(report))
    else:
        for turn, why in progress.failed.items():
            print(harmless(f"not measured: {turn}: {why}"))
        from raidtui.commands.text.sweep_table import tables_of
        from raidtui.results.store import Store

        store = Store()
        print("\n".join(tables_of([store.get(one) for one in progress.results.values()])))
    return code
