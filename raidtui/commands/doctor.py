"""Show the programs that raidtui drives: present or not, version, package, and what each is for.

The exit code is 5 if a required one is missing or too old.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.advice.findings.alerts import alert_findings
from raidtui.backends.registry import card_readers, readers
from raidtui.commands._look import look_at
from raidtui.commands.text.findings import listed_lines, unknown_lines
from raidtui.machine.tools import TOOLS, Tool, is_older, tool_versions
from raidtui.machine.udev import udev_runs
from raidtui.model.errors import ToolMissing
from raidtui.model.machine import Card
from raidtui.model.packages import FAMILIES, Family, distribution, name_in, to_install
from raidtui.model.system import System
from raidtui.model.text import fold, harmless

_NO_LAB: Final = "'raidtui lab' and rehearsals need user-mode Linux, which only Debian and its derivatives have as a package."
_UNTRIED: Final = "RAID cards were tested against recordings and a simulator only: please send us the output of 'raidtui inspect --json'"
_WIDTH: Final = 80  # columns
SILENT: Final = "no version"  # the program was too slow to report it
NO_MODULE: Final = "no module"


def configure(parser: argparse.ArgumentParser) -> None:
    """No options of its own."""


def run(args: argparse.Namespace) -> int:
    """Print the table, and what to install."""
    if args.machine:
        from raidtui.machine.reader import load_machine

        machine = load_machine(args.machine)
        versions, udev = machine.tools, machine.system.udev
    else:
        from raidtui.backends.reading import read_whole

        versions, udev = tool_versions(), udev_runs()
        machine = read_whole(smart=False, known_tools=versions)
        if os.geteuid() != 0:
            print("not root: inspecting works, building needs root (sudo raidtui)")
    print("\n".join(table(versions, machine.system.family)))
    for line in card_lines(machine.cards):
        print(*fold(line, _WIDTH), sep="\n")
    for reader in readers(machine.cards).values():
        if boot := reader.at_boot(machine.system):
            print(*fold(boot, _WIDTH), sep="\n")
    for line in untried_lines(machine.system):
        print(*fold(line, _WIDTH), sep="\n")
    for line in unknown_lines(machine.problems):
        print(line)
    _, units, findings = look_at(machine, recorded=bool(args.machine))
    alerts = tuple(one for one in alert_findings(machine, units) if one not in findings)
    # Where alerts are not set, 'raidtui care' does not speak of them.
    for command, some in (("care", findings), ("alerts", alerts)):
        if some:
            print("\n".join([f"\nFound here, see 'raidtui {command}':", *listed_lines(some)]))
    if not udev:
        print("udev is not running: disks have no stable names, and changes are noticed late")
    wanted = [
        (name, tool)
        for name, tool in TOOLS.items()
        if problem(versions.get(name), tool)
        not in {"", SILENT, NO_MODULE}  # installing these again would not help
    ]
    family = machine.system.family
    for line in module_lines(versions, family):
        print(command_apart(line))
    for line in install_lines([tool for _, tool in wanted], family):
        print(f"\n{command_apart(line)}")
    if lacking := [f"{name} ({problem(versions.get(name), tool)})" for name, tool in wanted if tool.needed]:
        raise ToolMissing(f"required but not usable: {', '.join(lacking)}")
    return 0


def command_apart(text: str) -> str:
    """``text`` as it is, or the command at its end on a line of its own, unbroken, if both do not fit in 80 columns."""
    if len(text) <= _WIDTH:
        return text
    begin, _, command = text.rpartition(": ")
    return "\n".join((*fold(f"{begin}:", _WIDTH), f"  {command}"))


def untried_lines(system: System) -> tuple[str, ...]:
    """What raidtui could not be tried with, or does not do, on the system of this computer."""
    if system.family is Family.ARCH:
        return (
            _NO_LAB,
            "raidtui does not rebuild the initramfs of mkinitcpio: after a build, put mdadm_udev into HOOKS of "
            "/etc/mkinitcpio.conf and run 'mkinitcpio -P'. Else the array may come back as /dev/md127.",
        )
    if system.family not in {Family.FEDORA, Family.SUSE}:
        return ()
    tried = (
        f"On {distribution(system.family)}, {system.mdadm_conf}, dracut and SELinux were tried in a tree of "
        "documented files, not on a running system. After the first build, reboot once and look at 'raidtui status'."
    )
    missing = (
        "No initramfs of the running kernel was found in /boot. If it is in the EFI partition, rebuild it yourself "
        "after a build, else the array may come back as /dev/md127."
    )
    return (_NO_LAB, tried) if system.initramfs else (_NO_LAB, tried, missing)


def install_lines(wanted: Sequence[Tool], family: Family | None) -> tuple[str, ...]:
    """How to install these. What builds a kernel module is often not in a distribution's own repository.

    Args:
        family: None: not known; then one line for each.
    """
    families = FAMILIES if family is None else (family,)
    plain = [tool.package for tool in wanted if not tool.built_by]
    building = dict.fromkeys(name for tool in wanted if tool.built_by for name in tool.all_packages)
    return (
        *(
            f"To install what is missing {to_install(plain, one)}"
            for one in families
            if any(name_in(package, one) for package in plain)
        ),
        *(
            f"For ZFS, where the kernel has no module of it, {to_install(building, one)}"
            for one in families
            if building
        ),
    )


def module_lines(versions: Mapping[str, str], family: Family | None) -> tuple[str, ...]:
    """How to get each kernel module that a program lacks."""
    lacking = {
        tool.module: f"{name} needs the kernel module {tool.module}: 'modprobe {tool.module}' loads it. If there is "
        f"none, install it {to_install(tool.all_packages, family)}"
        for name, tool in reversed(TOOLS.items())
        if problem(versions.get(name), tool) == NO_MODULE
    }
    return tuple(lacking.values())


def card_lines(cards: Sequence[Card]) -> tuple[str, ...]:
    """The management program of each RAID card, or what is missing; nothing without a card."""
    if not cards:
        return ()
    known = (line for reader in card_readers(cards).values() for line in reader.programs(cards))
    return (*known, _UNTRIED)


def table(versions: Mapping[str, str], family: Family | None) -> list[str]:
    """One line per program, in columns."""
    rows = [("PROGRAM", "VERSION", "PACKAGE", "", "FOR")]
    for name, tool in TOOLS.items():
        version = versions.get(name)
        state = problem(version, tool) or "ok"
        rows.append((name, harmless(version or "-"), name_in(tool.package, family) or "-", state, tool.why))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join([*(w.ljust(n) for w, n in zip(row, widths, strict=False)), row[4]]).rstrip() for row in rows
    ]


def problem(version: str | None, tool: Tool) -> str:
    """What is wrong with a program: "missing", "absent", "too old", `NO_MODULE`, `SILENT`, or nothing.

    Args:
        version: ``None`` if the program is absent, empty if it reports none.
    """
    if version is None:
        return "missing" if tool.needed else "absent"
    if tool.module and not version:
        return NO_MODULE
    if tool.at_least and not version:
        return SILENT
    return "too old" if tool.at_least and is_older(version, tool.at_least) else ""
