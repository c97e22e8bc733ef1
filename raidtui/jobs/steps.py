"""Do or undo one step: conditions before, commands and edits, conditions after, all recorded in the journal."""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from raidtui.backends.conditions import condition
from raidtui.jobs.checks import PATIENCE_SECONDS, holds_still
from raidtui.jobs.commands import Done
from raidtui.jobs.computer import Computer, Holds, Runs
from raidtui.jobs.disk_contents import own_signatures, questions_about, signature_key
from raidtui.jobs.folders import MADE
from raidtui.jobs.journal import Journal
from raidtui.jobs.progress import SHOWS, can_be_lost, runs_unit
from raidtui.jobs.stopping import Cancel, Cancelled
from raidtui.jobs.write_extents import find_writes
from raidtui.machine.taken.file_users import file_users
from raidtui.machine.tools import find_tool
from raidtui.machine.tree import Tree
from raidtui.model.answer import Answer
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.journal import Event
from raidtui.model.machine import Disk
from raidtui.model.plan import (
    Action,
    Check,
    DropLine,
    EnsureLine,
    MakeFolder,
    Plan,
    PlannedDisk,
    RemoveFolder,
    RestoreCapsule,
    Role,
    Run,
    SaveCapsule,
    Step,
)
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.plan.busy import WAITS, may_be_busy, says_busy
from raidtui.plan.words import check_words
from raidtui.steps.filesystems import DIRECTORY

# Steps that are repeated from the beginning, so that a command of theirs can be ended. A command that creates a unit or
# changes a file of the system is left to finish.
_CAN_BE_CUT_SHORT: Final = frozenset({Role.PREPARE, Role.FORMAT, Role.WAIT})


class Worker:
    """Executes the steps of one plan on the disks found by the guard."""

    def __init__(
        self,
        plan: Plan,
        disks: Mapping[str, Disk],
        *,
        capsule: Path,
        journal: Journal,
        commands: Runs,
        holding: Holds,
        on: Computer | None = None,
        with_smart: Collection[str] = (),
        stop_requested: Callable[[], bool] | None = None,
    ) -> None:
        """Set what to work on.

        Args:
            on: the computer; by default this one. Tests pass their own.
            disks: the live disk of each planned identity.
            capsule: the folder to save the disks' old contents in.
            with_smart: the identities of disks that reported SMART data when the plan was confirmed.
            stop_requested: whether the job was asked to stop; None if it cannot be, as in a rollback.
        """
        self._on = on or Computer()
        self._plan = plan
        self._disks = disks
        self._capsule = capsule
        self._journal = journal
        self._commands = commands
        self._holding = holding
        self._with_smart = frozenset(with_smart)
        self._stop_requested = stop_requested
        self._step: Step | None = None  # the one that is being done
        self._known: set[Check] = set()
        self._printed: list[str] = []  # by the commands of the current step
        self.touched = False  # whether the current step has started to change anything

    def do(self, step: Step, *, again: bool, trust: bool, then: Sequence[str] = ()) -> None:
        """Do ``step``.

        Args:
            again: whether it was started before; if it must be done, run its repair first.
            trust: whether to skip it if its conditions hold already.
            then: the disks that the next step holds.

        Raises:
            StepFailed: a condition does not hold, or a command failed.
        """
        begin = time.monotonic()
        self.touched = again
        self._step = step
        self._printed.clear()
        self._journal.append(Event.STEP, step=step.id, text=step.title)
        if trust and self._unmet(step, step.after) is None:
            when = "done before the interruption" if again else "done at boot"
            self._holding.unlock()
            self._finish(step, begin, when)
            return
        if again and (step.repair or step.holds):
            with self._holding.during_step(step.holds):
                self._release(step.id)
                self._perform_all(step.id, step.repair)
        repaired = again and step.repair and self._unmet(step, step.after) is None
        if repaired or self._is_over(step):
            self._finish(step, begin, "repaired" if repaired else "over before it was waited for")
            return
        self._require(step, step.before, "before the step")
        with self._holding.during_step(step.holds, then=then):
            self._perform_all(step.id, step.actions)
            if step.role is Role.WAIT:
                self._wait_on(step)
            # While the disks are still locked: after that udev probes them and may start other programs on them.
            self._require(step, step.after, "after the step's commands")
            self._note_signatures(step)
        self._finish(step, begin)

    def _is_over(self, step: Step) -> bool:
        """Whether what an earlier step began, and ``step`` waits for, has ended: a small array is reshaped at once."""
        if step.role is not Role.WAIT or not step.before or self.first_unmet(step.id, step.before) is None:
            return False
        return all(one.holds for one in self._ask(step.id, step.after, patience_seconds=PATIENCE_SECONDS))

    def _wait_on(self, step: Step) -> None:
        """Wait again while what ``step`` waits for continues: a sync that is interrupted may start anew."""
        pause = 1.0
        while self.first_unmet(step.id, step.after) is not None and step.before:
            if self.first_unmet(step.id, step.before) is not None:
                return
            if self._stop_requested is not None and self._stop_requested():
                raise Cancelled
            time.sleep(pause)
            pause = min(2 * pause, 30.0)
            self._perform_all(step.id, step.actions)

    def undo(self, step: Step, actions: Sequence[Action], text: str) -> None:
        """Undo ``step``. It may have been done only in part, so its undo commands may fail.

        Args:
            text: the state afterwards, for the journal.

        Raises:
            StepFailed: the effects of the step are still there.
            Refused: the capsule cannot be restored.
        """
        self._journal.append(Event.STEP, step=step.id, text=f"Undo: {step.title}", data={"undo": True})
        restored = [disk for action in actions if isinstance(action, RestoreCapsule) for disk in action.disks]
        paths = dict.fromkeys([*step.holds, *(self._disk(word)[1].path for word in restored)])
        with self._holding.during_step(list(paths)):
            if step.holds:
                self._release(step.id)
            for action in actions:
                if isinstance(action, Run):
                    self._try(step.id, action)
                else:
                    self._perform(step.id, action)
        if actions:
            # A folder that existed before remains.
            lost = [check for check in can_be_lost(step) if check.kind != DIRECTORY.kind]
            for answer in self._ask(step.id, (*lost, *runs_unit(step))):
                if not answer.fails:
                    why = "it could not be undone" if answer.holds else "whether it is undone is not known"
                    raise StepFailed(f"{why}: {answer.text}")
        self._journal.append(Event.STEP_UNDONE, step=step.id, text=text)

    def first_unmet(self, step: str, checks: Sequence[Check]) -> Answer | None:
        """The answer for the first of ``checks`` that does not hold now; ``None`` if all hold."""
        return next((answer for answer in self._ask(step, checks) if not answer.holds), None)

    def has_lost(self, step: Step) -> bool:
        """Whether a reboot or a power cut has undone the effects of ``step``.

        Raises:
            StepFailed: nobody can say; to repeat the step could erase what it made.
        """
        checks = [
            check
            for check in can_be_lost(step)
            # A later step may have filled a folder or mounted on it; it is lost only if it is missing.
            if check.kind != DIRECTORY.kind or not self._on.is_folder(check.subject)
        ]
        return not holds_still(self._unmet(step, checks))

    def runs(self, step: Step) -> bool:
        """Whether the unit that ``step`` created is running. Raises StepFailed: nobody can say."""
        return holds_still(self.first_unmet(step.id, runs_unit(step)))

    def _unmet(self, step: Step, checks: Sequence[Check]) -> Answer | None:
        """The same as of ``first_unmet``; of a unit that was there before, nobody can say while it does not run: start it."""
        unmet = self.first_unmet(step.id, checks)
        if unmet is not None and not unmet.fails and step.activate and not runs_unit(step):
            self.activate(step)
            unmet = self.first_unmet(step.id, checks)
        return unmet

    def names_inside(self, device: str) -> list[str]:
        """List the names in the plan's filesystem on ``device``, which is temporarily mounted read-only.

        Raises:
            StepFailed: it cannot be mounted.
        """
        made = next(step for step in self._plan.steps if step.role is Role.FORMAT)
        with self._holding.during_step(made.holds), self._on.folder_for_a_look() as folder:
            for action in self._plan.probe.first if self._plan.probe else ():
                self._run(made.id, action)
            # The mount replays the filesystem's journal: some names may be only there.
            self._run(made.id, Run(argv=("mount", "-o", "ro", device, folder)))
            try:
                return self._on.names_in(folder)
            finally:
                self._run(made.id, Run(argv=("umount", folder)))

    def _note_signatures(self, step: Step) -> None:
        """Record the signatures on an array that ``step`` has just created: any others found later are not stale."""
        node = self._on.node_of(self._plan) if runs_unit(step) else ""
        if node:
            probed = self._on.probe([node])
            if node in probed.failed:
                raise StepFailed(f"cannot read what is on {node}: {probed.failed[node]}")
            shows = [signature_key(signature) for signature in probed.found[node]]
            text = f"signatures on it: {', '.join(shows)}" if shows else "no signatures on it"
            self._journal.append(Event.NOTE, step=step.id, text=text, data={SHOWS: shows})

    def activate(self, step: Step, *, or_else: Sequence[Run] = ()) -> None:
        """Start again after a reboot what ``step`` created; if that fails, with ``or_else``. Raises StepFailed: it does not."""
        self._journal.append(Event.NOTE, step=step.id, text="no longer running; starting it again")
        # The tools open the members with O_EXCL. One lock for both: udev reads the partitions of a disk anew when it is
        # unlocked, and its rules fail the members that vanish meanwhile, also if the second start has them by then.
        with self._holding.during_step(step.holds):
            try:
                self._activate(step, step.activate)
            except StepFailed:
                if not or_else or self.runs(step):
                    raise
                self._activate(step, or_else)

    def mount_again(self, place: str) -> str:
        """Mount what fstab mounts at ``place``; return why it cannot be, empty if it is."""
        done = self._try(self._plan.steps[-1].id, Run(argv=("mount", place)))
        return harmless(done.last_words) if done.returncode else ""

    def _activate(self, step: Step, actions: Sequence[Run]) -> None:
        self._release(step.id)
        for action in actions:
            self._run(step.id, action)
        self._require(step, runs_unit(step), "after it was started again")

    def _release(self, step: str) -> None:
        """Stop what udev assembled from the members when a killed process no longer locked them."""
        for action in self._plan.release:
            self._run(step, action)

    def _finish(self, step: Step, begin: float, text: str = "") -> None:
        self._journal.append(Event.STEP_DONE, step=step.id, text=text, seconds=time.monotonic() - begin)

    def _perform_all(self, step: str, actions: Sequence[Action]) -> None:
        for action in actions:
            self._perform(step, action)

    def _perform(self, step: str, action: Action) -> None:
        self._known.clear()
        self.touched = True
        match action:
            case Run():
                self._run(step, action)
            case EnsureLine(path=path, line=line):
                self._journal.append(Event.EDIT, step=step, text=self._on.ensure_line(path, line))
            case DropLine(path=path, line=line):
                self._journal.append(Event.EDIT, step=step, text=self._on.drop_line(path, line))
            case MakeFolder(path=path):
                self._on.make_folders(path, partial(self._note_folders, step))
            case RemoveFolder(path=path, built=built):
                self._journal.append(Event.EDIT, step=step, text=self._on.remove_folders(path, built))
            case SaveCapsule(disks=words):
                for word in words:
                    planned, disk = self._disk(word)
                    writes = find_writes(self._plan, planned)
                    saved = self._on.save(self._capsule, disk, writes, partial(self._tell, step, disk))
                    self._journal.append(Event.NOTE, step=step, text=saved)
            case RestoreCapsule(disks=words):
                for word in words:
                    _, disk = self._disk(word)
                    restored = self._on.restore(self._capsule, disk, ours=own_signatures(self._plan, disk))
                    self._journal.append(Event.NOTE, step=step, text=restored)

    def _note(self, step: str, text: str) -> None:
        self._journal.append(Event.NOTE, step=step, text=text)

    def _note_folders(self, step: str, missing: list[str]) -> None:
        text = f"creating {', '.join(missing)}" if missing else "the folder already exists"
        self._journal.append(Event.NOTE, step=step, text=text, data={MADE: missing})

    def _run(self, step: str, action: Run) -> None:
        done = self._try(step, action)
        if done.timed_out:
            raise StepFailed(
                f"{done.argv[0]} did not end within {action.timeout_seconds} seconds and was killed"
            )
        if done.returncode not in action.ok:
            end = f"exit code {done.returncode}" if done.returncode >= 0 else f"signal {-done.returncode}"
            busy = done.argv[0] == "umount" and says_busy(done.stderr)
            users = file_users(Tree(), done.argv[-1]) if busy else ""
            why = f"{done.last_words.rstrip('.')}; in use by {users}" if users else done.last_words
            raise StepFailed(f"{' '.join(done.argv[:2])} ended with {end}: {why}")

    def _try(self, step: str, action: Run) -> Done:
        """Run a command, repeat it while its device is busy, and return the last result."""
        self._known.clear()
        self.touched = True
        argv = tuple(os.path.realpath(word) if action.follows(word) else word for word in action.argv)
        for wait in (*WAITS, None):
            done = self._commands.run(
                argv, text=action.input, timeout_seconds=action.timeout_seconds, cancel=self._cancel(step)
            )
            self._log(step, done, action.ok)
            if done.cancelled:
                raise Cancelled
            self._printed.append(done.stdout)
            busy = done.returncode not in action.ok and says_busy(f"{done.stdout}\n{done.stderr}")
            if wait is None or not busy or not may_be_busy(action.argv):
                break
            self._journal.append(Event.NOTE, step=step, text=f"busy; trying again in {wait:g} s")
            time.sleep(wait)
        return done

    def _cancel(self, step: str) -> Cancel | None:
        """How a request to stop is heeded during a command of ``step``."""
        if self._stop_requested is None:
            return None
        return Cancel(
            requested=self._stop_requested,
            tell=partial(self._note, step),
            may_end=self._step is not None and self._step.id == step and self._step.role in _CAN_BE_CUT_SHORT,
        )

    def _log(self, step: str, done: Done, ok: Collection[int]) -> None:
        self._journal.append(
            Event.COMMAND,
            step=step,
            argv=done.argv,
            returncode=done.returncode,
            accepted=done.returncode != 0 and done.returncode in ok,
            stdout=done.stdout,
            stderr=done.stderr,
            seconds=done.seconds,
        )

    def _tell(self, step: str, disk: Disk) -> dict[str, str]:
        """The output of tools about ``disk``, to keep in its capsule for people; any exit code is accepted."""
        answers = {"signatures.json": to_json(disk.every_signature)}
        for name, argv in questions_about(disk, smart=disk.identity in self._with_smart).items():
            if find_tool(argv[0]) is not None:
                done = self._commands.run(argv)
                answers[name] = done.stdout or done.stderr
                kept = msgspec.structs.replace(done, stdout=f"kept in the capsule as {name}")
                self._log(step, kept, {done.returncode})
        return answers

    def _require(self, step: Step, checks: Sequence[Check], when: str) -> None:
        # Do not repeat checks that held before, if nothing has been done since.
        due = [check for check in checks if check not in self._known]
        answers = self._ask(step.id, due, patience_seconds=PATIENCE_SECONDS)
        for check, answer in zip(due, answers, strict=True):
            if not answer.holds:
                why = next(filter(None, map(condition(check).why, reversed(self._printed))), "")
                details = "; ".join(filter(None, (answer.text, harmless(why))))
                raise StepFailed(f"{when}, check failed: {check_words(check)} ({details})")
        self._known |= set(due)

    def _ask(self, step: str, checks: Sequence[Check], *, patience_seconds: float = 0) -> list[Answer]:
        answers = self._on.ask(checks, held=self._holding.holds, patience_seconds=patience_seconds)
        with self._journal.together():
            for answer in answers:
                text = f"{answer.truth.value}: {answer.text}"
                self._journal.append(Event.CHECK, step=step, text=text, data={"holds": answer.holds})
        return answers

    def _disk(self, word: str) -> tuple[PlannedDisk, Disk]:
        """The planned and the live disk that a plan names by identity or by the path in its commands."""
        for planned in self._plan.disks:
            if word in {planned.identity, planned.path}:
                return planned, self._disks[planned.identity]
        raise BadInput(f"the plan names the disk {word!r}, which is not among its disks")
