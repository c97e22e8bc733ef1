"""Do a procedure, or show what it would do: the same for a finding and for a disk that is named."""

import argparse

from raidtui.commands.apply import (
    add_accept,
    add_dry_run,
    add_erase,
    add_rehearse,
    add_script,
    announce,
    show,
    words,
)
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Procedure


def add_order(parser: argparse.ArgumentParser, *, without: str = "required") -> None:
    """Add what a procedure on disks takes; ``without``: what happens if ``--erase`` is not given."""
    add_erase(parser, without=without)
    add_accept(parser)
    add_dry_run(parser)
    add_rehearse(parser)
    add_script(parser)


def do_order(args: argparse.Namespace, title: str, plan: Plan, procedure: Procedure, machine: Machine) -> int:
    """Like `do_procedure`, for a command with the options of `add_order`: it may only be rehearsed, or written."""
    if args.script:
        from raidtui.plan.script import as_script

        print(as_script(plan, title), end="")
        return 0
    if not args.rehearse:
        return do_procedure(args, title, plan, procedure, machine)
    from raidtui.commands.rehearsal.order import DO_IT, show_rehearsal
    from raidtui.jobs.rehearsed import order_of

    order = order_of(procedure=procedure, seed=plan.seed)
    return show_rehearsal(order, plan, machine, as_json=args.json, again=DO_IT)


def do_procedure(
    args: argparse.Namespace, title: str, plan: Plan, procedure: Procedure, machine: Machine
) -> int:
    """Show the plan of ``procedure`` and its hazards, start the job unless it is a dry run, and follow it."""
    from raidtui.commands._dry_run import show_dry_run
    from raidtui.commands.terminal.follow import follow_to_the_end
    from raidtui.jobs.start import care_request, start_planned

    announce(title, plan)
    show(plan.hazards)
    erase, accepted = words(args.erase), words(args.accept)
    request = care_request(plan, machine, procedure=procedure, erase=erase, accepted=accepted)
    if args.dry_run:
        return show_dry_run(request, plan, machine, as_json=args.json)
    return follow_to_the_end(start_planned(request, plan, machine).id, as_json=args.json)
