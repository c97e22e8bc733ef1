"""Replace a disk in every array that it is in, or was in, and prove that redundancy is full again.

While the old disk still works, its members are copied and redundancy never drops. If it is gone, they are rebuilt from
the others. The old disk is not erased, except for its superblocks and the start of its data. md arrays, volume groups,
Btrfs, ZFS pools and virtual drives. What has no redundancy, in a volume group, Btrfs or pool, is moved while the old disk
can be read. A MegaRAID card copies a drive that works; every card rebuilds onto a hot spare.
"""

import argparse

from raidtui.commands._procedure import add_order, do_order
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import read_seed


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "disk",
        metavar="DISK",
        help="serial number of the disk to be replaced, also if it is gone; or the name of an array that lacks a member",
    )
    parser.add_argument("new", metavar="NEW", help="serial number of the disk that takes its place")
    add_order(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Check, start the job, and follow it."""
    from raidtui.backends.reading import read_whole
    from raidtui.backends.units import units_of
    from raidtui.jobs.root import check_root
    from raidtui.jobs.unit_journal import UnitJournal
    from raidtui.plan.replace import find_order, make_replace

    refuse_recorded(args.machine, rehearsed=args.rehearse)
    check_root()
    machine = read_whole()
    order = find_order(args.disk, args.new, machine, UnitJournal().look(units_of(machine)))
    plan = make_replace(order, machine, seed=read_seed(None))
    return do_order(args, f"replace {order.old or args.disk} with {order.new}", plan, order, machine)
