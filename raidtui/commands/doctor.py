"""Show the programs that raidtui drives: present or not, version, package, and what each is for.

The exit code is 5 if one that raidtui cannot do without is missing or too old.
"""

import argparse
import os
from collections.abc import Mapping
from typing import Final

from raidtui.machine.tools import TOOLS, Tool, is_older, tool_versions
from raidtui.machine.udev import udev_runs
from raidtui.model.errors import ToolMissing
from raidtui.model.text import harmless

SILENT: Final = "no version"  # it was too slow to report it


def configure(parser: argparse.ArgumentParser) -> None:
    """No options of its own."""


def run(args: argparse.Namespace) -> int:
    """Print the table, and what to install."""
    if args.machine:
        from raidtui.machine.reader import load_machine

        machine = load_machine(args.machine)
        versions, udev = machine.tools, machine.system.udev
    else:
        versions, udev = tool_versions(), udev_runs()
        if os.geteuid() != 0:
            print("not root: inspecting works, building needs root (sudo raidtui)")
    print("\n".join(table(versions)))
    if not udev:
        print("udev is not running: disks have no stable names, and changes are noticed late")
    wanted = [
        (name, tool)
        for name, tool in TOOLS.items()
        if problem(versions.get(name), tool) not in {"", SILENT}  # to install it again would not help
    ]
    packages = dict.fromkeys(tool.package for _, tool in wanted)
    if packages:
        print(f"\nTo install what is missing on Debian: apt-get install {' '.join(packages)}")
    if lacking := [f"{name} ({problem(versions.get(name), tool)})" for name, tool in wanted if tool.needed]:
        raise ToolMissing(f"required but not usable: {', '.join(lacking)}")
    return 0


def table(versions: Mapping[str, str]) -> list[str]:
    """One line a program, in columns."""
    rows = [("PROGRAM", "VERSION", "PACKAGE", "", "FOR")]
    for name, tool in TOOLS.items():
        version = versions.get(name)
        state = problem(version, tool) or "ok"
        rows.append((name, harmless(version or "-"), tool.package, state, tool.why))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join([*(w.ljust(n) for w, n in zip(row, widths, strict=False)), row[4]]).rstrip() for row in rows
    ]


def problem(version: str | None, tool: Tool) -> str:
    """What is wrong with a program: "missing", "too old", `SILENT`, or nothing.

    Args:
        version: ``None`` if it is absent, empty if it reports none.
    """
    if version is None:
        return "missing" if tool.needed else "absent"
    if tool.at_least and not version:
        return SILENT
    return "too old" if tool.at_least and is_older(version, tool.at_least) else ""
