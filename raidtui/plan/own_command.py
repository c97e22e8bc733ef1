"""How raidtui itself is started, by a unit of systemd or by cron, as this computer's reading has it."""

import shlex
from typing import Final

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine

_QUOTED: Final = frozenset(" ;'")  # of a word that needs quotation marks in a unit


def exec_start(machine: Machine, *arguments: str) -> str:
    """The value of ``ExecStart=`` (systemd.service(5), COMMAND LINES).

    Args:
        arguments: as they are written there; %i is the instance.

    Raises:
        Refused: it is not known how raidtui is started, or its path cannot be written there.
    """
    program = _program(machine)
    if any(sign in program[0] for sign in "$\"'\\"):  # systemd takes the path of a program almost as it is
        raise _unwritable()
    return " ".join((*map(_quoted, program), *arguments))


def cron_command(machine: Machine, *arguments: str) -> str:
    """The command in a line of cron (crontab(5)). Raises Refused: as of `exec_start`."""
    return shlex.join((*_program(machine), *arguments)).replace("%", "\\%")


def can_be_started(machine: Machine) -> bool:
    """Whether a unit of systemd and cron can start raidtui here."""
    try:
        exec_start(machine)
    except Refused:
        return False
    return True


def _program(machine: Machine) -> tuple[str, ...]:
    program = machine.system.program
    if not program or not all(word.isprintable() for word in program):
        raise _unwritable()
    return program


def _unwritable() -> Refused:
    return Refused(
        "it is not known how raidtui is started after the next boot, or its path cannot be written in a unit file. "
        "The one file may be gone then: install the Debian package, or the wheel with pipx"
    )


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if set(word) & _QUOTED else escaped
