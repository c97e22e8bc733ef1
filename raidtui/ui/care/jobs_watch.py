"""Report when a job appears, progresses or ends: poll sizes and locks every second, and read only changed jobs."""

import select
from collections.abc import Callable
from pathlib import Path
from typing import Final

from raidtui.machine.watch import Stop, Watcher
from raidtui.model.errors import BadInput
from raidtui.model.journal import JobState

_SECONDS: Final = 1.0


def watch_jobs(changed: Callable[[tuple[JobState, ...]], None]) -> Watcher:
    """Call ``changed`` from a thread with all jobs, newest first: now, and whenever one changes."""
    return Watcher("watch-jobs", lambda stop: _follow(changed, stop))


def _follow(changed: Callable[[tuple[JobState, ...]], None], stop: Stop) -> None:
    from raidtui.jobs.store import load_job_state

    poll = select.poll()
    poll.register(stop.fileno(), select.POLLIN)
    stamps: dict[Path, tuple[int, bool]] | None = None
    states: dict[Path, JobState] = {}
    while not stop:
        before, stamps = stamps, _stamps()
        if stamps != before:
            old = before or {}
            moved = [folder for folder, stamp in stamps.items() if old.get(folder) != stamp]
            states = {folder: states[folder] for folder in stamps if folder in states}
            states.update(
                (folder, state) for folder in moved if (state := load_job_state(folder)) is not None
            )
            changed(tuple(states[folder] for folder in sorted(states, reverse=True)))
        poll.poll(_SECONDS * 1000)


def _stamps() -> dict[Path, tuple[int, bool]]:
    """A stamp of each job that changes with it: the length of its journal, and whether its process is alive."""
    from raidtui.jobs.journal import FILE, LOCK
    from raidtui.jobs.lock import is_locked
    from raidtui.jobs.store import job_folders

    def stamp(folder: Path) -> tuple[int, bool]:
        try:
            return _size(folder / FILE), is_locked(folder / LOCK)
        except OSError:
            return 0, False  # `load_job_state` says why

    try:
        return {folder: stamp(folder) for folder in job_folders()}
    except BadInput:
        return {}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
