"""Run a read-only program and return its output."""

import os
import subprocess
from collections.abc import Callable, Sequence
from typing import Final

from raidtui.machine.tools import find_tool
from raidtui.model.struct import Record

TIMEOUT_SECONDS: Final = 20.0
CARD_SECONDS: Final = 60.0  # a busy RAID card answers its tool slowly
PATIENT_SECONDS: Final = 120.0  # longer than the kernel retries a command while a disk spins up


class Answer(Record, frozen=True, kw_only=True):
    """The output of a program. ``returncode`` is ``None`` if it is not installed or timed out."""

    returncode: int | None
    stdout: str = ""
    stderr: str = ""


Ask = Callable[[Sequence[str]], Answer]
"""Runs programs: `ask`, or a recording of it."""


def ask(argv: Sequence[str], timeout_seconds: float = TIMEOUT_SECONDS) -> Answer:
    """Run ``argv`` in the C locale, without a terminal or input, and wait for it to exit."""
    program = find_tool(argv[0])
    if program is None:
        return Answer(returncode=None, stderr=f"{argv[0]} is not installed")
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_seconds,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(returncode=None, stderr=f"{argv[0]} did not end within {timeout_seconds:.0f} s")
    except OSError as error:
        return Answer(returncode=None, stderr=f"{argv[0]} cannot be run: {error.strerror}")
    return Answer(
        returncode=done.returncode,
        stdout=done.stdout.decode(errors="replace"),
        stderr=done.stderr.decode(errors="replace"),
    )


def ask_card(argv: Sequence[str]) -> Answer:
    """Like `ask`, with a timeout of a minute: for the tool of a RAID card."""
    return ask(argv, CARD_SECONDS)


def ask_patiently(argv: Sequence[str]) -> Answer:
    """Like `ask`, with a timeout of two minutes for slow disks: for what must be known before a disk is written."""
    return ask(argv, PATIENT_SECONDS)
