"""Run a read-only program and return its output."""

from collections.abc import Callable, Sequence
from typing import Final

from raidtui.machine.child import finish, start
from raidtui.machine.tools import find_tool
from raidtui.model.struct import Record

TIMEOUT_SECONDS: Final = 20.0
CARD_SECONDS: Final = 60.0  # a busy RAID card answers its tool slowly
PATIENT_SECONDS: Final = 120.0  # longer than the kernel retries a command while a disk spins up


class ToolAnswer(Record, frozen=True, kw_only=True):
    """The output of a program. ``returncode`` is ``None`` if it is not installed, timed out or printed too much."""

    returncode: int | None
    stdout: str = ""
    stderr: str = ""


Ask = Callable[[Sequence[str]], ToolAnswer]
"""Runs programs: `ask`, or a recording of it."""


def ask(argv: Sequence[str], timeout_seconds: float = TIMEOUT_SECONDS) -> ToolAnswer:
    """Run ``argv`` in the C locale, without a terminal or input, and wait for it to exit.

    It has ended when its own process has, whatever it leaves behind. If it takes too long or prints too much, it is
    ended with its children, and the answer is unknown.
    """
    program = find_tool(argv[0])
    if program is None:
        return ToolAnswer(returncode=None, stderr=f"{argv[0]} is not installed")
    try:
        process = start([program, *argv[1:]])
    except OSError as error:
        return ToolAnswer(returncode=None, stderr=f"{argv[0]} cannot be run: {error.strerror}")
    done = finish(process, timeout_seconds)
    if done.returncode is None:
        return ToolAnswer(returncode=None, stderr=f"{argv[0]} {done.problem}")
    return ToolAnswer(
        returncode=done.returncode,
        stdout=done.stdout.decode(errors="replace"),
        stderr=done.stderr.decode(errors="replace"),
    )


def ask_card(argv: Sequence[str]) -> ToolAnswer:
    """Like `ask`, with a timeout of a minute: for the tool of a RAID card."""
    return ask(argv, CARD_SECONDS)


def ask_patiently(argv: Sequence[str]) -> ToolAnswer:
    """Like `ask`, with a timeout of two minutes for slow disks: for what must be known before a disk is written."""
    return ask(argv, PATIENT_SECONDS)
