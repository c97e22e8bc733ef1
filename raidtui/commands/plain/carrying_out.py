"""A plan that is not a build, from its review over the confirmation to the end of its job."""

from raidtui.commands.plain import confirm, review, running
from raidtui.commands.plain.asking import Back
from raidtui.commands.plain.session import Session
from raidtui.model.errors import RaidtuiError
from raidtui.ui.wizard.wanted import Purpose


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
