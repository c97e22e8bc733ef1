"""Follow a job line by line, and ask what comes after it."""

from collections.abc import Sequence
from typing import Final

from raidtui.commands.plain import confirm, review, running
from raidtui.commands.plain.asking import Back
from raidtui.commands.plain.session import Session
from raidtui.commands.terminal.follow import INTERRUPTED, follow_sync, follow_to_the_end, next_entry, syncing
from raidtui.jobs.store import job_state, read_plan
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobKind, JobRequest, Outcome
from raidtui.ui.shell import explained
from raidtui.ui.shell.whose import jobs_then
from raidtui.ui.wizard.wanted import Purpose

_LATER: Final = "Ctrl-C asks what to do; it does not stop the job."


def follow(session: Session, request: JobRequest) -> bool:
    """Follow a job to its end, and ask what to do if it is interrupted or fails; return whether it is done."""
    asking = session.asking
    asking.say("", f"{request.title}: started as job {request.id}. {_LATER}")
    since = 0
    while True:
        session.pace.again()
        session.code = code = follow_to_the_end(request.id, as_json=False, pace=session.pace, since=since)
        since = next_entry(request.id)
        if code == 0:
            return True
        if code == INTERRUPTED:
            if not _meanwhile(session, request):
                return False
        elif not _after_failure(session, request):
            return False


def _meanwhile(session: Session, request: JobRequest) -> bool:
    """Ask what to do while the job runs; return whether to follow it again."""
    session.asking.say(f"After you quit, {jobs_then(in_lab=session.world.in_lab)}.")
    ways = ("follow the job again", "stop it after the current step", "back to the overview; the job runs on")
    way = _what_now(session, ways, default=0)
    if way == 1:
        try:
            session.world.cancel(request.id)
        except RaidtuiError as error:  # it has just ended
            session.asking.tell(str(error))
    return way < 2


def _what_now(session: Session, ways: Sequence[str], *, default: int) -> int:
    """Ask for one of ``ways``; to go back is the last of them, the overview."""
    try:
        return session.asking.choose(
            "What now",
            ways,
            default=default,
            explain=lambda: explained.in_words(explained.BUILD),
            quietly=True,
        )
    except Back:
        return len(ways) - 1


def _after_failure(session: Session, request: JobRequest) -> bool:
    """Ask what to do with a job that failed; return whether to follow it again."""
    state = session.world.job_state(request.id)
    if state.outcome is Outcome.ROLLED_BACK or request.kind is JobKind.BENCH:
        return False
    ways = (
        "resume it from the step where it stopped",
        "roll it back, as far as possible",
        "back to the overview",
    )
    way = _what_now(session, ways, default=2)
    if way == 2:
        return False
    try:
        (session.world.resume if way == 0 else session.world.rollback)(request.id)
    except RaidtuiError as error:
        session.code = error.exit_code
        session.asking.tell(str(error))
        return False
    return True


def built(session: Session, request: JobRequest) -> str:
    """Offer what comes after a build: follow the first resync, benchmark; return the target of a benchmark or nothing."""
    plan = read_plan(job_state(request.id))
    files = plan.spec.filesystem
    place = files.mountpoint if files.type != "none" else plan.array_path
    ways = [f"benchmark {place}", "back to the overview"]
    if busy := any(syncing(plan)):
        ways.insert(0, f"follow the resync; {place} can be used meanwhile")
    while True:
        way = _what_now(session, ways, default=len(ways) - 1)
        if not busy or way:
            return place if way == len(ways) - 2 else ""
        try:
            session.pace.again()
            session.code, said = follow_sync(plan, "It is in sync", session.pace)
            session.asking.say(f"{said}.")
        except KeyboardInterrupt:
            session.asking.say("", "The resync continues.")


def carry_out(session: Session, purpose: Purpose) -> None:
    """Say the plan of a removal or a procedure, have it confirmed, and follow its job."""
    while True:
        try:
            review.ask(session, purpose)
        except RaidtuiError as error:
            session.code = error.exit_code
            session.asking.say(f"This cannot be done now: {error}.")
            return
        try:
            request = confirm.ask(session, purpose)
        except Back:
            continue
        session.draft = session.draft.with_new_seed()
        running.follow(session, request)
        return
