"""A real kernel with virtual disks, without root: user-mode Linux on the host's own tree. Stands alone.

`Guest` boots one and runs commands in it; `run_in_lab` does that for a single command.
"""

from raidtui.lab.disks import VirtualDisk, parse_disks
from raidtui.lab.guest import Command, CommandTimeout, Completed, Guest, GuestDied, run_in_lab

__all__ = [
    "Command",
    "CommandTimeout",
    "Completed",
    "Guest",
    "GuestDied",
    "VirtualDisk",
    "parse_disks",
    "run_in_lab",
]
