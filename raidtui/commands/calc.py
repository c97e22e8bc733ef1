"""What a layout gives, or every layout, without touching a disk: space to the byte, failures survived, waste, time.

A SPEC with `sizes` needs no disks; one with `members` is calculated for the disks of this machine (or of
--machine FILE). With --disks the sizes are taken literally: '4TB' is 4,000,000,000,000 bytes, while a real
4 TB disk has 4000787030016 (write 4x4000787030016B or 4x7814037168s for the exact result).
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from raidtui.advice.geometry import MemberUse
from raidtui.advice.layouts import CannotBuild, check_layout
from raidtui.advice.report import (
    MOST_DISKS,
    Question,
    Report,
    all_reports,
    check_number,
    member_sizes,
    one_report,
)
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import to_json
from raidtui.model.units import MIB, binary, decimal, duration, parse_size, spell_size

WIDTH: Final = 80
_GROUP: Final = re.compile(r"\s*(?:(?P<count>\d+)\s*[xX*]\s*)?(?P<size>[^\s].*?)\s*")
DEFAULT_RESERVE: Final = 100 * MIB


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``raidtui calc``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="a spec, with members or with sizes")
    parser.add_argument(
        "--disks", metavar="LIST", help="disks in slot order in place of a spec, such as 4x4TB,1x3TB"
    )
    parser.add_argument("--level", metavar="NAME", help="this level only; without it every level is shown")
    parser.add_argument(
        "--layout", metavar="NAME", help="of raid10: n2, f2, o2 …; of raid5 and raid6: left-symmetric …"
    )
    parser.add_argument("--chunk", metavar="SIZE", help="such as 512KiB, the default")
    parser.add_argument("--spares", metavar="N", type=int, default=0, help="the last N of the disks stand by")
    parser.add_argument("--metadata", metavar="VERSION", help="1.2 (default), 1.1, 1.0 or 0.90")
    parser.add_argument(
        "--consistency", metavar="POLICY", help="bitmap, resync, ppl or none, as the level allows"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--partition",
        action="store_true",
        help="the sizes are of disks that get one GPT partition each, 100MiB left free at the end",
    )
    place.add_argument(
        "--whole", action="store_true", help="the sizes are of the member devices themselves (the default)"
    )
    parser.add_argument("--flash", action="store_true", help="the disks do not rotate")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print one report, or all of them."""
    if args.spec and args.disks is not None:
        raise BadInput("a spec names its own disks; give either SPEC or --disks")
    if args.spec:
        report = _of_spec(args.spec, args)
    else:
        question = _question(args)
        if args.level is None:
            return _all(question, args)
        report = one_report(args.level, question)
    if args.json:
        print(to_json(report))
    if report.refused is not None:
        raise CannotBuild(report.refused)
    if not args.json:
        print("\n".join(_page(report)))
    return 0


def _of_spec(path: str, args: argparse.Namespace) -> Report:
    for option in ("level", "layout", "chunk", "metadata", "consistency"):
        if getattr(args, option) is not None:
            raise BadInput(f"--{option} belongs to --disks; in a spec write {option} = …")
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BadInput(f"the spec {path} cannot be read: {reason}") from error
    from raidtui.model.specfile import read_spec

    spec = read_spec(text, origin="standard input" if path == "-" else path)
    if spec.backend is not Backend.MDADM:
        raise BadInput(f"{path}: calc knows the backend mdadm, not {spec.backend}")
    if spec.members:
        return _of_members(spec, args.machine)
    return one_report(spec.level, _of_sizes(spec, rotational=not args.flash))


def _of_sizes(spec: Spec, *, rotational: bool) -> Question:
    partition, reserve = spec.partition is True, DEFAULT_RESERVE if spec.reserve is None else spec.reserve
    return Question(
        sizes=member_sizes(spec.sizes, partition, reserve, 512),
        spare_sizes=member_sizes(spec.spare_sizes, partition, reserve, 512),
        chunk=spec.chunk,
        layout=spec.layout,
        metadata=spec.metadata or "1.2",
        consistency=spec.consistency,
        rotational=rotational,
    )


def _of_members(spec: Spec, machine_file: str | None) -> Report:
    from raidtui.advice.hazards import find_hazards
    from raidtui.machine.reader import the_machine
    from raidtui.plan.complete import complete

    machine = the_machine(machine_file)
    spec = complete(spec, machine)
    disks = [machine.disk(word) for word in spec.members]
    spares = [machine.disk(word) for word in spec.spares]
    partition, reserve = spec.partition is True, spec.reserve or 0
    sector = max(disk.logical_sector_bytes for disk in disks)
    question = Question(
        sizes=member_sizes([disk.size_bytes for disk in disks], partition, reserve, sector),
        spare_sizes=member_sizes([disk.size_bytes for disk in spares], partition, reserve, sector),
        chunk=spec.chunk,
        layout=spec.layout,
        metadata=spec.metadata or "1.2",
        consistency=spec.consistency,
        rotational=any(disk.rotational for disk in disks),
        speed_limit=machine.system.raid_speed_max,
    )
    return one_report(spec.level, question, hazards=find_hazards(spec, machine))


def parse_disks(text: str) -> tuple[int, ...]:
    """Bytes of each disk of a list such as ``4x4TB,1x3TB``.

    Raises:
        BadInput: not such a list, or a number or size that makes no sense.
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
            raise BadInput(f"{part.strip()!r} names no disk at all")
        if size == 0:
            raise BadInput(f"{part.strip()!r} is a disk without any space")
        if len(sizes) + count > MOST_DISKS:
            check_number(len(sizes) + count)
        sizes.extend([size] * count)
    return tuple(sizes)


def _question(args: argparse.Namespace) -> Question:
    if args.disks is None:
        raise BadInput("calc needs a SPEC or --disks, such as: raidtui calc --disks 4x4TB,1x3TB")
    disks = parse_disks(args.disks) if args.disks.strip() else ()
    check_number(len(disks))
    if not 0 <= args.spares < len(disks):
        raise BadInput(f"--spares {args.spares} of {len(disks)} disks leaves no member")
    chunk = None if args.chunk is None else parse_size(args.chunk)
    devices = member_sizes(disks, args.partition, DEFAULT_RESERVE, 512)
    members = len(devices) - args.spares
    if args.layout and not args.level:
        check_layout("raid10", args.layout, members)
    return Question(
        sizes=devices[:members],
        spare_sizes=devices[members:],
        chunk=chunk,
        layout=args.layout,
        metadata=args.metadata or "1.2",
        consistency=args.consistency,
        rotational=not args.flash,
    )


def _all(question: Question, args: argparse.Namespace) -> int:
    reports = tuple(all_reports(question))
    if args.json:
        print(to_json({"layouts": reports}))
    if all(report.refused is not None for report in reports):
        raise CannotBuild(str(reports[0].refused))
    if not args.json:
        print("\n".join(_table(question, reports)))
    return 0


def _groups(sizes: Sequence[int]) -> str:
    return ", ".join(f"{len(list(same))} x {decimal(size)}" for size, same in groupby(sizes))


def _table(question: Question, reports: Sequence[Report]) -> Iterator[str]:
    head = f"{_groups(question.sizes)}: {decimal(sum(question.sizes))} ({binary(sum(question.sizes))}) in all"
    if question.spare_sizes:
        head += f", and as spares {_groups(question.spare_sizes)}"
    yield from textwrap.wrap(head, WIDTH)
    yield ""
    yield f"{'layout':<10}{'bytes':>17}{'TB':>10}{'TiB':>11}{'overhead':>10}  survives"
    for report in reports:
        name = f"{report.level} {report.layout}" if report.level == "raid10" else report.level
        if report.refused is not None or report.survives is None:
            yield from textwrap.wrap(
                f"{name:<11}{report.refused}", WIDTH, subsequent_indent=" " * 11, drop_whitespace=True
            )
            continue
        size = report.usable_bytes
        yield (
            f"{name:<10}{size:>17}{decimal(size):>10}{binary(size):>11}{report.overhead:>10.1%}  {_survives(report)}"
        )
    yield ""
    yield "overhead is the part of all disks that is not usable; --level NAME shows more."


def _survives(report: Report) -> str:
    assert report.survives is not None
    sure, after = report.survives.guaranteed, report.survives.next_failure_fatal_probability
    if sure == 0:
        return "no failure"
    return f"any {sure}" + (f", {sure + 1} with {1 - after:.0%}" if after < 1 else "")


def _page(report: Report) -> Iterator[str]:
    disks = len(report.members)
    words = [report.level, report.layout, f"on {disks} disks"]
    if report.spares:
        words.append(f"with {len(report.spares)} spare{'s' if len(report.spares) > 1 else ''}")
    yield " ".join(word for word in words if word)
    options = [f"metadata {report.metadata}", f"consistency {report.consistency}"]
    if report.chunk_bytes:
        options.insert(0, f"chunk {spell_size(report.chunk_bytes)}")
    yield ", ".join(options)
    yield ""
    yield f"{'usable':<14}{_exact(report.usable_bytes)}"
    yield f"{'component':<14}{_exact(report.component_bytes)}"
    yield f"{'data offset':<14}{_exact(report.data_offset_bytes)}"
    if report.survives is not None:
        yield f"{'survives':<14}{report.survives.words}"
        if report.survives.guaranteed == 1 and report.survives.second_failure_fatal_probability < 1:
            yield f"{'':<14}a second random failure loses data with {report.survives.second_failure_fatal_probability:.1%}"
    yield f"{'overhead':<14}{report.overhead:.1%} of all disks"
    if report.rebuild_seconds is not None:
        low, high = report.rebuild_seconds.low, report.rebuild_seconds.high
        yield f"{'full sync':<14}{duration(low)} to {duration(high)} when the disks do nothing else"
    yield ""
    yield f"{'disk':<10}{'bytes':>17}{'used':>17}{'not used':>17}"
    yield from _members(report.members, "member")
    yield from _members(report.spares, "spare")
    for hazard in report.hazards:
        yield ""
        yield from textwrap.wrap(
            f"{hazard.severity:<6}{hazard.id}: {hazard.seen}", WIDTH, subsequent_indent=" " * 6
        )
        yield from textwrap.wrap(
            f"{hazard.meaning} {hazard.advice}", WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6
        )


def _exact(size: int) -> str:
    return f"{size:>17} bytes = {decimal(size)} = {binary(size)}"


def _members(uses: Sequence[MemberUse], role: str) -> Iterator[str]:
    number = 1
    for use, same in groupby(uses):
        count = len(list(same))
        which = str(number) if count == 1 else f"{number}-{number + count - 1}"
        name = which if role == "member" else f"spare {which}"
        yield f"{name:<10}{use.size_bytes:>17}{use.used_bytes:>17}{use.wasted_bytes:>17}"
        yield from textwrap.wrap(use.why, WIDTH, initial_indent=" " * 10, subsequent_indent=" " * 10)
        number += count
