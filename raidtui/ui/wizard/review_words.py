"""A plan in sentences: its hazards, and its steps with their reason, loss and undo. Does not load Textual."""

import re
from collections.abc import Iterable

from raidtui.backends.registry import backend
from raidtui.model.plan import Hazard, Plan, PlanKind, Severity, Step, Undo
from raidtui.model.text import harmless, listed
from raidtui.ui.widgets.parts import Parts

RESYNC = "Resync the members for the first time"
RESYNC_MEANS = (
    "The kernel computes parity, or copies one member to the others, after the last step. The array can be used "
    "meanwhile, also after a reboot; until it ends, some levels cannot survive a disk failure. The time is that on "
    "idle disks: use slows it down."
)
STYLES = {
    Severity.BLOCK: "bold $text-error",
    Severity.HIGH: "bold $text-error",
    Severity.WARN: "$text-warning",
    Severity.INFO: "$text-muted",
}
UNDO = {
    Undo.COMMANDS: "can be undone by commands",
    Undo.CAPSULE: "can be undone from the recovery capsule",
    Undo.NOTHING: "needs no undo",
    Undo.IMPOSSIBLE: "CANNOT BE UNDONE",
}


_STAYS = "a rollback does not take it back; no data of {} is lost"
_END = re.compile(r"\.(?=\s)")


def worst_first(hazards: Iterable[Hazard]) -> list[Hazard]:
    """``hazards`` with the most severe first."""
    return sorted(hazards, key=lambda hazard: list(Severity).index(hazard.severity))


def first_sentence(text: str) -> str:
    """The first sentence of ``text``; the explanation shows the rest."""
    end = next((found.end() for found in _END.finditer(text)), len(text))
    return text[:end].strip()


def hazard_parts(hazard: Hazard, plan: Plan | None = None) -> Parts:
    """A hazard in full: what was seen, what it means, what to do, and where that is known from.

    Of the ``plan`` of a build, also what Options calls the keys of a spec that its advice names.
    """
    unnamed = [disk for disk in hazard.disks if disk not in hazard.seen]
    about = f" ({', '.join(map(harmless, unnamed))})" if unnamed else ""
    return [
        (f"{hazard.severity} {hazard.id}", STYLES[hazard.severity]),
        f"  seen: {harmless(hazard.seen)}{about}\n{harmless(hazard.meaning)}\n",
        ("Fix: ", "bold"),
        f"{harmless(hazard.advice)}{_on_options(hazard.advice, plan)}\n",
        (f"Source: {hazard.source}", "$text-muted"),
    ]


def _on_options(advice: str, plan: Plan | None) -> str:
    """Where a person without a spec finds the keys in ``advice``; empty if their names are the same there."""
    if plan is None or plan.kind is not PlanKind.BUILD:
        return ""
    labels = [
        option.label
        for key, option in backend(plan.spec.backend).options.items()
        if f"{key} = " in advice and option.label.lower() != key
    ]
    return f" On Options: {listed(labels)}." if labels else ""


def step_parts(step: Step, plan: Plan | None, *, commands: bool) -> Parts:
    """Reason, loss and undo of a step of ``plan``, then its exact commands if wanted."""
    parts: Parts = [(step.title + "\n", "bold"), step.reason + "\n"]
    for lost in step.destroys:
        parts.append((f"Destroys: {harmless(lost)}\n", "$text-warning"))
    undo = UNDO[step.undoable] + (f": {step.undo_note}" if step.undo_note else "")
    style = "$text-warning" if step.undoable is Undo.IMPOSSIBLE else ""
    if style and plan is not None and plan.kind is PlanKind.CARE and not (step.destroys or plan.hazards):
        undo, style = _STAYS.format(harmless(plan.spec.name)), ""
    parts.append((f"{undo[0].upper()}{undo[1:]}.", style))
    return [*parts, *(["\n\n", *_commands(step)] if commands else [])]


def commands_parts(plan: Plan, first: int = 0) -> Parts:
    """The steps from the one at ``first`` on, with their commands, checks before and after, and undo commands."""
    parts: Parts = []
    for number, step in enumerate(plan.steps[first:], first + 1):
        parts += [(f"{number} {step.title}\n", "bold"), *_commands(step)]
    return parts


def _commands(step: Step) -> Parts:
    from raidtui.plan.words import check_words, command_line

    return [
        *((f"  before: {harmless(check_words(check))}\n", "$text-muted") for check in step.before),
        *(f"  {harmless(command_line(action))}\n" for action in step.actions),
        *((f"  after: {harmless(check_words(check))}\n", "$text-muted") for check in step.after),
        *((f"  undo: {harmless(command_line(action))}\n", "$text-muted") for action in step.undo),
    ]
