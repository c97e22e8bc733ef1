"""Measure a directory on a mounted filesystem, or a block device, on a grid of sequential and random reads and writes.

In a directory it uses one unnamed test file and leaves nothing behind. A block device is only read, unless it is
blank and named with --erase. Ctrl-C stops at once.
"""

import argparse
import sys
from pathlib import Path

from msgspec.structs import replace

from raidtui.commands._recorded import refuse_recorded
from raidtui.model.errors import BadInput
from raidtui.model.journal import BenchRequest
from raidtui.model.text import fold
from raidtui.model.units import about, parse_size, parse_time, spell_size

_WIDTH = 79


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a directory or a block device")
    parser.add_argument("--list", action="store_true", help="list the profiles and what they measure")
    parser.add_argument(
        "--profile",
        default="cdm",
        metavar="NAME|FILE",
        help="the grid: a name, or a TOML file (default: cdm)",
    )
    parser.add_argument(
        "--size", help="size of the test file (default: the profile's, or less if it does not fit)"
    )
    parser.add_argument(
        "--runs", metavar="N", type=int, help="runs of each cell (default: the profile's, mostly 6)"
    )
    parser.add_argument(
        "--seconds", metavar="N", type=int, help="seconds of each run (default: the profile's, mostly 5)"
    )
    parser.add_argument("--mix", action="store_true", help="also measure 70 %% reads mixed with 30 %% writes")
    parser.add_argument("--cached", action="store_true", help="use the page cache, whatever the profile says")
    parser.add_argument(
        "--time-budget",
        metavar="TIME",
        help="choose runs and seconds to fit, such as 10m, and say which differences they can show",
    )
    parser.add_argument(
        "--compat",
        choices=("cdm8", "cdm9"),
        default="",
        help="measure as CrystalDiskMark 8 or 9 does, and show its score beside the median",
    )
    parser.add_argument(
        "--interval",
        metavar="TIME",
        help="pause between two cells, such as 5s (default: none; with --compat 5s)",
    )
    parser.add_argument(
        "--max-temperature",
        metavar="C",
        type=int,
        default=0,
        help="stop at this disk temperature (default: the limit the disk reports, else 60 rotating, 70 flash)",
    )
    parser.add_argument("--label", default="", help="a name for the result")
    parser.add_argument(
        "--erase",
        metavar="SERIAL",
        default="",
        help="write to this blank disk, named by serial number (an array: by name)",
    )
    parser.add_argument(
        "--during-sync", action="store_true", help="measure even while an array syncs; the result is flagged"
    )
    parser.add_argument("--json", action="store_true", help="the result as one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Check, start the job, follow it, and print the result."""
    if args.list:
        print(_profiles())
        return 0
    if args.target is None:
        raise BadInput(
            "name a directory or a block device to measure; 'raidtui bench --list' shows the grids"
        )
    refuse_recorded(args.machine, "cannot be measured")
    from raidtui.bench.preflight import preflight
    from raidtui.bench.settings import check_request
    from raidtui.commands.terminal.measuring import follow_measurement
    from raidtui.jobs.start import start_bench

    request = _request(args)
    check_request(request)
    seconds = parse_time(args.time_budget) if args.time_budget is not None else None
    settings = preflight(request).settings
    if seconds is not None:
        from raidtui.bench.costs import read_costs
        from raidtui.bench.schedule import fit

        settings = replace(settings, costs=read_costs(request.target))
        budget = fit(settings, seconds)
        request = replace(request, runs=budget.runs, seconds=budget.seconds)
        _say(
            f"{budget.runs} {'run' if budget.runs == 1 else 'runs'} of {budget.seconds} s, "
            f"{about(budget.expected_seconds)}: {budget.certainty}"
        )
    elif not request.size_bytes and settings.size_bytes < settings.profile.size_bytes:
        _say(
            f"using a test file of {spell_size(settings.size_bytes)}: the {spell_size(settings.profile.size_bytes)} "
            f"of the profile {settings.profile.name} do not fit"
        )
    return follow_measurement(start_bench(request).id, as_json=args.json)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _absolute(target: str) -> str:
    if not target:
        raise BadInput("the target is empty; name a directory or a block device")
    try:
        return str(Path(target).absolute())
    except FileNotFoundError:
        raise BadInput(f"{target} cannot be measured: the current directory no longer exists") from None


def _request(args: argparse.Namespace) -> BenchRequest:
    """The request that the options describe."""
    from raidtui.bench.profile_file import from_anywhere

    for name in ("runs", "seconds"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise BadInput(f"--{name} must be at least 1, not {value}")
    if args.time_budget is not None and (args.runs is not None or args.seconds is not None):
        raise BadInput("--time-budget sets runs and seconds; leave --runs and --seconds out")
    if args.max_temperature and not 20 <= args.max_temperature <= 110:
        raise BadInput(f"--max-temperature is in degrees Celsius, from 20 to 110, not {args.max_temperature}")
    return BenchRequest(
        target=_absolute(args.target),
        profile=from_anywhere(args.profile),
        size_bytes=parse_size(args.size) if args.size is not None else 0,
        runs=args.runs or 0,
        seconds=args.seconds or 0,
        mix=args.mix,
        cached=args.cached,
        pause_seconds=parse_time(args.interval) if args.interval is not None else 0,
        compat=args.compat,
        hottest=args.max_temperature,
        label=args.label,
        during_sync=args.during_sync,
        erase=args.erase,
    )


def _profiles() -> str:
    """Each profile: one line on what it measures, one or two on what that shows."""
    from raidtui.bench.profile_file import own_profiles
    from raidtui.machine.installation import REFERENCE

    lines = []
    for profile in own_profiles().values():
        lines.append(f"{profile.name:<11}{profile.title}")
        lines += fold(profile.about, _WIDTH, first=" " * 11, then=" " * 11)
    own = "A profile of your own is a TOML file, --profile FILE.toml; the page about it is"
    return "\n".join([*lines, "", own, f"  {REFERENCE}"])
