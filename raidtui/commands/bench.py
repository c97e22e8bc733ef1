"""Measure a directory on a mounted filesystem, or a block device, on a grid of sequential and random reads and writes.

A directory gets one test file, which has no name and leaves nothing behind. A block device is only read, unless it
is blank and named with --erase. Ctrl-C stops at once.
"""

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from raidtui.model.errors import BadInput, Refused
from raidtui.model.journal import BenchRequest, Entry, Event, JobState, Outcome
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.model.units import duration, parse_size, rate, spell_size

_WIDTH = 79


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options."""
    defaults = BenchRequest(target="")
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a directory or a block device")
    parser.add_argument("--list", action="store_true", help="show the profiles and their rows")
    parser.add_argument(
        "--profile", default=defaults.profile, help=f"which grid (default: {defaults.profile})"
    )
    size = spell_size(defaults.size_bytes)
    parser.add_argument("--size", default=size, help=f"size of the test file (default: {size})")
    parser.add_argument(
        "--runs", type=int, default=defaults.runs, help=f"runs of each cell (default: {defaults.runs})"
    )
    parser.add_argument(
        "--seconds", type=int, default=defaults.seconds, help=f"of each run (default: {defaults.seconds})"
    )
    parser.add_argument("--mix", action="store_true", help="also reads and writes together, 70 to 30")
    parser.add_argument("--label", default="", help="a name for the result")
    parser.add_argument(
        "--erase",
        metavar="SERIAL",
        default="",
        help="write to this blank disk, by its serial number (an array: by its name)",
    )
    parser.add_argument(
        "--during-sync", action="store_true", help="measure although an array syncs; the result says so"
    )
    parser.add_argument("--json", action="store_true", help="the result as one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Check, start the job, follow it, and print what came of it."""
    if args.list:
        print(_profiles())
        return 0
    if args.target is None:
        raise BadInput(
            "name a directory or a block device to measure; 'raidtui bench --list' shows the grids"
        )
    if args.machine is not None:
        raise Refused(f"{args.machine} is a recorded machine and cannot be measured; leave --machine out")
    from raidtui.bench.fio import MINIMUM
    from raidtui.bench.target import check_request, check_target
    from raidtui.jobs.start import start_bench
    from raidtui.machine.reader import read_machine
    from raidtui.machine.tools import require

    request = BenchRequest(
        target=str(Path(args.target).absolute()),
        profile=args.profile,
        size_bytes=parse_size(args.size),
        runs=args.runs,
        seconds=args.seconds,
        mix=args.mix,
        label=args.label,
        during_sync=args.during_sync,
        erase=args.erase,
    )
    check_request(request)
    require("fio", MINIMUM)
    # Asked here as well as in the job: a refusal is then the answer of this command, and no job is begun.
    check_target(request.target, read_machine(smart=False), request)
    return _follow(start_bench(request).id, as_json=args.json)


def _profiles() -> str:
    from raidtui.bench.profiles import PROFILES

    lines = []
    for profile in PROFILES.values():
        rows = ", ".join(row.name for row in profile.rows)
        lines.append(f"{profile.name:<6}{profile.title}\n      {rows}")
    return "\n".join(lines)


def _follow(job: str, *, as_json: bool) -> int:
    from raidtui.bench.session import CANCELLED
    from raidtui.jobs.start import cancel
    from raidtui.jobs.store import job_state

    state = job_state(job)
    progress = _Progress(Path(state.folder))
    try:
        result = progress.until_the_end()
    except KeyboardInterrupt:
        progress.stopping()
        with suppress(Refused):  # it has just ended
            cancel(job)
        progress.until_the_end()
        state = job_state(job)
        if state.outcome is not Outcome.DONE:
            print(f"raidtui: {harmless(state.sentence) or 'stopped'}", file=sys.stderr)
        return CANCELLED
    return _report(job_state(job), result, as_json=as_json)


def _report(state: JobState, result: str, *, as_json: bool) -> int:
    from raidtui.commands._grid import grid
    from raidtui.results.store import Store

    if state.outcome is Outcome.INTERRUPTED:
        print(
            f"raidtui: the process of the benchmark is gone without a word; nothing is stored and nothing is left "
            f"in its target ({state.folder} has its journal)",
            file=sys.stderr,
        )
        return 4
    if state.exit_code:
        print(f"raidtui: {harmless(state.sentence)}", file=sys.stderr)
        return state.exit_code
    measured = Store().get(result)
    print(to_json(measured) if as_json else grid(measured))
    return 0


class _Progress:
    """One line that changes on a terminal; elsewhere a line for each run of a cell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._on_terminal = sys.stderr.isatty()
        self._seen = 0
        self._shown = ""
        self._stops = False

    def until_the_end(self) -> str:
        """Follow the job, from where the last call left it, to its end; returns the id of the stored result."""
        from raidtui.jobs.journal import follow

        result = ""
        for entry in follow(self._folder, stop=self._tick):
            if entry.seq < self._seen:
                continue
            self._seen = entry.seq + 1
            self._tell(entry)
            if entry.event is Event.RESULT:
                result = entry.text
        self.say("")
        return result

    def stopping(self) -> None:
        """Say so, and nothing about speeds any more."""
        self.say("stopping …")
        self._stops = True

    def say(self, text: str) -> None:
        """Replace the changing line."""
        if not self._on_terminal:
            if text:
                print(text, file=sys.stderr, flush=True)
        elif text != self._shown:
            print(
                f"\r{text[:_WIDTH]:<{_WIDTH}}" + ("" if text else "\r"), end="", file=sys.stderr, flush=True
            )
            self._shown = text

    def _tell(self, entry: Entry) -> None:
        if self._on_terminal:
            return
        if entry.event is Event.CELL:
            print(f"{entry.step}: {harmless(entry.text)}", file=sys.stderr, flush=True)
        elif entry.event in {Event.NOTE, Event.STEP}:
            print(harmless(entry.text), file=sys.stderr, flush=True)

    def _tick(self) -> bool:
        """Called four times a second while the job runs; never asks to stop."""
        if self._on_terminal and not self._stops:
            from raidtui.bench.live import read_live

            if (live := read_live(self._folder)) is not None:
                what = f"{live.cell} {live.direction}" if live.cell else "test file"
                run = f"run {live.run}/{live.runs} " if live.run else ""
                self.say(
                    f"{live.percent:3.0f} % {run}{what}, {live.phase}: {rate(live.bytes_per_second)}, "
                    f"{live.iops:,.0f} IOPS, {duration(live.remaining_seconds)} left"
                )
        return False
