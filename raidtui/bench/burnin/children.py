"""Run the commands of several disks at the same time, one after the other for each disk.

The work on a disk is a generator: it yields a command, or a pause, and gets what became of it. All of them take turns in
one thread. A disk that completes nothing for long holds up only itself: its command is killed, and its work learns that.
"""

import os
import selectors
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from raidtui.bench.burnin.surface import MOST_FAULTS, Faults
from raidtui.bench.fio import OUTPUT
from raidtui.bench.fio_process import TICK_SECONDS, Pipe, read_text, start_fio
from raidtui.bench.stop import StopRequests
from raidtui.machine.counters import Counters, read_counters

_DEATH_SECONDS: Final = (
    5.0  # for the kernel to end a killed process; one that waits for a dead disk is left behind
)


class Command(NamedTuple):
    """A command about one disk."""

    argv: tuple[str, ...]
    program: str  # its path
    device: str  # kernel name of the disk: its I/O shows whether the command makes progress
    keep: tuple[int, ...] = ()  # descriptors that it inherits


class Pause(NamedTuple):
    """Nothing for a while."""

    seconds: float


class Ran(NamedTuple):
    """What became of a command."""

    returncode: int | None  # None: it was killed, because nothing moved or too much cannot be read
    output: str
    faults: Faults
    silent_seconds: float = 0.0  # how long nothing had moved when it was killed


Work = Generator[Command | Pause, Ran | None, None]


@dataclass
class _Child:
    """A command that runs, or a pause."""

    work: Work
    folder: Path
    until: float = 0.0  # of a pause
    process: subprocess.Popen[bytes] | None = None
    device: str = ""
    errors: Pipe | None = None
    moved: tuple[int, int] = (-1, -1)  # requests that the device has completed
    moved_at: float = 0.0
    faults: Faults = field(default_factory=Faults)


def run_all(
    works: Mapping[str, Work],
    folder: Path,
    *,
    stop: StopRequests,
    patience_seconds: float,
) -> None:
    """Do all ``works``, each with an own folder, named like it, in ``folder``.

    Args:
        stop: on a stop request all commands are killed at once.
        patience_seconds: how long a disk may complete nothing.

    Raises:
        Cancelled: a stop was requested.
        ToolMissing: a program cannot be run.
    """
    children = []
    try:
        for name, work in works.items():
            own = folder / name
            own.mkdir(mode=0o700, parents=True, exist_ok=True)
            children.append(_Child(work, own))
        running = [child for child in children if _next(child, None)]
        while running:
            _wait(running, stop)
            stop.check()
            counters = read_counters()
            running = [child for child in running if _carry_on(child, counters, patience_seconds)]
    finally:
        for child in children:
            child.work.close()
        _kill(children)


def _next(child: _Child, ran: Ran | None) -> bool:
    """Go on with the work of ``child``; return whether there is more to do."""
    try:
        wanted = next(child.work) if ran is None else child.work.send(ran)
    except StopIteration:
        return False
    now = time.monotonic()
    if isinstance(wanted, Pause):
        child.until = now + wanted.seconds
        return True
    (child.folder / OUTPUT).unlink(missing_ok=True)
    prints = Path(wanted.argv[0]).name != "fio"
    child.process = start_fio(
        wanted.argv, program=wanted.program, folder=child.folder, keep=wanted.keep, prints=prints
    )
    assert child.process.stderr is not None, "it was opened as a pipe"
    child.errors = Pipe(child.process.stderr.fileno())
    child.device, child.moved, child.moved_at, child.faults = wanted.device, (-1, -1), now, Faults()
    return True


def _wait(running: list[_Child], stop: StopRequests) -> None:
    """Wait for a tick, the end of a command, or a request to stop."""
    with selectors.DefaultSelector() as selector:
        selector.register(stop, selectors.EVENT_READ)
        ended = []
        for child in running:
            if child.process is not None and child.process.poll() is None:
                ended.append(os.pidfd_open(child.process.pid))
                selector.register(ended[-1], selectors.EVENT_READ)
        selector.select(TICK_SECONDS)
        for descriptor in ended:
            os.close(descriptor)


def _carry_on(child: _Child, counters: Mapping[str, Counters], patience_seconds: float) -> bool:
    """Look after ``child``; return whether there is more to do."""
    now = time.monotonic()
    if child.process is None:
        return now < child.until or _next(child, None)
    assert child.errors is not None, "it was set with the process"
    code = child.process.poll()
    for line in child.errors.lines():
        child.faults.hear(line)
    here = counters.get(child.device)
    moved = (here.reads, here.writes) if here is not None else (0, 0)
    if moved != child.moved:
        child.moved, child.moved_at = moved, now
    silent = now - child.moved_at
    if code is None and (silent >= patience_seconds or child.faults.blocks > MOST_FAULTS):
        _kill([child])
        return _next(child, Ran(None, "", child.faults, silent))
    if code is None:
        return True
    _close(child)
    return _next(child, Ran(code, read_text(child.folder / OUTPUT), child.faults))


def _kill(children: list[_Child]) -> None:
    """Kill the commands; one that waits inside the kernel ends with its I/O."""
    left = [child for child in children if child.process is not None]
    for child in left:
        assert child.process is not None, "just asked"
        child.process.kill()
    deadline = time.monotonic() + _DEATH_SECONDS
    for child in left:
        assert child.process is not None, "just asked"
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(max(0.0, deadline - time.monotonic()))
        _close(child)


def _close(child: _Child) -> None:
    process, child.process = child.process, None
    if process is not None:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
