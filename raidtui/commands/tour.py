"""Build two arrays on virtual disks, measure both and compare them, unattended.

With --break, one array loses the wrong disk, then another for good, which is replaced; its files stay the same. Each
takes one to three minutes.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Final

from raidtui.backends.specfile import write_spec
from raidtui.commands.terminal.narrate import do
from raidtui.model.errors import BadInput
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.model.text import spelled
from raidtui.model.units import duration, parse_size

DISKS: Final = "5x256MiB"
SERIALS: Final = tuple(f"LAB-{number:04}" for number in range(1, 6))
# The two rows in which levels differ most: large files, and small blocks with many I/Os in flight.
PROFILE: Final = """\
name = "tour"
title = "The tour's two rows"

[row."SEQ1M Q8T1"]
[row."RND4K Q32T1"]
"""
SPECS: Final = (
    Spec(
        name="five",
        level="raid5",
        members=SERIALS[:4],
        spares=SERIALS[4:],
        filesystem=FilesystemSpec(type="ext4", label="five", mountpoint="/srv/five"),
    ),
    Spec(
        name="ten",
        level="raid10",
        members=SERIALS[:4],
        filesystem=FilesystemSpec(type="ext4", label="ten", mountpoint="/srv/ten"),
    ),
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--break",
        dest="breaking",
        action="store_true",
        help="pull disks from an array that is in use, and repair it",
    )
    parser.add_argument(
        "--size", default="64MiB", help="size of the test file of each benchmark (default: 64MiB)"
    )
    parser.add_argument(
        "--runs", metavar="N", type=int, default=3, help="runs of each benchmark cell (default: 3)"
    )
    parser.add_argument(
        "--seconds", metavar="N", type=int, default=1, help="seconds of each run (default: 1)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the tour; outside the lab, boot the lab first."""
    parse_size(args.size)
    if args.runs < 1 or args.seconds < 1:
        raise BadInput("--runs and --seconds must be at least 1")
    if args.machine:
        raise BadInput(
            "the tour builds arrays on the lab's virtual disks; a recorded machine has none to build on"
        )
    if "RAIDTUI_LAB" not in os.environ:
        from raidtui.lab.guest import Setup
        from raidtui.lab.session import run_here

        options = [f"--size={args.size}", f"--runs={args.runs}", f"--seconds={args.seconds}"]
        options += ["--break"] if args.breaking else []
        return run_here(Setup(disks=DISKS), ["raidtui", "tour", *options])
    if args.breaking:
        from raidtui.commands._breaking import break_and_repair

        return break_and_repair()
    return _tour(args)


def _tour(args: argparse.Namespace) -> int:
    begin = time.monotonic()
    do("Which disks are there?", ["inspect"])
    with tempfile.TemporaryDirectory(prefix="raidtui-tour-") as folder:
        profile = Path(folder) / "tour.toml"
        profile.write_text(PROFILE, encoding="utf-8")
        for spec in SPECS:
            path = Path(folder) / f"{spec.name}.toml"
            path.write_text(write_spec(spec), encoding="utf-8")
            title = f"{spelled(spec.level)} of {len(spec.members)} disks" + (
                " with a spare" if spec.spares else ""
            )
            do(f"What does {title} give?", ["calc", str(path)])
            if spec is SPECS[0]:
                do("What exactly would happen?", ["plan", str(path)])
            erase = ",".join(spec.disks)
            do(
                f"Build {title} and wait until it is in sync",
                ["apply", str(path), "--erase", erase, "--wait-sync"],
            )
            bench = ["bench", spec.filesystem.mountpoint, "--profile", str(profile), "--label", spec.level]
            often = ["--size", args.size, "--runs", str(args.runs), "--seconds", str(args.seconds)]
            do(f"Measure {title}", [*bench, *often])
            do(f"Remove {title}; its disks are free again", ["teardown", spec.name, "--erase", erase])
    do("Which level is faster, and where?", ["results", "compare", *(spec.level for spec in SPECS)])
    print(
        f"\nThe tour took {duration(time.monotonic() - begin)}.\n'raidtui lab' opens the wizard on such disks, "
        "'raidtui tour --break' breaks one."
    )
    return 0
