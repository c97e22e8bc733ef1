"""Rehearse an order on this computer, record the result, and print it: the same for every command."""

from collections.abc import Iterator
from typing import Final

from raidtui.commands.terminal.tell import tell
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.rehearsal import Rehearsal
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.model.units import binary, duration

DO_IT: Final = "To do it on the real disks: the same command without --rehearse"


def check_not_in_lab() -> None:
    """Refuse in the lab, which cannot have another in it. Raises BadInput: this is the lab."""
    import os

    if "RAIDTUI_LAB" in os.environ:
        raise BadInput("this is the lab already: its disks are virtual; do it at once")


def show_rehearsal(
    order: JobRequest, plan: Plan, machine: Machine, *, recorded: bool = False, as_json: bool, again: str = ""
) -> int:
    """Rehearse ``plan``, which ``order`` gives on ``machine``; return the exit code.

    Args:
        again: what then does this on the real disks, in words; nothing where a screen has a key for it.
    """
    from raidtui.commands.rehearsal.rehearsal import rehearse
    from raidtui.jobs.rehearsed import record
    from raidtui.lab.session import Ended, ended_by_signals

    check_not_in_lab()
    try:
        with ended_by_signals():
            shown = rehearse(order, plan, machine, recorded=recorded, report=tell)
    except Ended as ended:
        tell("raidtui: the rehearsal was stopped; nothing was changed")
        return ended.exit_code
    if not recorded:
        record(shown)
    print(to_json(shown) if as_json else "\n".join(_lines(shown, again)))
    if not shown.passed:
        tell(f"raidtui: the rehearsal did not pass: {shown.sentence}")
    return 0 if shown.passed else StepFailed.exit_code


def _lines(shown: Rehearsal, again: str) -> Iterator[str]:
    """The report in words: what came of it, each step with its time, and what no rehearsal shows."""
    from raidtui.jobs.rehearsed import seen_words

    result = "PASSED" if shown.passed else "DID NOT PASS"
    what = "the removal of " if shown.kind is PlanKind.TEARDOWN else ""
    yield harmless(
        f"{result}: {what}{shown.name} on copies of its disks, {shown.done} of {len(shown.steps)} steps done"
    )
    for number, step in enumerate(shown.steps, 1):
        took = "FAILED" if step.error else "not run" if step.seconds is None else duration(step.seconds)
        yield harmless(f"  {number:>2}. {took:<8} {step.title}")
    yield from (f"  {line}" for line in seen_words(shown))
    yield f"  {binary(shown.written_bytes)} written here meanwhile"
    if again and shown.passed and not shown.blank:
        yield harmless(again)
