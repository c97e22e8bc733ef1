"""A dry run of a job: everything is read, asked and held as in the job itself, and nothing is changed."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from raidtui.backends.registry import builder
from raidtui.jobs.commands import Done
from raidtui.jobs.computer import Computer
from raidtui.jobs.durable import make_folder
from raidtui.jobs.folders import missing_folders
from raidtui.jobs.holding import Holding
from raidtui.jobs.journal import read_journal
from raidtui.jobs.runner import run_job
from raidtui.jobs.store import write_job
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.journal import Entry, JobRequest
from raidtui.model.machine import Disk, Machine
from raidtui.model.paths import state_folder
from raidtui.model.plan import Check, DropLine, EnsureLine, Extent, Plan, RemoveFolder
from raidtui.plan.words import check_words, command_line
from raidtui.steps.condition import Answer, Held

_FOLDER: Final = "dry-run-"


class WouldFail(RaidtuiError):
    """What the first change of a job needs is not so; the text says what."""

    exit_code = StepFailed.exit_code


class DryRun(Computer):
    """This computer, on which nothing is done.

    What the job reads of it is true. Its conditions are asked until a command would have changed a disk; what holds
    only after that, or after an edit that was left out, is taken for granted.
    """

    def __init__(self, plan: Plan) -> None:
        self._brought_about = {check for step in plan.steps for check in step.after}
        self._changed = False

    def ask(self, checks: Sequence[Check], *, held: Held, patience_seconds: float = 0) -> list[Answer]:
        now = [check for check in checks if not self._changed and check not in self._brought_about]
        seen = dict(zip(now, super().ask(now, held=held, patience_seconds=patience_seconds), strict=True))
        for check, answer in seen.items():
            if not answer.holds:
                raise WouldFail(f"this does not hold now: {check_words(check)} ({answer.text})")
        return [
            seen.get(check, Answer(holds=True, text=f"expected: {check_words(check)}")) for check in checks
        ]

    def node_of(self, plan: Plan) -> str:
        return "" if self._changed else super().node_of(plan)

    def hold(self, plan: Plan, disks: Sequence[Disk]) -> Holding:
        return _Handles(disks, own=lambda: builder(plan.spec.backend).disks_under(plan))

    def commands(self, folder: Path) -> "DryRun":
        return self

    def run(self, argv: Sequence[str], *, text: str = "", timeout_seconds: float = 0) -> Done:
        """Take ``argv`` for a command that ended well."""
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
    """Handles that no step lets go of: there is nothing that needs the disks for itself."""

    @contextmanager
    def during_step(self, paths: Sequence[str], *, then: Sequence[str] = ()) -> Iterator[None]:
        yield


def dry_run(request: JobRequest, plan: Plan, machine: Machine) -> tuple[int, tuple[Entry, ...]]:
    """The exit code that the job of ``request`` would have, as far as that is known before a change, and its journal.

    Raises:
        Refused: there is no room in the state folder, or others may write there.
    """
    place = state_folder()
    make_folder(place)
    # Beside the jobs: whether that is a good place for the state of this one is asked too.
    with tempfile.TemporaryDirectory(prefix=_FOLDER, dir=place) as folder:
        job = write_job(request, machine=machine, plan=plan, place=Path(folder))
        code = run_job(job, on=DryRun(plan))
        return code, tuple(read_journal(job))
