"""Remove an array, or the filesystem of a single disk. Everything on it is lost.

Unmounts and stops it, erases its metadata from every member, and removes it from mdadm.conf, the initramfs and fstab.
Refuses unless you name every disk it will erase by serial number. The fixes of a plan belong to the computer and stay.
"""

import argparse

from raidtui.commands.apply import add_dry_run, add_erase, announce, read_seed, refuse_recorded, show, words


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "array",
        metavar="ARRAY",
        help="name, UUID or device of the unit; serial number or mount point of a single disk",
    )
    add_erase(parser)
    add_dry_run(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document about the outcome on stdout")


def run(args: argparse.Namespace) -> int:
    """Check, start the job, and follow it."""
    from raidtui.backends.reading import read_whole
    from raidtui.backends.registry import backend
    from raidtui.commands._dry_run import show_dry_run
    from raidtui.commands._follow import follow_to_the_end
    from raidtui.jobs.start import check_root, start_teardown, teardown_request
    from raidtui.machine.tools import not_needed
    from raidtui.plan.teardown import make_teardown

    refuse_recorded(args.machine)
    check_root()
    machine = read_whole(smart=False, known_tools=not_needed("wipefs", "udevadm"))
    plan = make_teardown(args.array, machine, seed=read_seed(None))
    announce(f"remove {backend(plan.spec.backend).noun} {plan.spec.name}", plan)
    show(plan.hazards)
    erase = words(args.erase)
    if args.dry_run:
        request = teardown_request(plan, machine, array=args.array, erase=erase)
        return show_dry_run(request, plan, machine, as_json=args.json)
    request = start_teardown(plan, machine, array=args.array, erase=erase)
    return follow_to_the_end(request.id, as_json=args.json)
