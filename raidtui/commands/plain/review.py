"""A plan read aloud: what it erases, its hazards, its steps; and each HIGH hazard accepted by its word."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from raidtui.backends.specfile import write_spec
from raidtui.commands.plain.asking import Back, after_d
from raidtui.commands.plain.rehearsing import rehearse
from raidtui.commands.plain.session import Session
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import FORMER, Hazard, Plan, Severity
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.units import both
from raidtui.plan.durations import Durations, durations
from raidtui.plan.fixes import offered
from raidtui.ui.shell import explained, saving
from raidtui.ui.shell.whose import called
from raidtui.ui.widgets.parts import bare
from raidtui.ui.wizard.danger import SAFE, erases, removal, shared_in
from raidtui.ui.wizard.rehearsed_words import why_not_rehearsed
from raidtui.ui.wizard.review_words import (
    RESYNC,
    RESYNC_MEANS,
    commands_parts,
    hazard_parts,
    step_parts,
    worst_first,
)
from raidtui.ui.wizard.wanted import Purpose, also_lost, plan_of, script_of

_BUILD: Final = Purpose()
_LETTERS: Final = {"rehearse": "r", "commands": "c", "fixes": "f", "save": "s", "script": "p"}
_SAFE: Final = f"{SAFE.strip('- ').capitalize()}."
_REHEARSES: Final = "r or rehearse: rehearse the plan in the lab, on copies of these disks."
_HOW: Final = "d and a number: a step in full. c or commands: the exact commands. p or script: save the plan as a shell script."
_OF_BUILD: Final = "f or fixes: add the steps that fix hazards, or remove them. s or save: save the spec."


def ask(session: Session, purpose: Purpose = _BUILD) -> None:
    """Say the plan of the draft, or of another ``purpose``, and ask until it is to be confirmed."""
    plan, builds = plan_of(purpose, session.machine, session.draft), purpose == _BUILD
    _say(session, plan, purpose)
    page = explained.REVIEW if builds else explained.REMOVAL if purpose.teardown else explained.PROCEDURE
    why_not = why_not_rehearsed(plan, session.world)
    hows = [_HOW, *([] if why_not else [_REHEARSES, *explained.in_words(explained.REHEARSAL)])]
    hows += [_OF_BUILD] if builds else []
    session.asking.say(f"? says what else can be done with it{'' if why_not else ', such as a rehearsal'}.")

    def read(answer: str) -> bool:
        """Whether the plan is to be confirmed."""
        nonlocal plan
        command = _LETTERS.get(answer.lower(), answer.lower())
        word, _, rest = command.partition(" ")
        if command == "confirm":
            _check_blocks(plan)
            return True
        if word == "d":
            step = plan.steps[after_d(rest, [step.id for step in plan.steps])]
            session.asking.say(bare(step_parts(step, plan, commands=True)).rstrip())
        elif command == "c":
            session.asking.say(bare(commands_parts(plan)).rstrip())
        elif command == "r" and not why_not:
            rehearse(session, purpose)
        elif command == "r":
            raise BadInput(why_not)
        elif builds and command == "f":
            plan = _with_fixes(session, plan)
            _say(session, plan, purpose)
        elif command == "p":
            _save(session, *script_of(purpose, plan), 0o755)
        elif builds and command == "s":
            _save(session, f"{plan.file_stem}.toml", write_spec(plan.spec), 0o644)
        else:
            more = f"{'' if why_not else ', r'}{', f, s' if builds else ''}, p"
            raise BadInput(f"{answer!r} is none of: confirm, c, d and a number{more}")
        return False

    while not session.asking.until(
        "Type confirm to continue", read, explain=lambda: (*explained.in_words(page), *hows)
    ):
        pass
    accept_high(session, plan.hazards)


def _say(session: Session, plan: Plan, purpose: Purpose) -> None:
    machine, say = session.machine, session.asking.say
    takes = durations(plan, machine)
    say(
        "",
        f"{erased_words(plan, machine, also_lost(purpose, machine))}, on {session.place}. Nothing has been written yet.",
    )
    title = _title(session, plan, purpose)
    say(f"{', '.join(filter(None, (title, count_of(plan.steps, 'step'), takes.total)))}.")
    hazards = worst_first(plan.hazards)
    say(f"{count_of(hazards, 'hazard')}:" if hazards else "No hazards found.")
    say(*(bare(hazard_parts(hazard, plan)) for hazard in hazards))
    say("Steps:", *_step_lines(plan, takes))


def erased_words(plan: Plan, machine: Machine, also: str = "") -> str:
    """What the plan erases, as the screens say it first; ``also``: the unit that is lost with its members."""
    disks = [machine.disk(planned.identity) for planned in plan.erased]
    former = sum(planned.role == FORMER for planned in plan.erased)
    return erases(disks, also=also, former=former, shared=shared_in(plan.erased))


def _title(session: Session, plan: Plan, purpose: Purpose) -> str:
    if purpose.procedure is not None:
        from raidtui.plan.care import title_of

        return harmless(title_of(purpose.procedure, plan))
    if purpose.teardown:
        return removal(plan, called(session.world))
    spec = plan.spec
    return f"The plan builds {spelled(spec.kind)} {harmless(spec.name)}, {both(plan.array_bytes)}"


def _step_lines(plan: Plan, takes: Durations) -> list[str]:
    lines: list[str] = []
    for number, step in enumerate(plan.steps, 1):
        if step.destroys and _SAFE not in lines:
            lines.append(_SAFE)
        cost = "DESTRUCTIVE: " if step.destroys else ""
        lines.append(f"{number}. {cost}{', '.join(filter(None, (step.title, takes.steps.get(step.id, ''))))}")
    if takes.resync:
        lines.append(f"Then: {RESYNC}, {takes.resync}. {RESYNC_MEANS}")
    return lines


def _check_blocks(plan: Plan) -> None:
    blocking = [hazard for hazard in plan.hazards if hazard.severity is Severity.BLOCK]
    if blocking:
        raise BadInput(harmless(f"cannot build: {blocking[0].meaning} {blocking[0].advice}"))


def accept_high(session: Session, hazards: Iterable[Hazard]) -> None:
    """Ask for the word of each HIGH hazard that is not accepted, one of each word."""
    high = {one.id: one for one in worst_first(hazards) if one.severity is Severity.HIGH}
    for word, hazard in high.items():
        if word not in session.draft.accepted:
            _accept(session, hazard)


def _accept(session: Session, hazard: Hazard) -> None:
    """Ask for the word of a hazard, which accepts it."""
    asking = session.asking

    def read(answer: str) -> None:
        if answer != hazard.id:
            raise BadInput(f"type {hazard.id} to accept this hazard, or b to go back")

    asking.say("", bare(hazard_parts(hazard)))
    asking.until(
        f"HIGH hazard: type its word, {hazard.id}, to accept it",
        read,
        explain=lambda: (bare(hazard_parts(hazard)),),
    )
    session.draft = session.draft.accept(hazard.id, yes=True)


def _with_fixes(session: Session, plan: Plan) -> Plan:
    """The plan with the steps that fix hazards, or without them again."""
    draft = session.draft
    fixes = () if draft.spec.fixes else offered(plan.spec, plan.hazards, session.machine)
    if not fixes and not draft.spec.fixes:
        raise BadInput("no hazard of this plan can be fixed by a step")
    session.draft = draft.with_fixes(fixes)
    session.asking.say(
        f"Added {count_of(fixes, 'step')} at the end of the plan."
        if fixes
        else "Removed the fixes from the plan."
    )
    return plan_of(_BUILD, session.machine, session.draft)


def _save(session: Session, name: str, text: str, mode: int) -> None:
    """Ask for a file, by default ``name``, and save ``text`` as a new one with permissions ``mode``."""

    def read(answer: str) -> str:
        file = saving.save_new(answer, text, mode=mode)
        return saving.saved_words(file, in_lab=session.world.in_lab)

    try:
        session.asking.say(f"{session.asking.until('File', read, default=str(Path.cwd() / name))}.")
    except Back:
        return
