"""Run raidtui as root of a recorded computer whose disks are files here: ``python on_files.py MACHINE WORDS…``.

A rehearsal, which only reads the disks, works on them as on real ones; it is started in the same way.
"""

import sys
from unittest.mock import patch

from raidtui import cli
from raidtui.backends import reading
from raidtui.jobs import own_process, root
from raidtui.ui.shell.world import Access, World


def main(file: str, *words: str) -> int:
    """Run ``words`` and return the exit code."""
    again = (sys.executable, "-P", __file__, file)
    with (
        patch.object(reading, "read_whole", lambda **_: reading.recorded_machine(file)),
        patch.object(own_process, "own_command", lambda: again),
        patch.object(root, "check_root", lambda: None),
        patch.object(World, "access", Access.ROOT),
    ):
        return cli.main(words)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
