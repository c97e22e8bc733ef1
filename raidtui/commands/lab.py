"""Run the wizard, or a command, in a guest kernel with virtual disks: no root, no
risk.

The guest sees this computer's files. What it writes stays in the guest and is
lost when it ends. --disk-dir keeps its disks, /etc and /var/lib/raidtui;
--share makes one folder writable. The guest's disks are sparse files with the
serial numbers LAB-0001, LAB-0002 and so on. For more than 16, write
20xscsi:1GiB; for 4096-byte sectors, 4xscsi4kn:1GiB.

--engine qemu runs Debian with systemd and ZFS, on disks with a bus:
4xscsi:2GiB,2xnvme:1GiB,1xscsi4kn:2GiB. It also has sata, nvme, usb, enclosure
(on USB, and hides serial numbers) and megaraid (behind a card). The first run
makes its image: some minutes, and 1 GB in ~/.cache/raidtui. With qemu,
--disk-dir keeps the whole system.

Inside, 'lab pull LAB-0002' pulls a disk and 'lab plug' plugs it in again.
Others are slow, bad (sectors that cannot be read), corrupt and power: 'lab
--help' explains them. x on the wizard's Overview does the same.
"""

import argparse
import os
from pathlib import Path

from raidtui.lab.disks import DEFAULT_DISKS, MAX_DISKS
from raidtui.lab.engines import ENGINES
from raidtui.lab.guest import Setup
from raidtui.lab.host import DEFAULT_MEMORY
from raidtui.lab.session import open_terminal, run_here
from raidtui.model.errors import BadInput
from raidtui.model.units import parse_size, spell_size


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--disks",
        metavar="LIST",
        help=f"the virtual disks, at most {MAX_DISKS} (default: {DEFAULT_DISKS}, or those in --disk-dir)",
    )
    parser.add_argument(
        "--engine", choices=ENGINES, default=ENGINES[0], help="what runs the guest (default: %(default)s)"
    )
    parser.add_argument("--disk-dir", metavar="DIR", type=Path, help="keep the disks here for another boot")
    parser.add_argument("--share", metavar="DIR", type=Path, help="a folder that the guest may write to")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        default=spell_size(DEFAULT_MEMORY),
        help="memory of the guest (default: %(default)s)",
    )
    parser.add_argument(
        "command", metavar="COMMAND", nargs="*", help="what to run (default: the wizard); put -- before it"
    )


def run(args: argparse.Namespace) -> int:
    """Boot the guest, run the wizard or the command in it, and return its exit code."""
    if args.machine:
        raise BadInput("the lab has disks of its own; --machine cannot be combined with it")
    if "RAIDTUI_LAB" in os.environ:
        raise BadInput("this is the lab already; run the command itself, or 'raidtui' for the wizard")
    if not args.command and not (os.isatty(0) and os.isatty(1)):
        raise BadInput("the wizard needs a terminal; run 'raidtui tour', or a command after --")
    setup = Setup(args.disks, args.disk_dir, args.share, parse_size(args.memory), args.engine)
    return run_here(setup, args.command) if args.command else open_terminal(setup, ["raidtui"])
