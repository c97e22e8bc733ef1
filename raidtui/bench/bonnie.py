"""Run Bonnie++ itself, if installed, in a folder of ours, and read its line of figures."""

from collections.abc import Sequence
from typing import Final

from raidtui.bench.fio_process import Finished
from raidtui.model.errors import StepFailed
from raidtui.model.result import Cell
from raidtui.model.text import harmless
from raidtui.model.units import MIB
from raidtui.results.foreign.bonnie import TooQuick, read_bonnie

PROGRAM: Final = "bonnie++"
_BLOCK_KIB: Final = 8
_FILES: Final = 1024  # the unit of its -n


def argv_of(program: str, folder: str, size_bytes: int, *, files: int) -> tuple[str, ...]:
    """The command of one run: blocks, rewriting, seeks and ``files`` empty files, but not the per-character test.

    ``-r 0`` accepts any size; a flag shows when it is too small for the memory.
    """
    return (
        *(program, "-q", "-u", "root", "-d", folder, "-r", "0"),
        *(
            "-s",
            f"{size_bytes // MIB}:{_BLOCK_KIB}k",
            "-n",
            f"{files // _FILES}:0:0:1",
            "-f",
            "-m",
            "raidtui",
            "-z",
            "1",
        ),
    )


def line_of(done: Finished) -> str:
    """The line of figures that Bonnie++ printed. Raises StepFailed: it printed none."""
    lines = [line for line in done.output.splitlines() if line.count(",") > 20]
    if done.returncode or not lines:
        words = [line.strip() for line in (done.stderr or done.output).splitlines() if line.strip()]
        reason = harmless(words[-1]) if words else f"exit code {done.returncode}"
        raise StepFailed(f"Bonnie++ failed: {reason}")
    return lines[-1]


def read_lines(lines: Sequence[str]) -> tuple[tuple[Cell, ...], str]:
    """The cells of these runs, and the version of Bonnie++.

    Raises:
        StepFailed: they have no figures, as Bonnie++ prints none for a test of less than half a second; or they are
            not of one machine and version.
    """
    try:
        results = list(read_bonnie("\n".join(lines), origin=PROGRAM, label=""))
    except TooQuick as error:
        raise StepFailed(f"{error}; give a larger --size") from error
    if len(results) != 1:
        raise StepFailed(f"{PROGRAM} printed {len(results)} results, not 1")
    (result,) = results
    return result.cells, result.context.tools[PROGRAM]
