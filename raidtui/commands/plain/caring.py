"""What is wrong, and what to do about it as a plan."""

from collections.abc import Sequence

from raidtui.advice.finding_pages import cost_of, data_of
from raidtui.commands._findings import explained_lines, finding_lines
from raidtui.commands.plain import confirm, review, running
from raidtui.commands.plain.asking import Back
from raidtui.commands.plain.session import Session
from raidtui.model.errors import RaidtuiError
from raidtui.model.finding import Finding, Remedy
from raidtui.model.procedure import Procedure, is_choice
from raidtui.model.text import harmless
from raidtui.ui.wizard.wanted import Purpose


def ask(session: Session) -> None:
    """Ask which finding, and what of it to do."""
    asking, findings = session.asking, session.look.findings
    chosen = asking.choose(
        "Finding",
        [harmless(f"{data_of(one)}: {one.what}") for one in findings],
        explain=lambda: [line for one in findings for line in explained_lines(one)],
    )
    finding = findings[chosen]
    asking.say("", *map(harmless, finding_lines(finding, disks=True)))
    offered = _offered(finding)
    if not offered:
        asking.say("This is for you to do; raidtui has no plan for it.", *explained_lines(finding))
        return
    ways = [f"{harmless(one.text)}{' (your choice)' if is_choice(way) else ''}" for one, way in offered]
    remedy, procedure = offered[asking.choose("What to do", ways, explain=lambda: explained_lines(finding))]
    if is_choice(procedure):
        asking.say("This is your choice.", *map(harmless, (remedy.text, *cost_of(finding, remedy))))
    _carry_out(session, procedure)


def _offered(finding: Finding) -> Sequence[tuple[Remedy, Procedure]]:
    return [(one, one.procedure) for one in finding.remedies if one.procedure is not None]


def _carry_out(session: Session, procedure: Procedure) -> None:
    """The plan of a procedure, its confirmation, and its job."""
    while True:
        try:
            review.ask(session, procedure)
        except RaidtuiError as error:
            session.code = error.exit_code
            session.asking.say(f"This cannot be done now: {error}.")
            return
        try:
            request = confirm.ask(session, Purpose(procedure=procedure))
        except Back:
            continue
        session.draft = session.draft.with_new_seed()
        running.follow(session, request)
        return
