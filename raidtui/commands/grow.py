"""Show what a unit can become; with --add, --size max or --level, let it grow, as a plan with a journal and a proof.

Without them nothing is changed. The table has the size of each reachable shape to the byte, what it survives, and how
long it takes. It says the risk on the way and what is needed. Shapes that raidtui does not make are listed with
the reason.
"""

import argparse

from raidtui.commands._procedure import add_order, do_order
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import read_seed, words
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow
from raidtui.model.struct import to_json
from raidtui.model.unit import Unit
from raidtui.model.unit_names import not_one_called


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "unit",
        metavar="UNIT",
        help="the name of an array, a volume group, a pool or a Btrfs, its UUID or its path",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--add",
        metavar="SERIAL[,SERIAL…]",
        action="append",
        default=[],
        help="serial numbers of the disks that join it",
    )
    what.add_argument(
        "--size", choices=("max",), help="use all of its members, which were replaced by larger disks"
    )
    parser.add_argument(
        "--level",
        metavar="LEVEL",
        default="",
        help="another level, where the table has it: on the same disks, or with those of --add",
    )
    add_order(parser, without="required with --add")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Show the table; or check, start the job, and follow it."""
    from raidtui.advice.growths import table_of
    from raidtui.backends.level_words import check_level
    from raidtui.backends.reading import read_whole, the_machine
    from raidtui.commands.text.grow import table
    from raidtui.jobs.root import check_root
    from raidtui.plan.care import make_care, title_of

    if not (args.add or args.size or args.level):
        if args.erase or args.dry_run or args.rehearse or args.script:
            raise BadInput("say what it is to become: --add, --size max or --level")
        machine = the_machine(args.machine)
        found = table_of(_unit(args.unit, machine), machine)
        print(to_json(found) if args.json else "\n".join(table(found, machine)))
        return 0
    if args.size and args.level:
        raise BadInput("--size max and --level are two steps: do one, then the other")
    refuse_recorded(args.machine, rehearsed=args.rehearse)
    check_root()
    machine = read_whole()
    unit = _unit(args.unit, machine)
    if args.level:
        check_level(args.level, (unit.backend,))
    disks = tuple(machine.disk(word).identity for word in words(args.add))
    order = Grow(unit=unit.uuid, add=disks, to_largest=bool(args.size), level=args.level)
    plan = make_care(order, machine, seed=read_seed(None))
    return do_order(args, title_of(order, plan), plan, order, machine)


def _unit(word: str, machine: Machine) -> Unit:
    """The one unit that ``word`` means: a volume group on arrays does not hide an array of its name.

    Raises:
        BadInput: none, or several.
    """
    from raidtui.backends.registry import find_grower
    from raidtui.backends.units import units_of

    every = [unit for unit in units_of(machine) if unit.is_called(word)]
    found = [unit for unit in every if find_grower(unit.backend) is not None] or every
    if len(found) == 1:
        return found[0]
    raise BadInput(not_one_called(word, len(found), units_of(machine)))
