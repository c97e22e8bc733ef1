"""Show a dry run of a build or a teardown: the steps on stderr, the outcome on stdout."""

from raidtui.commands.terminal.follow import teller
from raidtui.commands.terminal.tell import tell
from raidtui.model.journal import Event, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.struct import Record, to_json
from raidtui.model.text import count_of, harmless


class DryRunDocument(Record, frozen=True, kw_only=True):
    """Outcome of a dry run: the document of ``--json``."""

    dry_run: bool
    would_begin: bool
    exit_code: int  # of this command; the job's own if it would not begin
    sentence: str
    steps: tuple[str, ...]  # ids of the steps that it would run


def show_dry_run(request: JobRequest, plan: Plan, machine: Machine, *, as_json: bool) -> int:
    """Dry-run the job of ``request``, print the outcome, and return the exit code."""
    from raidtui.jobs.dry_run import dry_run

    code, entries = dry_run(request, plan, machine)
    show, end = teller(plan, conditions=True), entries[-1]
    for entry in entries:
        if entry.event is not Event.STARTED:
            show(entry)
    begins = end.outcome is Outcome.DONE
    if begins:
        sentence = f"{request.title} would start: {count_of(plan.steps, 'step')}. Nothing was changed"
    else:
        sentence = f"{request.title} would not start: {end.text}. Nothing was changed"
    if as_json:
        steps = tuple(step.id for step in plan.steps) if begins else ()
        print(
            to_json(
                DryRunDocument(
                    dry_run=True, would_begin=begins, exit_code=code, sentence=sentence, steps=steps
                )
            )
        )
    if not begins:
        tell(f"raidtui: dry run: {harmless(sentence)}")
    elif not as_json:
        print(f"dry run: {harmless(sentence)}")
    return code
