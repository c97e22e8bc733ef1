"""Show the scrubs of each unit: the last one, what it found and what that means, and what starts the next one.

A scrub reads every member and compares; it is a check and writes nothing but sectors that cannot be read. --now starts
one as a job and follows it. --schedule monthly enables the distribution's own timer where it has one, otherwise one of
raidtui's. A unit never gets two; 'one' keeps one of two. With --hours 01:00-06:00 a scrub pauses at the end of these
hours and continues in the next night. --hours alone sets or changes them, and 'none' removes them. --run is what that timer starts: it does nothing while the unit is degraded or busy.
"""

import argparse
from collections.abc import Iterator
from typing import Final

from raidtui.backends.control import Control
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import add_accept, add_dry_run, read_seed
from raidtui.model.errors import BadInput, Refused
from raidtui.model.history import ScrubResult
from raidtui.model.hours import read_hours
from raidtui.model.machine import Machine
from raidtui.model.procedure import NO_HOURS, Procedure, ScheduleScrub, Scrub
from raidtui.model.struct import Record, to_json
from raidtui.model.system import ScrubSchedule
from raidtui.model.text import harmless, listed, spelled
from raidtui.model.unit import Activity, Health, Unit
from raidtui.model.unit_names import not_one_called

_ORDERS: Final = {one.value: one for one in (Control.STOP, Control.PAUSE, Control.RESUME)}
_WAYS: Final = ("now", "run", *_ORDERS, "schedule")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="UNIT", nargs="?", help="its name, UUID or device")
    parser.add_argument("--now", action="store_true", help="scrub it now, as a job, and follow it")
    parser.add_argument("--stop", action="store_true", help="stop the scrub that runs")
    parser.add_argument("--pause", action="store_true", help="pause it, where the unit can")
    parser.add_argument("--resume", action="store_true", help="resume one that was paused or stopped")
    parser.add_argument(
        "--schedule",
        choices=("monthly", "off", "one"),
        help="scrub it every month, no longer by itself, or by only one of two schedules",
    )
    parser.add_argument(
        "--hours", metavar="01:00-06:00", help="only in these hours, over several nights, or 'none'"
    )
    parser.add_argument("--run", action="store_true", help="what a timer starts; not while degraded or busy")
    add_accept(parser)
    add_dry_run(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


class ScrubsOfUnit(Record, frozen=True, kw_only=True):
    """The scrubs of one unit."""

    name: str
    uuid: str
    level: str
    running: Activity | None  # the scrub that runs or is paused
    result: str  # of the last one, as the unit reports it now; empty: it reports none
    schedules: tuple[ScrubSchedule, ...] | None  # what starts one regularly; null: not known
    history: tuple[ScrubResult, ...] | None  # recorded results, oldest first; null: not read


class ScrubsDocument(Record, frozen=True, kw_only=True):
    """The document of ``--json`` without anything to do."""

    units: tuple[ScrubsOfUnit, ...]


def run(args: argparse.Namespace) -> int:
    """Show the scrubs, or do what is asked."""
    asked = [f"--{word}" for word in _WAYS if getattr(args, word)]
    if args.hours and not asked:
        args.schedule, asked = "monthly", ["--hours"]
    if len(asked) > 1:
        raise BadInput(f"{listed(asked)} cannot be combined; give one of them")
    if asked and not args.unit:
        raise BadInput(f"{asked[0]} needs the UNIT; 'raidtui scrub' lists them")
    if args.hours and args.schedule != "monthly" and not args.run:
        raise BadInput("--hours belongs to --schedule monthly")
    if args.hours and args.hours != NO_HOURS:
        read_hours(args.hours, what="--hours")
    if asked:
        refuse_recorded(args.machine)
    return _do(args, asked[0].removeprefix("--")) if asked else _show(args)


def _do(args: argparse.Namespace, way: str) -> int:
    from raidtui.backends.reading import the_machine
    from raidtui.backends.units import units_of
    from raidtui.jobs.root import check_root

    check_root()
    machine = the_machine(None)
    unit = _find(args.unit, units_of(machine))
    if way in _ORDERS:
        from raidtui.jobs.orders import give

        if unit.activity is not None and not unit.activity.is_scrub:
            raise Refused(f"no scrub of {harmless(unit.shown)} runs: {harmless(unit.state)}")
        print(give(unit, _ORDERS[way]))
        return 0
    if way == "run":
        return _run(unit, args.hours)
    return _procedure(
        args,
        Scrub(unit=unit.uuid)
        if way == "now"
        else ScheduleScrub(unit=unit.uuid, how=args.schedule, hours=args.hours or ""),
        machine,
    )


def _procedure(args: argparse.Namespace, procedure: Procedure, machine: Machine) -> int:
    from raidtui.commands._procedure import do_procedure
    from raidtui.plan.care import make_care, title_of

    args.erase = []
    plan = make_care(procedure, machine, seed=read_seed(None))
    return do_procedure(args, title_of(procedure, plan), plan, procedure, machine)


def _run(unit: Unit, hours: str | None) -> int:
    """Start a check and leave it alone: the kernel, or the program of the unit, does it. With hours, see to them."""
    from raidtui.jobs.orders import give

    if hours:
        from raidtui.jobs.nights import scrub_in_hours

        print(scrub_in_hours(unit, read_hours(hours, what="--hours")))
        return 0
    if unit.health not in {Health.OK, Health.ERRORS} or unit.activity is not None:
        raise Refused(f"{harmless(unit.shown)} is not scrubbed now: {harmless(unit.state)}")
    print(give(unit, Control.SCRUB))
    return 0


def _find(word: str, units: tuple[Unit, ...]) -> Unit:
    found = [unit for unit in units if unit.is_called(word)]
    if len(found) != 1:
        raise BadInput(not_one_called(word, len(found), units))
    return found[0]


def _show(args: argparse.Namespace) -> int:
    from raidtui.advice.findings.scrubs import results_of, schedules_of, scrubbed_units
    from raidtui.backends.reading import the_machine
    from raidtui.backends.units import units_of

    machine = the_machine(args.machine)
    every = units_of(machine)
    units = (_find(args.unit, every),) if args.unit else scrubbed_units(every)
    shown = tuple(
        ScrubsOfUnit(
            name=unit.shown,
            uuid=unit.uuid,
            level=unit.level,
            running=unit.activity if unit.activity is not None and unit.activity.is_scrub else None,
            result=unit.scrubbed,
            schedules=schedules_of(unit, machine),
            history=None if machine.history is None else results_of(unit, machine),
        )
        for unit in units
    )
    if args.json:
        print(to_json(ScrubsDocument(units=shown)))
    else:
        lines = [line for one in shown for line in _lines(one, whole=bool(args.unit))]
        print("\n".join(lines or ["no unit here has copies or parity that a scrub could compare"]))
    return 0


def _lines(one: ScrubsOfUnit, *, whole: bool) -> Iterator[str]:
    """The lines of a unit; ``whole``: with every recorded result."""
    from raidtui.advice.mismatch_places import where_words
    from raidtui.advice.scrub_words import last_words, moment, next_words, now_words, result_words
    from raidtui.commands.text.findings import wrapped

    yield harmless(f"{one.name}  {spelled(one.level)}")
    rows = [
        ("last", last_words(one.history, one.result)),
        ("where", where_words(one.history[-1]) if one.history else ""),
        ("means", one.history[-1].means if one.history else ""),
        ("next", next_words(one.schedules)),
        ("now", now_words(one.running)),
    ]
    if whole:
        rows += [
            ("before", f"{moment(result.at)}: {result_words(result.words)}")
            for result in reversed((one.history or ())[:-1])
        ]
    for label, text in rows:
        if text:
            yield from wrapped(f"  {label:<8}", [harmless(text)])
