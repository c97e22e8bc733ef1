"""Show the health of every disk: its age, temperature, worst value and how that changed, its last long self-test.

With DISK its history: a line for each day that was recorded. 'raidtui status --alert' records a row a day; 'raidtui
alerts' sets up what starts it. REPLACE: the disk says that it fails. WATCH: a count of errors grows. UNKNOWN: it
reports nothing, which is not the same as well.
"""

import argparse
from typing import Final

from raidtui.advice.disk_health import DiskHealth, Verdict, health_of, history_lines, long_test_words
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import add_dry_run, read_seed
from raidtui.model.errors import BadInput
from raidtui.model.history import SmartRow
from raidtui.model.struct import Record, to_json
from raidtui.model.text import count_of, harmless
from raidtui.model.units import age_words


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("disk", metavar="DISK", nargs="?", help="serial number, WWN or by-id name")
    parser.add_argument(
        "--self-tests",
        choices=("on", "off"),
        help="let smartd start a short self-test of each disk every week and a long one every month; or none",
    )
    add_dry_run(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


class HealthDocument(Record, frozen=True, kw_only=True):
    """The document of ``--json``."""

    disks: tuple[DiskHealth, ...]


def run(args: argparse.Namespace) -> int:
    """Print the table, or the history of one disk."""
    from raidtui.backends.reading import the_machine
    from raidtui.commands.text.findings import unknown_lines
    from raidtui.machine.history import HistoryFile

    if args.self_tests:
        return _self_tests(args)
    machine = the_machine(args.machine)
    wanted = machine.disk(args.disk).identity if args.disk else None
    rows = None if args.machine or wanted is None else HistoryFile().of(SmartRow, wanted)
    found = [one for one in health_of(machine, rows) if wanted in {None, one.disk}]
    if args.json:
        print(to_json(HealthDocument(disks=tuple(found))))
        return 0
    lines = history_lines(found[0]) if wanted is not None else table_lines(found)
    print("\n".join((*map(harmless, lines), *unknown_lines(machine.problems))))
    return 0


def _self_tests(args: argparse.Namespace) -> int:
    from raidtui.backends.reading import read_whole
    from raidtui.commands._procedure import do_procedure
    from raidtui.jobs.root import check_root
    from raidtui.model.procedure import SelfTests
    from raidtui.plan.care import make_care, title_of

    refuse_recorded(args.machine)
    if args.disk:
        raise BadInput("--self-tests is about every disk that smartd finds; leave the disk out")
    check_root()
    args.erase = args.accept = []
    order, machine = SelfTests(on=args.self_tests == "on"), read_whole()
    plan = make_care(order, machine, seed=read_seed(None))
    return do_procedure(args, title_of(order, plan), plan, order, machine)


_HEAD: Final = ("", "disk", "serial", "at", "age", "°C", "worst", "long test")


def table_lines(disks: list[DiskHealth]) -> list[str]:
    """A line for each disk, and below it why it is not well."""
    if not disks:
        return ["no disks"]
    cells = [_HEAD, *(_cells(one) for one in disks)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(_HEAD))]
    lines = []
    for row, disk in zip(cells, [None, *disks], strict=True):
        lines.append("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
        if disk is not None and disk.why and disk.verdict is not Verdict.UNKNOWN:
            lines.append(f"   !  {disk.why}")
    unknown = sum(one.verdict is Verdict.UNKNOWN for one in disks)
    if unknown:
        lines += ["", f"{count_of(unknown, 'disk')} UNKNOWN: no SMART values, or they could not be read"]
    return lines


def _cells(one: DiskHealth) -> tuple[str, ...]:
    smart = one.smart
    warmth = smart.temperature_celsius if smart is not None else None
    return (
        one.verdict.value,
        one.path.removeprefix("/dev/"),
        one.disk or "-",
        one.place or "-",
        age_words(smart.power_on_hours if smart is not None else None) or "-",
        "-" if warmth is None else str(warmth),
        one.words or ("-" if smart is None else "no errors"),
        long_test_words(smart) or "-",
    )
