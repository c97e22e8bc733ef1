"""A sweep: its disks, its study, what it would do, and the figures of each array at the end."""

from pathlib import Path
from typing import Final

from raidtui.commands.plain import comparing, confirm, review, running
from raidtui.commands.plain.asking import Back, numbered, one_of, then
from raidtui.commands.plain.disks import HOW_TO_NAME, chosen, say_all
from raidtui.commands.plain.session import Session
from raidtui.commands.sweep import preview_lines
from raidtui.jobs.journal import read_journal
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.journal import JobRequest
from raidtui.model.text import harmless
from raidtui.sweep.file import published_studies
from raidtui.sweep.prepare import Preview, preview, with_disks
from raidtui.sweep.state import progress_of
from raidtui.ui.shell import explained
from raidtui.ui.wizard.wanted import Purpose

_HOW: Final = "quick: measure briefly, on a small part of each disk; again: the whole study."


def ask(session: Session) -> None:
    """Ask for disks and a study, say what it would do, have it confirmed, and follow it to its figures."""
    then(
        lambda: _ask_for_disks(session),
        lambda _: then(lambda: _ask_for_study(session), lambda study: _carry_out(session, study)),
    )


def _ask_for_study(session: Session) -> str:
    studies = published_studies()
    names = list(studies)
    session.asking.say("", *numbered(f"{name}: {harmless(sweep.about)}" for name, sweep in studies.items()))
    return session.asking.until(
        "Study",
        lambda answer: names[one_of(answer, names)],
        default="1",
        explain=lambda: explained.in_words(explained.SWEEP),
    )


def _carry_out(session: Session, study: str) -> None:
    """Say what the study would do, have it confirmed, and follow it to its figures."""
    asking, quick = session.asking, False
    while True:
        try:
            quick = _review(session, study, quick=quick)
        except RaidtuiError as error:
            session.code = error.exit_code
            asking.say(f"This cannot be done now: {error}.")
            return
        try:
            request = confirm.ask(session, Purpose(sweep=study, quick=quick))
        except Back:
            continue
        break
    session.fresh_draft()
    running.follow(session, request)
    say(session, request)


def _ask_for_disks(session: Session) -> None:
    """Ask for the disks that the sweep erases; the draft keeps them."""
    asking = session.asking
    asking.say("", "Choose the disks by their numbers, such as 1 2 3 or 1-3. The sweep will erase them.")
    say_all(session)
    disks = asking.until(
        "Disks",
        lambda answer: chosen(answer, session),
        default=" ".join(session.draft.spec.members),
        explain=lambda: (*explained.in_words(explained.SWEEP), HOW_TO_NAME),
    )
    session.draft = session.draft.with_spec(members=disks, spares=())


def _review(session: Session, study: str, *, quick: bool) -> bool:
    """Say what the study would do until it is to be confirmed; return whether in its quick form.

    Raises:
        RaidtuiError: it does not work with these disks.
    """
    asking = session.asking

    def said(*, quick: bool) -> Preview:
        sweep = with_disks(study, session.draft.spec.members, quick=quick)
        seen = preview(sweep, session.machine, seed=session.draft.seed)
        asking.say("", f"On {session.place}. Nothing has happened yet.", *preview_lines(seen))
        return seen

    seen = said(quick=quick)

    def read(answer: str) -> bool:
        nonlocal seen, quick
        word = answer.lower()
        if word == "quick":
            seen = said(quick=not quick)
            quick = not quick
        elif word != "confirm":
            raise BadInput(f"{answer!r} is none of: confirm, quick")
        return word == "confirm"

    while not asking.until(
        "Type confirm to continue", read, explain=lambda: (*explained.in_words(explained.SWEEP), _HOW)
    ):
        pass
    review.accept_high(session, seen.hazards)
    return quick


def say(session: Session, request: JobRequest) -> None:
    """Say the figures of each array that was measured, and why one was not."""
    progress = progress_of(read_journal(Path(session.world.job_state(request.id).folder)))
    known = {one.id: one for one in session.world.list_results()}
    session.asking.say(
        *(f"Not measured: {harmless(turn)}: {harmless(why)}" for turn, why in progress.failed.items()),
        *(comparing.sentence(known[one]) for one in progress.results.values() if one in known),
    )
