"""Remove arrays, or the filesystem of a single disk. Everything on them is lost.

Unmounts and stops each, erases its metadata from every member, and removes it from mdadm.conf, the initramfs and
fstab. Several go in one plan, the topmost first, and an array whose members are arrays goes with those.
A disk that has nothing but a partition table without partitions is left blank too, by its serial number. So is what is
left on a disk of a firmware RAID set or of another system's volume group. A physical volume without data leaves its group.
Refuses unless you name every disk it will erase by serial number. What a build set on the computer itself stays.
"""

import argparse

from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import (
    add_dry_run,
    add_erase,
    add_rehearse,
    add_script,
    announce,
    read_seed,
    show,
    words,
)
from raidtui.model.errors import BadInput
from raidtui.model.text import listed


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "array",
        metavar="UNIT",
        nargs="*",
        help="name, UUID or device of the unit; serial number or mount point of a single disk",
    )
    parser.add_argument(
        "--disk",
        metavar="SERIAL[,SERIAL…]",
        action="append",
        default=[],
        help="remove every unit on this disk, with all that is on top of them",
    )
    add_erase(parser)
    add_dry_run(parser)
    add_rehearse(parser)
    add_script(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Check, start the job, and follow it."""
    from raidtui.backends.reading import read_whole
    from raidtui.backends.registry import backend
    from raidtui.commands._dry_run import show_dry_run
    from raidtui.commands.terminal.follow import follow_to_the_end
    from raidtui.jobs.root import check_root
    from raidtui.jobs.start import start_planned, teardown_request
    from raidtui.machine.tools import not_needed
    from raidtui.plan.teardown import make_teardown, units_on

    if not args.array and not args.disk:
        raise BadInput("name what to remove: an array, or with --disk a disk, to remove every unit on it")
    refuse_recorded(args.machine, rehearsed=args.rehearse)
    check_root()
    machine = read_whole(smart=False, known_tools=not_needed())
    array, *also = dict.fromkeys((*args.array, *units_on(words(args.disk), machine)))
    plan = make_teardown(array, machine, seed=read_seed(None), also=also)
    if args.script:
        from raidtui.plan.script import as_script

        print(as_script(plan), end="")
        return 0
    if args.rehearse:
        from raidtui.commands.rehearsal.order import DO_IT, show_rehearsal
        from raidtui.jobs.rehearsed import order_of

        order = order_of(array=array, also=tuple(also), seed=plan.seed)
        return show_rehearsal(order, plan, machine, as_json=args.json, again=DO_IT)
    units = [f"{backend(one.spec.backend).noun} {one.spec.name}" for one in plan.units]
    announce(f"{plan.leftover[:1].lower()}{plan.leftover[1:]}" or f"remove {listed(units)}", plan)
    show(plan.hazards)
    request = teardown_request(plan, machine, array=array, also=also, erase=words(args.erase))
    if args.dry_run:
        return show_dry_run(request, plan, machine, as_json=args.json)
    return follow_to_the_end(start_planned(request, plan, machine).id, as_json=args.json)
