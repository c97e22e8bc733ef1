"""What is wrong, and what to do about it as a plan."""

from collections.abc import Sequence

from raidtui.advice.findings.pages import cost_of, data_of
from raidtui.advice.findings.trials import in_use
from raidtui.commands.plain.asking import then
from raidtui.commands.plain.running import carry_out
from raidtui.commands.plain.session import Session
from raidtui.commands.text.findings import explained_lines, finding_lines
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.finding import Finding, Remedy, recover_command
from raidtui.model.procedure import Procedure, Recover, is_choice
from raidtui.model.text import harmless
from raidtui.ui.wizard.wanted import Purpose


def ask(session: Session) -> None:
    """Ask which finding, and what of it to do."""
    asking, findings = session.asking, session.look.findings

    def which() -> Finding:
        words = [harmless(f"{data_of(one)}: {one.what}") for one in findings]
        explain = [line for one in findings for line in explained_lines(one)]
        return findings[asking.choose("Finding", words, explain=lambda: explain)]

    then(which, lambda finding: _ask_what(session, finding))


def _ask_what(session: Session, finding: Finding) -> None:
    """Say all of a finding, ask what of it to do, and do it."""
    asking = session.asking
    asking.say("", *map(harmless, finding_lines(finding, disks=True)))
    offered = _offered(finding)
    if not offered:
        asking.say("This is for you to do; raidtui has no plan for it.", *explained_lines(finding))
        return
    ways = [f"{harmless(one.text)}{' (your choice)' if is_choice(way) else ''}" for one, way in offered]

    def which() -> tuple[Remedy, Procedure]:
        return offered[asking.choose("What to do", ways, explain=lambda: explained_lines(finding))]

    then(which, lambda chosen: _do(session, finding, *chosen))


def _do(session: Session, finding: Finding, remedy: Remedy, procedure: Procedure) -> None:
    asking = session.asking
    if is_choice(procedure):
        asking.say("This is your choice.", *map(harmless, (remedy.text, *cost_of(finding, remedy))))
    if isinstance(procedure, Recover):
        _look_for_files(session, procedure, finding.name_of(procedure))
    else:
        carry_out(session, Purpose(procedure=procedure))


def _look_for_files(session: Session, procedure: Recover, name: str) -> None:
    """A trial, line by line, and what it found."""
    from raidtui.jobs.recovering.process import RecoveryProcess
    from raidtui.jobs.recovering.words import result_lines

    words = recover_command(procedure, name)[2:]
    used = in_use(procedure, session.look.units, session.machine)
    if used.stops:
        session.asking.say(harmless(f"{used.stopping}."))
        if session.asking.choose("Stop what runs with the members?", ["no", "yes"]) == 0:
            return
    try:
        process = RecoveryProcess(words)
    except OSError as error:
        raise BadInput(f"the trial cannot be started: {error.strerror}") from error
    session.asking.say(f"{used.writes}. Ctrl-C stops it.")
    while True:
        try:
            session.asking.say(*result_lines(process.follow(lambda line: session.asking.say(line))))
        except KeyboardInterrupt:
            process.stop()  # it takes its overlays back, and then ends without a result
            continue
        except RaidtuiError as error:
            session.code = error.exit_code
            session.asking.say(f"This cannot be done now: {error}.")
        return


def _offered(finding: Finding) -> Sequence[tuple[Remedy, Procedure]]:
    return [(one, one.procedure) for one in finding.remedies if one.procedure is not None]
