"""Calculate one layout, or every layout, without touching a disk: space to the
byte, failures survived, risk, speed.

A SPEC with `sizes` needs no disks; one with `members` is calculated for the
disks of this machine (or of --machine FILE). With --disks the sizes are taken
literally: '4TB' is 4,000,000,000,000 bytes. A real 4 TB disk has
4,000,787,030,016; write 4x4000787030016B or 4x7814037168s for the exact result.
"""

import argparse
import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from raidtui.advice.afr import parse_rate
from raidtui.advice.disk_inputs import assumed_inputs, known_inputs
from raidtui.advice.hazards.drives import shingled
from raidtui.advice.report import (
    MOST_DISKS,
    Question,
    Report,
    all_reports,
    backend_of,
    check_disks,
    check_level,
    check_number,
    check_options,
    is_alone,
    one_report,
    refusal,
    report_of,
)
from raidtui.advice.risk import DEFAULT_AFR, DEFAULT_AFR_FLASH, RiskInputs
from raidtui.advice.unreadable import parse_unreadable
from raidtui.backends.contract import Resolved
from raidtui.backends.facts import Options
from raidtui.backends.options import own_value
from raidtui.backends.registry import ALSO, FOLDERS, backend
from raidtui.backends.resolve import is_built, options_of, place, place_sizes, resolve
from raidtui.backends.suited import OF_DISKS
from raidtui.commands.text.calc import growths, page, table
from raidtui.model.errors import BadInput, CannotBuild
from raidtui.model.nearest import hint
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import to_json
from raidtui.model.text import listed
from raidtui.model.units import MIB, parse_size
from raidtui.steps.pieces import DEFAULT_RESERVE, member_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from raidtui.model.machine import Disk

_GROUP: Final = re.compile(r"\s*(?:(?P<count>\d{1,19})\s*[xX*]\s*)?(?P<size>[^\s].*?)\s*")
LONGEST_REPAIR: Final = 10 * 8760.0
FASTEST_DISK: Final = 10**12  # bytes a second: a hundred times today's flash, so more is a typing error
# Options that belong to --disks → what to write in a spec instead.
_OF_A_SPEC: Final = {
    option: f"{option} = …" for option in ("backend", "level", "layout", "chunk", "metadata", "consistency")
} | {
    "filesystem": "[filesystem] and type = …",
    "spares": "spares = …",
    "partition": "partition = true",
    "whole": "partition = false",
    "option": "KEY = …",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "spec", metavar="SPEC", nargs="?", help="a spec, with members or with sizes; - is standard input"
    )
    parser.add_argument(
        "--disks", metavar="LIST", help="disks in slot order instead of a spec, such as 4x4TB,1x3TB"
    )
    parser.add_argument("--backend", metavar="NAME", help=f"this backend only: {', '.join(FOLDERS)}")
    parser.add_argument("--level", metavar="NAME", help="this level only (default: every level)")
    parser.add_argument(
        "--layout", metavar="NAME", help="RAID10: n2, f2, o2 …; RAID5 and RAID6: left-symmetric …"
    )
    parser.add_argument("--chunk", metavar="SIZE", help="such as 512KiB, the default")
    parser.add_argument("--spares", metavar="N", type=int, default=0, help="the last N disks are hot spares")
    parser.add_argument("--metadata", metavar="VERSION", help="1.2 (default), 1.1, 1.0 or 0.90")
    parser.add_argument(
        "--consistency", metavar="POLICY", help="bitmap, resync, ppl or none, as the level allows"
    )
    parser.add_argument("--filesystem", metavar="NAME", help="ext4, xfs or btrfs: show the space left in it")
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        help="a key that only this backend has, such as vdevs=2, recordsize=1MiB or arrays=2; may be repeated",
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--partition",
        action="store_true",
        help="the sizes are those of disks with one GPT partition each and 100MiB left free at the end",
    )
    place.add_argument(
        "--whole", action="store_true", help="the sizes are those of the members themselves (the default)"
    )
    parser.add_argument("--flash", action="store_true", help="the disks do not rotate")
    parser.add_argument("--speed", metavar="SIZE", help="measured bytes a second of one disk, such as 210MB")
    parser.add_argument(
        "--afr",
        metavar="RATE",
        help="annual failure rate of the disks, such as 2%% "
        f"(default: by model and age, else {_rate(DEFAULT_AFR)}, for flash {_rate(DEFAULT_AFR_FLASH)})",
    )
    parser.add_argument(
        "--ure",
        metavar="RATE",
        help="unreadable sectors per bit read, such as 1e-14 in data sheets of desktop drives "
        "(default: by model, else 1e-15)",
    )
    parser.add_argument(
        "--repair-hours",
        metavar="HOURS",
        help="from a failure to full redundancy (default: 24 to notice, 168 to obtain a disk, and the rebuild)",
    )
    parser.add_argument(
        "--grow", action="store_true", help="show what one more such disk would give each layout later"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _rate(afr: float) -> str:
    """A rate for help text, where argparse needs the sign doubled."""
    return f"{afr * 100:g}%%"


def run(args: argparse.Namespace) -> int:
    """Print the report of one layout, or a table of all."""
    if args.spec and args.disks is not None:
        raise BadInput("a spec names its own disks; give either SPEC or --disks")
    if args.spec:
        report = _of_spec(args.spec, args)
    else:
        backend = _backend(args.backend)
        if args.level is not None:
            check_level(args.level, backend)
        question = _question(args)
        if args.level is None:
            backends = (backend,) if backend else OF_DISKS
            check_options(question, backends)
            return _all(question, backends, json=args.json, grow=args.grow)
        report = one_report(backend or backend_of(args.level), args.level, question)
    if args.json:
        print(to_json(report))
    if report.refused is not None:
        raise CannotBuild(report.refused)
    if not args.json:
        print("\n".join(page(report)))
    return 0


def _all(question: Question, backends: tuple[Backend, ...], *, json: bool, grow: bool) -> int:
    reports = tuple(all_reports(question, backends))
    if json:
        print(to_json({"layouts": reports}))
    if all(report.refused is not None for report in reports):
        raise CannotBuild(str(reports[0].refused))
    if not json:
        print("\n".join((*table(question, reports), *(growths(reports) if grow else ()))))
    return 0


def _of_spec(path: str, args: argparse.Namespace) -> Report:
    for option, key in _OF_A_SPEC.items():
        if getattr(args, option) not in (None, False):
            raise BadInput(f"--{option} belongs to --disks; in a spec write {key}")
    from raidtui.commands._spec import read_spec_file

    spec = read_spec_file(path)
    try:
        if spec.members:
            return _of_members(spec, args)
        tools = _tools(args)
        resolved = place_sizes(spec, tools)
        disks = sum((*spec.sizes, *spec.spare_sizes))
        return report_of(resolved, _question_about(resolved, args, disks, tools), None)
    except CannotBuild as error:
        return refusal(spec.backend, spec.level, options_of(spec), error)


def _of_members(spec: Spec, args: argparse.Namespace) -> Report:
    from raidtui.backends.reading import the_machine

    if args.flash:
        raise BadInput("--flash is for --disks and sizes; raidtui knows whether the members of a spec rotate")
    machine = the_machine(args.machine)
    resolved = resolve(spec, machine) if is_built(spec) else place(spec, machine)
    disks = [piece.disk for piece in resolved.pieces if piece.role == "member"]
    question = replace(
        _question_about(
            resolved, args, sum(piece.disk.size_bytes for piece in resolved.pieces), machine.tools
        ),
        rotational=any(disk.rotational for disk in disks),
        speed_limit=machine.system.raid_speed_max,
        shingled=any(shingled(disk) for disk in disks),
        inputs=_inputs(args, disks),
    )
    return report_of(resolved, question, machine)


def _tools(args: argparse.Namespace) -> dict[str, str]:
    """The versions of the programs that decide the geometry: of the recorded machine, else of this computer."""
    from raidtui.machine.tools import deciding_versions

    if args.machine is None:
        return deciding_versions()
    from raidtui.backends.reading import the_machine

    return the_machine(args.machine).tools


def _question_about(
    resolved: Resolved, args: argparse.Namespace, disk_bytes: int, tools: "Mapping[str, str]"
) -> Question:
    """The question to ask about a resolved spec, on disks of ``disk_bytes`` in total, for these ``tools``."""
    facts = resolved.facts
    devices, stand_by = ([use.size_bytes for use in uses] for uses in (facts.members, facts.spares))
    return Question(
        sizes=tuple(devices),
        options=replace(options_of(resolved.spec), spare_sizes=tuple(stand_by), tools=tuple(tools.items())),
        outside_bytes=disk_bytes - sum((*devices, *stand_by)),
        rotational=not args.flash,
        speed=_speed(args.speed),
        filesystem=resolved.spec.filesystem.type,
        inputs=_inputs(args),
    )


def _own(args: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    """The options given with --option, which are keys of one backend."""
    if not args.option:
        return ()
    name = _backend(args.backend) or (args.level and backend_of(args.level))
    if not name:
        raise BadInput("--option needs --backend or --level: its keys belong to one backend")
    options = {key: one for key, one in backend(name).options.items() if one.own}
    found = {}
    for text in args.option:
        key, _, value = text.partition("=")
        if key not in options:
            known = f"takes {listed(tuple(options))}" if options else "has no keys of its own"
            raise BadInput(f"--option {text}: {name} {known}{hint(key, options)}")
        found[key] = own_value(key, value, options, level=args.level or "")
    return tuple(sorted(found.items()))


def parse_disks(text: str) -> tuple[int, ...]:
    """Bytes of each disk in a list such as ``4x4TB,1x3TB``.

    Raises:
        BadInput: it is not such a list, or a number or size in it makes no sense.
    """
    sizes: list[int] = []
    for part in text.split(","):
        match = _GROUP.fullmatch(part)
        if match is None:
            raise BadInput(f"--disks {text!r} has an empty part; write for example 4x4TB,1x3TB")
        word = match["size"]
        if word.startswith("-"):
            raise BadInput(f"{word!r} is a negative size; write for example 4x4TB")
        count, size = int(match["count"] or 1), parse_size(word)
        if count == 0:
            raise BadInput(f"{part.strip()!r} names no disk")
        if size == 0:
            raise BadInput(f"{part.strip()!r} is a disk without any space")
        if len(sizes) + count > MOST_DISKS:
            check_number(len(sizes) + count)
        sizes.extend([size] * count)
    return tuple(sizes)


def _backend(word: str | None) -> Backend | None:
    if word is None:
        return None
    if word not in FOLDERS:
        near = hint(word, FOLDERS, also=ALSO)
        raise BadInput(f"backend {word!r} cannot be calculated; valid values: {', '.join(FOLDERS)}{near}")
    return Backend(word)


def _question(args: argparse.Namespace) -> Question:
    if args.disks is None:
        raise BadInput("calc needs a SPEC or --disks, such as: raidtui calc --disks 4x4TB,1x3TB")
    disks = parse_disks(args.disks) if args.disks.strip() else ()
    alone = is_alone(_backend(args.backend), args.level)
    if not alone:
        check_disks(disks)
    if args.spares < 0:
        raise BadInput(f"--spares {args.spares} is not a number of disks; write 0 or more")
    if args.spares >= len(disks):
        raise BadInput(f"--spares {args.spares} of {len(disks)} disks leaves no member")
    devices = member_sizes(disks, partition=args.partition, reserve=0 if alone else DEFAULT_RESERVE)
    members = len(devices) - args.spares
    options = Options(
        spare_sizes=devices[members:],
        chunk=None if args.chunk is None else parse_size(args.chunk),
        layout=args.layout,
        metadata=args.metadata or "",
        consistency=args.consistency,
        own=_own(args),
        tools=tuple(_tools(args).items()),
    )
    return Question(
        sizes=devices[:members],
        options=options,
        outside_bytes=sum(disks) - sum(devices),
        rotational=not args.flash,
        speed=_speed(args.speed),
        filesystem=args.filesystem or "none",
        inputs=_inputs(args),
    )


def _speed(text: str | None) -> float | None:
    if text is None:
        return None
    speed = parse_size(text.removesuffix("/s"))
    if speed < MIB:
        raise BadInput(f"a disk of {text} a second is slower than 1 MiB; write for example 210MB")
    if speed > FASTEST_DISK:
        raise BadInput(f"a disk of {text} a second is faster than any disk; write for example 210MB")
    return float(speed)


def _inputs(args: argparse.Namespace, disks: "list[Disk] | None" = None) -> RiskInputs:
    inputs = known_inputs(disks) if disks else assumed_inputs(rotational=not args.flash)
    if args.afr is not None:
        inputs = replace(inputs, afr=parse_rate(args.afr), afr_source="given with --afr")
    if args.ure is not None:
        rate = parse_unreadable(args.ure)
        inputs = replace(inputs, unreadable_per_bit=rate, unreadable_source="given with --ure")
    if args.repair_hours is None:
        return inputs
    try:
        hours = float(args.repair_hours)
    except ValueError:
        hours = 0.0
    if not 0 < hours <= LONGEST_REPAIR:
        raise BadInput(
            f"--repair-hours {args.repair_hours} is not a repair time; write hours up to ten years, for example 48"
        )
    return replace(inputs, repair_hours=hours)
