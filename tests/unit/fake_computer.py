"""A computer in memory for jobs: tracks which steps are in effect; tests kill, reboot and change it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from raidtui.backends.conditions import condition
from raidtui.jobs.commands import Done
from raidtui.jobs.computer import Computer
from raidtui.jobs.progress import runs_unit
from raidtui.jobs.stopping import Cancel
from raidtui.machine.contents.signatures import Probed
from raidtui.model.answer import Answer, either, unknown
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import (
    Action,
    Check,
    DropLine,
    EnsureLine,
    Extent,
    MakeFolder,
    Plan,
    RemoveFolder,
    RestoreCapsule,
    Run,
    SaveCapsule,
    Step,
)
from raidtui.steps.condition import Held


class Killed(BaseException):
    """Simulates kill -9: nothing catches it, and nothing more is written."""


class FakeHolding:
    """Handles that open unless ``refuses`` says why not."""

    def __init__(self, refuses: str = "") -> None:
        self.held = False
        self.locked = 0  # how often disks were locked for commands
        self._refuses = refuses

    def hold_all(self) -> None:
        if self._refuses:
            raise Refused(self._refuses)
        self.held = True

    def release_all(self) -> None:
        self.held = False

    def holds(self, path: str) -> bool:
        return self.held

    @contextmanager
    def during_step(self, paths: Sequence[str], *, then: Sequence[str] = ()) -> Iterator[None]:
        self.locked += 1
        yield

    def unlock(self) -> None:
        """Do nothing: there is no lock."""


class FakeComputer(Computer):
    """Records the actions of one plan instead of executing them.

    A step is in effect from its last action until one of its undo actions.
    """

    def __init__(self, plan: Plan, machine: Machine) -> None:
        self.plan, self.machine = plan, machine
        self.done: list[Action] = []
        self.in_effect: set[str] = set()
        self._far: dict[str, int] = {}  # how many actions of each step were done, in sequence
        self.running = True  # the created unit is active
        self.kill_after: int | None = None  # after this many actions
        self.fails: dict[str, Done] = {}  # the result of a failing program, by its name
        self.mounted: dict[str, list[str]] = {}  # mount point of the filesystem → the names in it
        self.inside: list[str] = ["lost+found"]  # the names in the filesystem when it is not mounted
        self.signatures_fail = ""
        self.before_action: Callable[[Action], None] = lambda action: None
        self.untouched = True
        self.denied: set[str] = set()  # kinds of conditions that do not hold
        self.silent: set[str] = set()  # kinds of conditions of which nobody can say whether they hold
        self.in_use = ""  # why a disk cannot be opened exclusively
        self.place_is_on = ""  # the disk of the job that the state folder is on
        self.holding = FakeHolding()
        self.at_last: tuple[Disk, ...] | None = None  # the disks as they are once they are held
        self.may_end: dict[str, bool] = {}  # whether a cancel may end a program, by its name
        self._creates = next((step.id for step in plan.steps if runs_unit(step)), "")
        self._boot = 1

    def reboot(self) -> None:
        """Stop the unit and unmount the filesystem."""
        self._boot += 1
        self.running = not self._creates
        self.in_effect -= {step.id for step in self.plan.steps if step.id == "mount"}

    # Reading.

    def boot(self) -> str:
        return f"boot {self._boot}"

    def read(self, known_tools: Mapping[str, str]) -> Machine:
        return self.machine

    def number_of(self, path: str) -> str:
        planned = next(one for one in self.plan.disks if one.path == path)
        return next(
            (disk.device_number for disk in self.machine.disks if disk.identity == planned.identity), ""
        )

    def disks(self) -> tuple[Disk, ...]:
        assert self.holding.held, "what is read before the disks are held may change"
        return self.machine.disks if self.at_last is None else self.at_last

    def probe(self, devices: Sequence[str]) -> Probed:
        if self.signatures_fail:
            return Probed(found={}, failed=dict.fromkeys(devices, self.signatures_fail))
        every = {s.device: s for disk in self.machine.disks for s in disk.every_signature}
        return Probed(found={d: (every[d],) if d in every else () for d in devices}, failed={})

    def ask(self, checks: Sequence[Check], *, held: Held, patience_seconds: float = 0) -> list[Answer]:
        return [
            unknown("no answer")
            if check.kind in self.silent
            else either(holds=self._holds(check), text=f"{check.kind} {check.subject}")
            for check in checks
        ]

    def _holds(self, check: Check) -> bool:
        kind = condition(check)
        if check.kind in self.denied:
            return False
        if kind.runs_unit:
            return self.running and any(check in self._after(step) for step in self.in_effect)
        if kind.may_be_older or check.kind == "not-mounted":
            return True
        made = [one for step in self.in_effect for one in self._after(step)]
        if check.kind == "initramfs-has":  # it contains mdadm.conf as of its rebuild
            return check in made and any(one.kind == "line-in" and one.expect == check.expect for one in made)
        return check in made

    def _after(self, step: str) -> tuple[Check, ...]:
        return next(one.after for one in self.plan.steps if one.id == step)

    def node_of(self, plan: Plan) -> str:
        if not self._creates and plan.probe is not None:  # a filesystem directly on its disks
            return plan.array_path
        return "/dev/md127" if self.running and self._creates in self.in_effect else ""

    def files_on(self, device: str) -> Mapping[str, Sequence[str]]:
        return self.mounted

    def is_folder(self, path: str) -> bool:
        return "mountpoint" in self.in_effect

    def names_in(self, folder: str) -> list[str]:
        return self.inside

    @contextmanager
    def folder_for_a_look(self) -> Iterator[str]:
        yield "/look"

    def check_place(self, folder: Path, plan: Plan, disks: Mapping[str, Disk]) -> None:
        assert set(disks) == {one.identity for one in plan.disks}
        if self.place_is_on:
            raise Refused(f"the state folder is on {self.place_is_on}")

    def is_in_memory(self, folder: Path) -> bool:
        return False

    # Acting.

    def hold(self, plan: Plan, disks: Sequence[Disk]) -> FakeHolding:
        self.holding = FakeHolding(self.in_use)
        return self.holding

    def commands(self, folder: Path) -> "FakeComputer":
        return self

    def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        timeout_seconds: float = 120,
        cancel: Cancel | None = None,
    ) -> Done:
        self.may_end[argv[0]] = cancel is not None and cancel.may_end
        action = next(
            (one for one in self._actions() if isinstance(one, Run) and one.argv == tuple(argv)), None
        )
        failed = self.fails.get(argv[0])
        self._do(action or Run(argv=tuple(argv)), works=failed is None)
        done = failed or Done(argv=(), returncode=0, stdout="", stderr="", seconds=0.0)
        return msgspec.structs.replace(done, argv=tuple(argv))

    def ensure_line(self, path: str, line: str) -> str:
        return self._do(EnsureLine(path=path, line=line))

    def drop_line(self, path: str, line: str) -> str:
        return self._do(DropLine(path=path, line=line))

    def make_folders(self, path: str, note: Callable[[list[str]], None]) -> None:
        note([path])
        self._do(MakeFolder(path=path))

    def remove_folders(self, path: str, built: str) -> str:
        return self._do(RemoveFolder(path=path, built=built))

    def save(
        self, capsule: Path, disk: Disk, writes: Iterable[Extent], texts: Callable[[], dict[str, str]]
    ) -> str:
        capsule.mkdir(exist_ok=True)
        saved = next(one for one in self._actions() if isinstance(one, SaveCapsule))
        last = disk.identity == saved.disks[-1]
        return self._do(saved if last else SaveCapsule(disks=(disk.identity,)))

    def restore(self, capsule: Path, disk: Disk, *, ours: frozenset[str]) -> str:
        restored = next(one for one in self._actions() if isinstance(one, RestoreCapsule))
        last = disk.identity == restored.disks[-1]
        return self._do(restored if last else RestoreCapsule(disks=(disk.identity,)))

    def check_untouched(self, capsule: Path, disk: Disk) -> None:
        if not self.untouched:
            raise Refused(f"{disk.identity} was written to")

    def _actions(self) -> Iterator[Action]:
        for step in self.plan.steps:
            yield from step.every_action

    def _completes(self, step: Step, action: Action) -> bool:
        """Whether ``action`` was the last of the step's actions, all done in order."""
        far = self._far.get(step.id, 0)
        if far < len(step.actions) and action == step.actions[far]:
            far += 1
        else:
            far = int(bool(step.actions) and action == step.actions[0])
        self._far[step.id] = far % len(step.actions) if step.actions else 0
        return bool(step.actions) and far == len(step.actions)

    def _do(self, action: Action, *, works: bool = True) -> str:
        assert self.holding.held, "nothing is changed on a disk that the job does not hold"
        self.before_action(action)
        if self.kill_after is not None:
            if self.kill_after == 0:
                raise Killed
            self.kill_after -= 1
        self.done.append(action)
        if works:
            for step in self.plan.steps:
                if self._completes(step, action):
                    self.in_effect.add(step.id)
                    self.running = self.running or step.id == self._creates
                elif action in step.undo and action not in step.actions:
                    self.in_effect.discard(step.id)
                if action in (*step.activate, *step.activate_empty):
                    self.running = True
        return "done"
