"""Sequences of care in memory: up to three operations on a small array, with one failure put in anywhere.

A sequence has a number, from which all of it follows; `play` repeats it alone. An array of three members, two free disks
and a computer that does what it is told, until the failure. When its cause has gone, the job must be resumed, or else
rolled back; the next operation starts from what that left.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import msgspec

from raidtui.jobs.commands import Done
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.runner import run_job
from raidtui.jobs.store import load_job_state, write_job
from raidtui.model.errors import BadInput, Refused, StepFailed
from raidtui.model.journal import Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Disk, Machine, Member
from raidtui.model.plan import Action, Check, Plan, Run
from raidtui.model.procedure import (
    AddSpare,
    Configure,
    Grow,
    Procedure,
    RemoveFailed,
    RemoveSpare,
    Replace,
    Scrub,
)
from raidtui.model.system import ConfiguredArray
from raidtui.model.uuids import bare
from raidtui.plan.care import make_care
from tests.unit.fake_computer import FakeComputer, Killed
from tests.unit.plan_machines import ARRAY_UUID, array, machine, member_disk

OPERATIONS: Final = (
    "replace",
    "replace-other",
    "add-spare",
    "remove-spare",
    "remove-failed",
    "grow",
    "configure",
    "check",
)
ORDERS: Final = tuple(order for count in (1, 2, 3) for order in itertools.product(OPERATIONS, repeat=count))
LINE: Final = f"ARRAY /dev/md/tank metadata=1.2 UUID={bare(ARRAY_UUID)}"
FAR: Final = 40  # actions and entries of a journal, among which a failure is placed


class Failure(Enum):
    """What goes wrong once."""

    MEMBER_DIES = "a member dies"
    MEMBER_AWAY = "a member dies, and is back before the job is resumed"
    DISK_FULL = "the state folder is full"
    KILLED = "the job is killed"
    TOOL_FAILS = "a command fails"
    TOOL_HANGS = "a command hangs until its time limit"
    POWER_CUT = "the power is cut"


SEQUENCES: Final = len(ORDERS) * len(Failure)


@dataclass(frozen=True)
class Array:
    """The array as the operations leave it: numbers of disks; 0 is an empty slot."""

    slots: tuple[int, ...] = (1, 2, 3)
    spares: tuple[int, ...] = ()
    failed: int = 0
    dead: tuple[int, ...] = ()
    configured: bool = False

    @property
    def free(self) -> list[int]:
        """The disks that are in no array."""
        return [n for n in range(1, 7) if n not in (*self.slots, *self.spares, self.failed, *self.dead)]

    def machine(self, *, without: int = 0) -> Machine:
        """The computer with this array, but not the disk ``without``."""

        def member(number: int, slot: int | None, state: str) -> Member:
            return Member(
                path=f"/dev/sd{'abcdef'[number - 1]}1", disk=f"S-000{number}", slot=slot, state=(state,)
            )

        gone = {without, *self.dead}
        members = [member(n, slot, "in_sync") for slot, n in enumerate(self.slots) if n and n not in gone]
        members += [member(n, None, "spare") for n in self.spares if n not in gone]
        members += [member(self.failed, None, "faulty")] if self.failed and self.failed not in gone else []
        lacking = sum(n in gone or n == 0 for n in self.slots)
        made = machine(
            *(member_disk(n) for n in (*self.slots, *self.spares, self.failed) if n),
            arrays=(array(raid_disks=len(self.slots), members=tuple(members), degraded=lacking),),
            mdadm_conf_arrays=(LINE,) if self.configured else (),
            mdadm_conf_entries=(ConfiguredArray(text=LINE, file="/etc/mdadm/mdadm.conf", lines=(LINE,)),)
            if self.configured
            else (),
        )
        return msgspec.structs.replace(
            made, disks=tuple(one for one in made.disks if int(one.serial[-1]) not in gone)
        )


def order_of(word: str, now: Array, dice: random.Random) -> tuple[Procedure, Array] | None:
    """The operation, and the array after it; None if the array has not what it is about."""
    free, slots = now.free, now.slots
    match word:
        case "replace" | "replace-other" if free:
            slot = slots.index(0) if now.failed else 0 if word == "replace" else len(slots) - 1
            after = tuple(free[0] if place == slot else n for place, n in enumerate(slots))
            order = Replace(old=f"S-000{slots[slot] or now.failed}", new=f"S-000{free[0]}")
            return order, replace(now, slots=after, failed=0)
        case "add-spare" if free:
            return AddSpare(unit=ARRAY_UUID, disk=f"S-000{free[0]}"), replace(
                now, spares=(*now.spares, free[0])
            )
        case "remove-spare" if now.spares:
            leaves = dice.choice(now.spares)
            left = tuple(n for n in now.spares if n != leaves)
            return RemoveSpare(unit=ARRAY_UUID, disk=f"S-000{leaves}"), replace(now, spares=left)
        case "remove-failed":
            return RemoveFailed(unit=ARRAY_UUID), replace(now, failed=0)
        case "grow" if free:
            return Grow(unit=ARRAY_UUID, add=(f"S-000{free[0]}",)), replace(now, slots=(*slots, free[0]))
        case "configure":
            return Configure(unit=ARRAY_UUID), replace(now, configured=True)
        case "check":
            return Scrub(unit=ARRAY_UUID), now
    return None


class CareComputer(FakeComputer):
    """What no step of the plan brings about holds from the beginning."""

    def check_place(self, folder: Path, plan: Plan, disks: Mapping[str, Disk]) -> None:
        assert set(disks) <= {one.identity for one in plan.disks}, "a disk that is replaced may be gone"

    def _holds(self, check: Check) -> bool:
        brought = {one for step in self.plan.steps if step.actions for one in step.after}
        made = {one for step in self.in_effect for one in self._after(step)}
        return check.kind not in self.denied and (check not in brought or check in made)


@dataclass
class Course:
    """How a sequence went."""

    number: int
    words: tuple[str, ...]
    failure: Failure
    told: list[str] = field(default_factory=list)
    struck: bool = False
    """Whether the failure met a job: an operation may be refused, or be shorter."""


def play(number: int, folder: Path) -> Course:
    """Play the sequence of this number; the state folder is the caller's.

    Raises:
        AssertionError: a job is stuck, its journal is lost, or a step is in effect that should not be.
    """
    dice = random.Random(number)
    order = ORDERS[number // len(Failure) % len(ORDERS)]
    course = Course(number, order, list(Failure)[number % len(Failure)])
    strikes_in, strikes_at = dice.randrange(len(order)), dice.randrange(FAR)
    now = Array(configured=dice.random() < 0.5)
    if dice.random() < 0.25:
        now = replace(now, slots=(1, 0, 3), failed=2)
    for place, word in enumerate(order):
        asked = order_of(word, now, dice)
        if asked is None:
            course.told.append(f"{word}: nothing to do")
            continue
        procedure, after = asked
        try:
            plan = make_care(procedure, now.machine(), seed=f"11111111-2222-4333-8444-{number:08}{place:04}")
        except (Refused, BadInput) as refusal:
            course.told.append(f"{word}: refused: {refusal}")
            continue
        strikes = strikes_at % _length(plan) if place == strikes_in else None
        ended, lost = _job(course, procedure, plan, now, strikes, f"j{place}", dice)
        now = after if ended is Outcome.DONE else now
        if lost:
            now = replace(now, dead=(*now.dead, lost))
        course.told.append(f"{word}: {ended.value}")
    return course


def request_of(procedure: Procedure, plan: Plan, name: str) -> JobRequest:
    """The request of a job that was confirmed."""
    return JobRequest(
        id=name,
        kind=JobKind.REPLACE if isinstance(procedure, Replace) else JobKind.CARE,
        title=name,
        created="",
        seed=plan.seed,
        fingerprint=plan.fingerprint,
        procedure=procedure,
        erase=tuple(one.serial for one in plan.erased),
        accepted=tuple(one.id for one in plan.hazards),
    )


def _length(plan: Plan) -> int:
    return max(1, sum(len(step.actions) for step in plan.steps))


def _job(
    course: Course,
    procedure: Procedure,
    plan: Plan,
    now: Array,
    strikes: int | None,
    name: str,
    dice: random.Random,
) -> tuple[Outcome, int]:
    """Carry a plan out with the failure at an action, then resume or roll back; its end, and a member that died."""
    job = write_job(request_of(procedure, plan, name), machine=now.machine(), plan=plan)
    computer = CareComputer(plan, now.machine())
    if strikes is None:
        return run(job, computer), 0
    dies = dice.choice([int(one.serial[-1]) for one in plan.disks] or now.slots)
    with _failing(course.failure, computer, strikes, lambda: now.machine(without=dies)) as struck:
        try:
            ended = run(job, computer)
        except Killed:
            ended = Outcome.INTERRUPTED
    course.struck = bool(struck)
    if ended is Outcome.DONE:
        return ended, 0
    entries = len(read_journal(job))
    lost = dies if course.failure is Failure.MEMBER_DIES and struck else 0
    if course.failure is Failure.POWER_CUT:
        computer.reboot()
    if not lost:
        computer.machine = now.machine()
    ways = [False, True] if dice.random() < 0.5 else [True, False]
    for rollback in ways:
        ended = run(job, computer, rollback=rollback)
        if ended in {Outcome.DONE, Outcome.ROLLED_BACK}:
            break
    assert len(read_journal(job)) > entries, "entries of the journal are lost"
    if lost:  # a job about a disk that is gone says so, and waits for it
        assert ended in {Outcome.DONE, Outcome.ROLLED_BACK, Outcome.REFUSED, Outcome.FAILED}
        return ended, lost
    assert ended in {Outcome.DONE, Outcome.ROLLED_BACK}, f"stuck: {read_journal(job)[-1].text}"
    if ended is Outcome.DONE:
        lacking = {step.id for step in plan.steps if step.actions} - computer.in_effect
        assert not lacking, f"{lacking} are not in effect"
    else:
        left = {step.id for step in plan.steps if step.undo} & computer.in_effect
        assert not left, f"{left} are still in effect"
    return ended, 0


def run(job: Path, computer: CareComputer, *, rollback: bool = False) -> Outcome:
    """Run the job, resume it or roll it back; its outcome, which its journal and its state must agree on."""
    code = run_job(job, rollback=rollback, on=computer)
    last = read_journal(job)[-1]
    assert last.event is Event.ENDED
    assert last.text, "an end without a sentence"
    assert (code == 0) is (last.outcome in {Outcome.DONE, Outcome.ROLLED_BACK})
    state = load_job_state(job)
    assert state is not None
    assert state.outcome is last.outcome
    assert last.outcome is not None
    return last.outcome


@contextmanager
def _failing(
    failure: Failure, computer: CareComputer, strikes: int, without: Callable[[], Machine]
) -> Iterator[list[bool]]:
    """Let the failure strike before the action with this number; the list that is given is filled then."""
    struck: list[bool] = []
    actions = itertools.count()
    really: Callable[..., Done] = computer.run
    append = Journal.append

    def before(action: Action) -> None:
        of_tools = failure in {Failure.TOOL_FAILS, Failure.TOOL_HANGS}
        if next(actions) == strikes and (isinstance(action, Run) or not of_tools):
            struck.append(True)
            if failure in {Failure.KILLED, Failure.POWER_CUT}:
                raise Killed
            if failure in {Failure.MEMBER_DIES, Failure.MEMBER_AWAY}:
                computer.machine = without()
                raise StepFailed("the disk does not answer")

    def run_tool(argv: Any, **more: Any) -> Done:
        failed = [Done(argv=(), returncode=1, stdout="", stderr="it fails", seconds=0.1)]
        if failure is Failure.TOOL_HANGS:
            failed = [Done(argv=(), returncode=-9, stdout="", stderr="", seconds=60.0, timed_out=True)]
        begun = len(struck)
        computer.before_action = before
        if failure in {Failure.TOOL_FAILS, Failure.TOOL_HANGS}:
            computer.fails = {argv[0]: failed[0]} if _peek(actions) == strikes else {}
        try:
            return really(argv, **more)
        finally:
            if len(struck) > begun:
                computer.fails = {}

    def full(self: Journal, event: Event, **fields: Any) -> Any:
        if failure is Failure.DISK_FULL and struck and event is not Event.ENDED:
            raise StepFailed("the journal cannot be written: No space left on device")
        return append(self, event, **fields)

    computer.before_action = before
    with patch.object(computer, "run", run_tool), patch.object(Journal, "append", full):
        yield struck
    computer.before_action = lambda action: None
    computer.fails = {}


def _peek(counter: Any) -> int:
    """The number that the counter gives next."""
    return int(repr(counter)[6:-1])
