"""The overview in sentences, and the way of a new array from its disks to its mount point."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from raidtui.commands.plain import growing, removing, replacing
from raidtui.commands.plain.asking import HOW, Asking, Back, InputEnded, Quit, in_turn
from raidtui.commands.plain.session import Session, read
from raidtui.commands.terminal.pace import parse_pace
from raidtui.commands.text.status import Status, describe, live_jobs, seen
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.journal import JobKind, JobState
from raidtui.model.text import count_of, harmless
from raidtui.ui.shell import explained
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.whose import access_words, called
from raidtui.ui.shell.world import Access, World
from raidtui.ui.wizard.draft import Draft, new_draft, taken_names
from raidtui.ui.wizard.wanted import Purpose

_MENU: Final = {
    "new": "a new array",
    "job": "follow the job",
    "care": "care for a finding",
    "replace": "replace a disk of an array, also one that works",
    "grow": "let an array grow",
    "remove": "remove an array, or what is on a single disk",
    "benchmark": "a benchmark",
    "sweep": "a sweep: measure many arrays on the same disks, unattended",
    "compare": "compare results",
    "read": "read the computer again",
}


def open_plain(machine_file: str | None, draft: Draft | None, *, every: str) -> int:
    """Ask until the user quits or the input ends; return the exit code: that of the last job, or 0.

    Args:
        machine_file: this recorded machine instead of this computer.
        draft: begin with the plan of this one.
        every: how often progress is shown, as `parse_pace` takes it.

    Raises:
        BadInput: the input ended before a question was answered that something depends on; nothing was changed by it.
    """
    pace = parse_pace(every)
    asking = Asking(sys.stdin.buffer if sys.stdin is not None else None)
    world = _world(machine_file)
    asking.say(f"raidtui on {called(world)} ({', '.join(access_words(world))}). {HOW}", "Reading the disks.")
    look = read(world)
    if world.access is Access.USER:
        asking.say(_NOT_ROOT)
    given = draft or new_draft(taken_names(look.machine, look.units))
    session = Session(asking=asking, world=world, pace=pace, look=look, draft=given)
    try:
        if draft is not None:
            _new_array(session, begin=_STEPS.index("review"))
        while True:
            _overview(session)
    except Quit:
        pass
    except InputEnded as ended:
        if not ended.quietly:
            raise BadInput(
                f"the input ended before this was answered: {ended.question}; nothing was started"
            ) from None
    return session.code


def _world(machine_file: str | None) -> World:
    if not machine_file:
        return World()
    from raidtui.backends.reading import recorded_machine

    return RecordedWorld(recorded_machine(machine_file), file=machine_file)


def _overview(session: Session) -> None:
    """Say what is here and what is wrong, and do what is chosen."""
    asking = session.asking
    asking.say("", *_status_lines(session))
    findings = session.look.findings
    jobs = _followed(session)
    menu = dict(_MENU)
    for name, what in (
        ("replace", replacing.replacing),
        ("grow", growing.growing),
        ("remove", removing.removable),
    ):
        if not what(session):
            del menu[name]
    if not findings:
        del menu["care"]
    if jobs:
        menu["job"] = f"follow the job: {harmless(jobs[0].request.title)}, {jobs[0].outcome.words}"
    else:
        del menu["job"]
    if findings:
        menu["care"] = f"{menu['care']} ({count_of(findings, 'finding')})"
    names = list(menu)
    asking.say("")
    try:
        chosen = names[
            asking.choose(
                "What to do",
                list(menu.values()),
                explain=lambda: explained.in_words(explained.OVERVIEW),
                quietly=True,
            )
        ]
        _do(session, chosen)
    except Back:
        pass
    except RaidtuiError as error:
        if isinstance(error, BadInput) and session.asking.has_given_up:
            raise
        session.code = error.exit_code
        asking.tell(str(error))


def _do(session: Session, chosen: str) -> None:
    if chosen == "new":
        _new_array(session)
    elif chosen == "job":
        from raidtui.commands.plain import running

        running.follow(session, _followed(session)[0].request)
    elif chosen == "care":
        from raidtui.commands.plain import caring

        caring.ask(session)
    elif chosen in {"replace", "grow", "remove"}:
        {"replace": replacing, "grow": growing, "remove": removing}[chosen].ask(session)
    elif chosen == "sweep":
        from raidtui.commands.plain import sweeping

        sweeping.ask(session)
    elif chosen == "benchmark":
        from raidtui.commands.plain import measuring

        measuring.ask(session)
    elif chosen == "compare":
        from raidtui.commands.plain import comparing

        comparing.ask(session)
    session.read()


def _status_lines(session: Session) -> Sequence[str]:
    """What 'raidtui status' says."""
    from raidtui.backends.units import is_rotational

    machine, units, findings = session.look
    shown = tuple(seen(unit, is_rotational(unit, machine), ()) for unit in units)
    return describe(Status(shown, _jobs(session), problems=machine.problems, findings=findings))


def _followed(session: Session) -> list[JobState]:
    kinds = [(job, job.request.kind) for job in _jobs(session)]
    return [job for job, kind in kinds if kind.has_plan or kind is JobKind.SWEEP]


def _jobs(session: Session) -> tuple[JobState, ...]:
    """The jobs that run or were interrupted."""
    return () if session.world.access is Access.RECORDED else live_jobs()


_NOT_ROOT: Final = (
    "You are not root: everything can be read, and s saves the spec of a plan. To build, run it with sudo."
)
_STEPS: Final = ("disks", "level", "options", "review")


def _new_array(session: Session, begin: int = 0) -> None:
    """Ask for disks, level and options, say the plan, have it confirmed, and build it; b goes back one question."""
    ways = (*map(_step, _STEPS), _build)
    in_turn(*(partial(way, session) for way in ways), begin=begin)


def _step(name: str) -> Callable[[Session], None]:
    from raidtui.commands.plain import disks, level, options, review

    return {"disks": disks.ask, "level": level.ask, "options": options.ask, "review": review.ask}[name]


def _build(session: Session) -> None:
    """Confirm, build, and offer what comes next."""
    from raidtui.commands.plain import confirm, measuring, running

    request = confirm.ask(session, Purpose())
    session.fresh_draft()
    try:
        if running.follow(session, request) and (target := running.built(session, request)):
            session.read()
            measuring.ask(session, target)
    except Back:  # from what comes after it nobody goes back to its plan
        return
