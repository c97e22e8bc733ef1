"""A dry run of a job: reads, checks and locks everything as the job would, and changes nothing."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from raidtui.jobs.commands import Done
from raidtui.jobs.computer import Computer, not_held
from raidtui.jobs.durable import make_folder
from raidtui.jobs.folders import missing_folders
from raidtui.jobs.holding import Holding
from raidtui.jobs.journal import read_journal
from raidtui.jobs.runner import run_job
from raidtui.jobs.stopping import Cancel
from raidtui.jobs.store import write_job
from raidtui.model.answer import Answer, either
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.journal import Entry, JobRequest
from raidtui.model.machine import Disk, Machine
from raidtui.model.paths import state_folder
from raidtui.model.plan import Check, DropLine, EnsureLine, Extent, Plan, RemoveFolder
from raidtui.plan.words import check_words, command_line
from raidtui.steps.condition import Held

_FOLDER: Final = "dry-run-"


class WouldFail(RaidtuiError):
    """A condition that the job needs before its first change does not hold; the text says which."""

    exit_code = StepFailed.exit_code


class DryRun(Computer):
    """This computer, without changing anything.

    All readings are real. Conditions are checked until a command would have changed a disk; conditions that hold
    only after that, or after a skipped edit, are assumed to hold.
    """

    pretends = True

    def __init__(self, plan: Plan) -> None:
        self._outcomes = {check for step in plan.steps for check in step.after}
        self._changed = False

    def ask(self, checks: Sequence[Check], *, held: Held, patience_seconds: float = 0) -> list[Answer]:
        now = [check for check in checks if not self._changed and check not in self._outcomes]
        seen = dict(zip(now, super().ask(now, held=held, patience_seconds=patience_seconds), strict=True))
        for check, answer in seen.items():
            if not answer.holds:
                raise WouldFail(f"a check would fail now: {check_words(check)} ({answer.text})")
        return [
            seen.get(check, either(holds=True, text=f"expected: {check_words(check)}")) for check in checks
        ]

    def node_of(self, plan: Plan) -> str:
        return "" if self._changed else super().node_of(plan)

    def hold(self, plan: Plan, disks: Sequence[Disk]) -> Holding:
        return _Handles(disks, own=lambda: not_held(plan, disks))

    def commands(self, folder: Path) -> "DryRun":
        return self

    def run(
        self, argv: Sequence[str], *, text: str = "", timeout_seconds: float = 0, cancel: Cancel | None = None
    ) -> Done:
        """Pretend that ``argv`` succeeded."""
        self._changed = True
        return Done(argv=tuple(argv), returncode=0, stdout="", stderr="", seconds=0.0)

    def ensure_line(self, path: str, line: str) -> str:
        return command_line(EnsureLine(path=path, line=line))

    def drop_line(self, path: str, line: str) -> str:
        return command_line(DropLine(path=path, line=line))

    def make_folders(self, path: str, note: Callable[[list[str]], None]) -> None:
        note(missing_folders(path))

    def remove_folders(self, path: str, built: str) -> str:
        return command_line(RemoveFolder(path=path, built=built))

    def save(
        self, capsule: Path, disk: Disk, writes: Iterable[Extent], texts: Callable[[], dict[str, str]]
    ) -> str:
        super().save(capsule, disk, writes, dict)
        return f"{disk.identity} can be read where it will be overwritten"


class _Handles(Holding):
    """Handles that steps do not release, because no tool needs exclusive access."""

    @contextmanager
    def during_step(self, paths: Sequence[str], *, then: Sequence[str] = ()) -> Iterator[None]:
        yield


def dry_run(request: JobRequest, plan: Plan, machine: Machine) -> tuple[int, tuple[Entry, ...]]:
    """Run the job of ``request`` dry; return its exit code, as far as predictable, and its journal.

    Raises:
        Refused: the state folder is full, or other users may write to it.
    """
    place = state_folder()
    make_folder(place)
    # Next to the jobs, so that their place is checked as well.
    with tempfile.TemporaryDirectory(prefix=_FOLDER, dir=place) as folder:
        job = write_job(request, machine=machine, plan=plan, place=Path(folder))
        code = run_job(job, on=DryRun(plan))
        return code, tuple(read_journal(job))
