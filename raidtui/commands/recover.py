"""Look for the files of an array, a volume group or a Btrfs that lost too many members, without writing to any of them.

The members are set read-only, and overlays take every write. On these the unit is put together in each way that may
be right. First come the members written last; a reshape is followed as far as it had come. Where superblocks are gone
or wrong, the likely orders are tried. Of a volume group every version of its metadata is tried, also those in /etc/lvm;
of a Btrfs copies of its superblock and older roots. Arrays under a volume group are put together first. Each, or each
partition on it, is mounted read-only, its files are counted, some are read, and fsck -n is run. What is left is the list.
--mount N leaves the files of number N mounted, read-only, to copy them away; --clean ends that. Without UNIT, --disks
names the members. Copy a failing disk to an image first (ddrescue): --image SERIAL=FILE.
"""

import argparse
import os
import shlex
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from raidtui.commands._recorded import refuse_recorded
from raidtui.commands._recover_steps import do_step
from raidtui.commands.apply import add_accept, add_dry_run, read_seed, words
from raidtui.commands.terminal.tell import tell
from raidtui.model.errors import BadInput, Refused, StepFailed
from raidtui.model.finding import recover_command
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover as RecoverProcedure
from raidtui.model.recovery import Recovery
from raidtui.model.struct import to_json
from raidtui.model.text import harmless, listed
from raidtui.model.unit_names import command_word, not_one_called
from raidtui.model.units import parse_size

if TYPE_CHECKING:
    from raidtui.backends.recovering import Recoverer, Wanted

_MOUNTPOINT = "/run/raidtui-recovery"
_MOST_MEMBERS = 1920  # of an array with metadata 1.2


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="UNIT", nargs="?", help="the lost unit: its name, UUID or device")
    parser.add_argument(
        "--disks",
        metavar="SERIAL[,SERIAL…]",
        default="",
        help="the members, if superblocks are gone; or the array that a volume group is on",
    )
    parser.add_argument(
        "--image", metavar="SERIAL=FILE", action="append", default=[], help="read FILE instead of that disk"
    )
    parser.add_argument("--stop", action="store_true", help="stop the unit first, if it runs")
    parser.add_argument(
        "--orders", action="store_true", help="try other orders even if superblocks give files"
    )
    parser.add_argument("--level", default="", help="only this level, if superblocks are gone")
    parser.add_argument("--layout", default="", help="only this layout: left-symmetric, n2")
    parser.add_argument("--chunk", metavar="SIZE", default="", help="only this chunk")
    parser.add_argument("--members", metavar="N", type=int, help="how many members it had")
    parser.add_argument(
        "--data-offset", metavar="SIZE", default="", help="where the data begins on each member"
    )
    parser.add_argument(
        "--overlays", metavar="FOLDER", default="", help="where overlays are (default: in memory, /dev/shm)"
    )
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--mount", metavar="N", type=int, help="mount number N of the last list")
    parser.add_argument("--at", metavar="FOLDER", default=_MOUNTPOINT, help=f"where (default: {_MOUNTPOINT})")
    parser.add_argument(
        "--copy-to",
        metavar="FOLDER",
        default="",
        help="copy the files of --mount N there, if it does not mount",
    )
    one.add_argument("--clean", action="store_true", help="unmount it and remove what a trial left behind")
    one.add_argument(
        "--for-real",
        metavar="N",
        type=int,
        help="only if its files were found whole: start the array by force as number N was tried, or restore the metadata of the "
        "volume group. A plan",
    )
    one.add_argument(
        "--put-back",
        metavar="FOLDER",
        default="",
        help="after --for-real: put the superblocks or the metadata back that are kept in FOLDER, unless the array was written to "
        "since",
    )
    one.add_argument(
        "--luks-header",
        metavar="FILE",
        default="",
        help="write the damaged LUKS header of the device UNIT to FILE, with what it lacks",
    )
    for word in ("--keep", "--version", "--group", "--labels", "--begin"):
        parser.add_argument(word, default="", help=argparse.SUPPRESS)
    add_accept(parser)
    add_dry_run(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Try, show what was found, and leave nothing behind; or mount one; or clean up."""
    from raidtui.jobs.recovering.luks_file import save_header
    from raidtui.jobs.recovering.record import read_last
    from raidtui.jobs.recovering.trial import clean
    from raidtui.jobs.recovering.words import result_lines, still_stopped
    from raidtui.jobs.root import check_root
    from raidtui.lab.session import Ended, ended_by_signals

    refuse_recorded(args.machine)
    check_root()
    if args.clean:
        name = clean()
        last = read_last() if name else None
        stopped = last.stopped if last is not None and last.name == name else ()
        found = Recovery(name=args.unit or "", tried=(), stopped=stopped)
        done = "removed; the members are as they were" if name else "there is nothing to remove"
        print(to_json(found) if args.json else "\n".join(filter(None, (done, still_stopped(found)))))
        return 0
    if args.keep or args.put_back or args.begin:
        print(harmless(do_step(args)))
        return 0
    if args.for_real is not None:
        return _for_real(args)
    if args.luks_header:
        print("\n".join(save_header(args.unit or "", args.luks_header)))
        return 0
    if not args.unit and not args.disks and not args.image:
        raise BadInput(
            "name the lost UNIT, or its members: --disks SERIAL,...; 'raidtui care' lists what is lost"
        )
    try:
        with ended_by_signals():
            found = _recover(args)
    except Ended as ended:
        tell("raidtui: the trial was ended; the members are as they were")
        return ended.exit_code
    print(to_json(found) if args.json else "\n".join(result_lines(found)))
    return 0 if any(one.found for one in found.tried) else StepFailed.exit_code


def recover(procedure: RecoverProcedure, name: str, *, machine: str | None, as_json: bool = False) -> int:
    """Do what a finding called ``name`` leads to.

    Raises:
        Refused: something runs with the members; who stops it says so with the command.
    """
    if procedure.stop:
        raise Refused(
            f"the trial has to stop what runs with the members, and care stops nothing; run: {shlex.join(recover_command(procedure, name))}"
        )
    parser = argparse.ArgumentParser()
    configure(parser)
    args = parser.parse_args(recover_command(procedure, name)[2:])
    args.machine, args.json = machine, as_json
    return run(args)


def _for_real(args: argparse.Namespace) -> int:
    """Do to the members what was tried on overlays."""
    from raidtui.backends.reading import the_machine
    from raidtui.commands._procedure import do_procedure
    from raidtui.jobs.recovering.for_real import order_for_real
    from raidtui.jobs.recovering.record import read_last
    from raidtui.jobs.recovering.trial import begin
    from raidtui.plan.care import make_care, title_of

    begin()
    machine = the_machine(None)
    if not args.unit and not args.disks:
        raise BadInput("name the UNIT that was tried, or its --disks")
    lost = _lost(args, machine)
    procedure = order_for_real(read_last(), args.for_real, name=lost.name, unit=lost.uuid)
    plan = make_care(procedure, machine, seed=read_seed(None))
    args.erase = []
    return do_procedure(args, title_of(procedure, plan), plan, procedure, machine)


def _recover(args: argparse.Namespace) -> Recovery:
    from raidtui.backends.reading import the_machine
    from raidtui.jobs.recovering.freeing import free
    from raidtui.jobs.recovering.record import write_last
    from raidtui.jobs.recovering.search import ask, search
    from raidtui.jobs.recovering.trial import (
        IN_MEMORY,
        begin,
        check_ready,
        check_target,
        copy_out,
        keep,
        sources_of,
        trial,
    )

    begin()
    wanted = _wanted(args)
    machine = the_machine(None)
    lost = _lost(args, machine)
    wanted = wanted._replace(uuid=lost.uuid)
    name, sources = lost.name, sources_of(lost.devices)
    last = _last(args, name)
    overlays, at = os.path.abspath(args.overlays or IN_MEMORY), os.path.abspath(args.at)
    check_ready(overlays, sources, at)
    if args.copy_to:
        check_target(args.copy_to, sources)
    # Only now: what is wrong with an option is said before anything is stopped.
    running = {one.node: f"array {one.shown}" for one in machine.arrays if one.started}
    nodes = free(sources, stop=args.stop, release=tuple(lost.release))
    arrays = tuple(running[one] for one in nodes if one in running)
    others = tuple(lost.release.values()) if any(node not in running for node in nodes) else ()
    stopped = (*others, *arrays)
    for one in stopped:
        _tell(f"stopped {one}")
    asked = ask(lost.recoverers, sources, wanted)
    chosen = (
        [last.tried[args.mount - 1].candidate]
        if last is not None
        else [one for _, found in asked for one in found]
    )
    held = any(one.filesystem for one in chosen)
    register = next((one.register for one in lost.recoverers if one.register and held), ())
    with trial(name, sources, overlays, at, register) as here:
        if last is not None and args.copy_to:
            copied = copy_out(here, last.tried[args.mount - 1], args.copy_to)
            return replace(last, copied_to=args.copy_to, copied=copied, stopped=stopped or last.stopped)
        if last is not None:
            keep(here, last.tried[args.mount - 1], args.mount)
            return replace(last, mounted_at=at, mounted=args.mount, stopped=stopped or last.stopped)
        said = {one: words for each in lost.recoverers for one, words in each.members(sources).items()}
        for source in sources:
            _tell(f"{source.name}: {said.get(source.name, 'no superblock')}")
        tried = search(here, asked, lost.recoverers, sources, wanted, orders=args.orders, report=_tell)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        images = tuple(one.name for one in sources if one.image)
        found = Recovery(
            name=name,
            unit=lost.uuid,
            apart=lost.apart,
            tried=tuple(tried),
            at=now,
            images=images,
            stopped=stopped,
            md_wrote=bool(arrays),
        )
        write_last(found)
        return found


def _tell(line: str) -> None:
    tell(harmless(line))


def _wanted(args: argparse.Namespace) -> "Wanted":
    """What the person knows of the unit."""
    from raidtui.backends.level_words import check_level
    from raidtui.backends.recovering import Wanted
    from raidtui.backends.registry import recoverers

    if args.level:
        check_level(args.level, tuple(recoverers()))
    if args.members is not None and not 0 < args.members <= _MOST_MEMBERS:
        raise BadInput(f"--members must be between 1 and {_MOST_MEMBERS}, not {args.members}")
    return Wanted(
        unit=args.unit or "",
        level=args.level,
        layout=args.layout,
        chunk_bytes=parse_size(args.chunk) if args.chunk else 0,
        disks=args.members or 0,
        offset_bytes=parse_size(args.data_offset) if args.data_offset else -1,
    )


def _last(args: argparse.Namespace, name: str) -> Recovery | None:
    """The last list, which has the number that is to be mounted; None if none is.

    Raises:
        BadInput: there is no such number.
    """
    from raidtui.jobs.recovering.record import read_last

    last = read_last() if args.mount is not None else None
    if args.mount is not None and (
        last is None or last.name != name or not 0 < args.mount <= len(last.tried)
    ):
        raise BadInput(
            f"there is no number {args.mount} in a list of {harmless(name)}; run it without --mount first"
        )
    if last is not None and last.tried[args.mount - 1].candidate.unmounted != bool(args.copy_to):
        raise BadInput(
            f"number {args.mount} does not mount; copy its files out: --copy-to FOLDER"
            if not args.copy_to
            else f"number {args.mount} is mounted to copy its files; leave out --copy-to"
        )
    if args.copy_to and last is None:
        raise BadInput("--copy-to takes --mount N, the number of the list whose files are copied out")
    return last


class _Lost(NamedTuple):
    """What is looked for."""

    name: str
    devices: dict[str, str]  # the device or image of each member, by name
    recoverers: "tuple[Recoverer, ...]"
    release: Mapping[
        tuple[str, ...], str
    ]  # what stops what is active on the members, if not md: the command, and of what
    uuid: str = ""  # of the unit that is named
    apart: tuple[str, ...] = ()  # if none is: what commands call the arrays of the disks, if several


def _lost(args: argparse.Namespace, machine: Machine) -> _Lost:
    """The members of the unit that is meant, and of which kind it may be."""
    from raidtui.backends.registry import recoverers
    from raidtui.backends.unexplained import device_of
    from raidtui.backends.unit_words import with_noun
    from raidtui.backends.units import units_of
    from raidtui.backends.used_elsewhere import check_not_elsewhere
    from raidtui.machine.md.newest import name_of_member

    known, devices = recoverers(), dict[str, str]()
    upper = tuple(dict.fromkeys(one for one in known.values() if one.inside))
    name, chosen = args.unit or "", (*(one for one in known.values() if not one.inside), *upper)
    units, uuid = units_of(machine), ""
    if args.unit:
        named = [one for one in units if one.is_called(args.unit)]
        called = [(each, each.called(args.unit, machine)) for each in known.values()] if not named else []
        for each, paths in called:
            if paths:
                chosen = (each,)
                devices |= {name_of_member(path, machine.disks): path for path in paths}
        # LVM has its metadata in files too, which may know one of which no disk is left.
        if len(named) > 1 or not (named or devices or args.disks or args.image):
            none = "" if named else ". If LVM does not find its volume group, name the disks with --disks"
            raise BadInput(f"{not_one_called(args.unit, len(named), units)}{none}")
        if not machine.complete:
            raise Refused("not everything on the disks could be read; see 'raidtui doctor'")
        for unit in named:
            check_not_elsewhere(unit, machine)
            if unit.backend not in known:
                raise Refused(f"raidtui does not look for the files of {unit.kind} on overlays")
            own = known[unit.backend]
            # A volume group on an array is not seen while this does not run.
            name, uuid = unit.name or unit.uuid, unit.uuid
            chosen = (own, *(one for one in upper if one is not own))
            for path in known[unit.backend].devices(unit, machine):
                devices[name_of_member(path, machine.disks)] = path
    for word in words([args.disks]):
        path = device_of(word, machine, of_unit=bool(args.unit))
        devices[name_of_member(path, machine.disks, machine.arrays)] = path
    apart = () if args.unit else _several(devices.values(), machine)
    chosen = upper if apart else chosen
    for pair in args.image:
        serial, _, file = pair.partition("=")
        if not serial or not file:
            raise BadInput(f"--image {pair!r}: write SERIAL=FILE")
        devices[serial] = file
    # A volume group is active on them, or on the array that is named.
    held = [
        one
        for one in units
        if one.backend in known
        and (
            (uuid and uuid in (one.uuid, *one.below))
            or any(each.path in devices.values() for each in one.members)
        )
    ]
    ways = {way: with_noun(one) for one in held if (way := known[one.backend].release(one.uuid))}
    return _Lost(name or listed(list(devices)), devices, chosen, ways, uuid, apart)


def _several(paths: Collection[str], machine: Machine) -> tuple[str, ...]:
    """What commands call the arrays of which the devices have superblocks; nothing if these are of one array at most."""
    from raidtui.backends.units import units_of

    every = units_of(machine)
    here = dict.fromkeys(one.uuid for one in machine.superblocks if one.path in paths)
    called = {one.uuid: command_word(one, every) for one in every if one.uuid}
    return tuple(called.get(one, one) for one in here) if len(here) > 1 else ()
