"""Try disks before they are trusted: their self-tests, and a read of all of each, compared by position.

All disks are tried at the same time, and disks in use are refused. A large disk takes a day or more. The job keeps
running without this terminal; after a crash or reboot 'raidtui resume' continues it. Sisters are disks of the same model
and size: a part is slow if they are faster there, also when it is read again. With --erase, blank disks are also written
and compared, in three more passes; otherwise nothing is written. Exit code 4: a disk is slow or has errors. Without
DISK the last result of each disk is shown.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import DecodeError

from raidtui.advice.burnin import verdict
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import add_erase, words
from raidtui.commands.terminal.tell import tell
from raidtui.model.history import BurnIn
from raidtui.model.machine import Machine
from raidtui.model.struct import Record, to_json, to_record
from raidtui.model.text import count_of, harmless
from raidtui.model.units import millions, parse_time

_WIDTH: Final = 60
_HEIGHT: Final = 3


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "disks", metavar="DISK", nargs="*", help="serial number, WWN or by-id name of a disk to try"
    )
    parser.add_argument(
        "--patience",
        metavar="TIME",
        default="15m",
        help="give up a disk that completes nothing for this long (default: 15m)",
    )
    add_erase(
        parser, without="then all of each is also written, compared and zeroed; without it they are only read"
    )
    parser.add_argument(
        "--no-self-tests", action="store_true", help="leave out the disks' own short and long self-tests"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


class BurnedIn(Record, frozen=True, kw_only=True):
    """The last burn-in of a disk, with what it says."""

    disk: str
    well: bool
    verdict: str
    result: BurnIn


class BurnInDocument(Record, frozen=True, kw_only=True):
    """The document of ``--json``."""

    job: str  # empty without DISK
    disks: tuple[BurnedIn, ...]


def run(args: argparse.Namespace) -> int:
    """Show the last results; or check, start the job, follow it, and show its results."""
    from raidtui.backends.reading import read_whole, the_machine

    if not args.disks:
        machine = the_machine(args.machine, smart=False)
        known = machine.history.burn_ins if machine.history is not None else ()
        _show(known, machine, as_json=args.json)
        for problem in machine.problems:
            tell(harmless(f"unknown: {problem.text}"))
        return 0
    from raidtui.bench.burnin.disks import check_to_write, disks_to_read, request_for
    from raidtui.bench.fio import MINIMUM
    from raidtui.jobs.root import check_root
    from raidtui.jobs.start import start_burn_in
    from raidtui.machine.tools import require
    from raidtui.machine.whereabouts import this_computer

    patience = parse_time(args.patience)
    refuse_recorded(args.machine)
    check_root()
    require("fio", MINIMUM)
    machine = read_whole()
    disks = disks_to_read(args.disks, machine)
    shown = ", ".join(f"{one.identity} ({one.short})" for one in disks)
    erase = words(args.erase)
    if erase:
        check_to_write(disks, erase, machine)
    what = f"ERASES {count_of(disks, 'disk')}: {shown}" if erase else "erases nothing"
    tell(harmless(f"On {this_computer()}: burn in {shown}; {what}"))
    wanted = request_for(
        disks, patience_seconds=patience, self_tests=not args.no_self_tests, writes=bool(erase)
    )
    job = start_burn_in(wanted, machine, erase=erase).id
    return follow_burn_in(job, as_json=args.json)


def follow_burn_in(job: str, *, as_json: bool = False) -> int:
    """Follow a burn-in to its end, print the result of each disk, and return the exit code."""
    from raidtui.commands.terminal.follow import INTERRUPTED, ending_of, follow_to_the_end
    from raidtui.jobs.store import job_state, read_confirmed_machine
    from raidtui.model.journal import Outcome

    code = follow_to_the_end(job, as_json=False, quiet=True)
    state = job_state(job)
    if code == INTERRUPTED and state.outcome is Outcome.RUNNING:  # Ctrl-C left it
        return code
    machine = read_confirmed_machine(Path(state.folder))
    found = results_of(Path(state.folder))
    if not found:
        tell(f"raidtui: {harmless(ending_of(state)) or state.outcome.words}")
        return code
    _show(found, machine, as_json=as_json, job=job)
    return code


def results_of(folder: Path) -> tuple[BurnIn, ...]:
    """The results in the journal of a burn-in; none if it has not ended, or they are damaged."""
    from raidtui.jobs.journal import data_of, read_journal
    from raidtui.model.journal import Event

    found = [data_of(entry) for entry in read_journal(folder) if entry.event is Event.RESULT]
    try:
        return tuple(to_record(one, BurnIn) for one in found)
    except DecodeError:
        return ()


def _show(results: Sequence[BurnIn], machine: Machine, *, as_json: bool, job: str = "") -> None:
    """Print ``results``, or the last ones of the disks of ``machine``."""
    if as_json:
        shown = tuple(
            BurnedIn(disk=one.subject, well=one.is_well, verdict=verdict(one), result=one) for one in results
        )
        print(to_json(BurnInDocument(job=job, disks=shown)))
    else:
        print("\n".join(lines_of(results, machine)) or "no disk here was burned in")


def lines_of(results: Sequence[BurnIn], machine: Machine) -> Iterator[str]:
    """The verdict of each disk, and its speed from its first sector to its last, drawn to one scale."""
    from raidtui.commands.text.findings import wrapped
    from raidtui.ui.bench.curves import curve

    names = {disk.identity: disk.short for disk in machine.disks}
    top = max((max(one.rates, default=0) for one in results), default=0)
    for one in results:
        at = names.get(one.subject, "not connected")
        yield from wrapped("", [harmless(f"{one.subject} ({at}), {one.at[:10]}: {verdict(one)}")])
        if not any(one.rates):
            continue
        drawn = curve(one.rates, width=_WIDTH, height=_HEIGHT, top=top)
        for number, line in enumerate(drawn):
            scale = f"{millions(top, 0)} MB/s" if number == 0 else ""
            yield f"{scale:>14} {line}".rstrip()
        middle, end = (millions(one.rates[place], 0) for place in (len(one.rates) // 2, -1))
        yield f"{'':>14} {millions(one.rates[0], 0)} MB/s at its start, {middle} in the middle, {end} at its end"
