"""Rehearse a plan in a process of its own; and which plans were rehearsed on this computer, with what result."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Final

from raidtui.jobs.own_process import OwnProcess
from raidtui.machine.history import HistoryFile
from raidtui.model.errors import RaidtuiError
from raidtui.model.history import Rehearsed
from raidtui.model.journal import JobKind, JobRequest
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.procedure import Procedure
from raidtui.model.rehearsal import NEVER, Rehearsal
from raidtui.model.spec import Spec
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.model.units import binary, both, duration

_HERE_AGAIN: Final = ("As it should be after a reboot, too", "NOT as it should be after a reboot")
_AFTER_REBOOT: Final = {
    PlanKind.BUILD: (
        "Mounted again after a reboot, and a file written before is unchanged",
        "NOT MOUNTED again after a reboot",
    ),
    PlanKind.TEARDOWN: ("Still gone after a reboot", "HERE AGAIN after a reboot"),
}


def order_of(
    *,
    seed: str,
    spec: Spec | None = None,
    array: str = "",
    also: tuple[str, ...] = (),
    procedure: Procedure | None = None,
) -> JobRequest:
    """What is to be rehearsed, as a job would get it: a spec, the units of a removal, or a procedure."""
    kind = JobKind.BUILD if spec is not None else JobKind.TEARDOWN if array else JobKind.CARE
    return JobRequest(
        id="rehearsal",
        kind=kind,
        title="Rehearsal",
        created="",
        spec=spec,
        array=array,
        also=also,
        procedure=procedure,
        seed=seed,
    )


class RehearsalProcess(OwnProcess):
    """``raidtui rehearse``; when it is stopped it removes its copies."""

    def __init__(self, order: JobRequest, *, machine_file: str = "") -> None:
        """Start it, for what ``order`` would do here or on the machine in a file. Raises OSError: it cannot be started."""
        recorded = ["--machine", machine_file] if machine_file else []
        super().__init__([*recorded, "rehearse", "--order"], to_json(order))

    def follow(self, report: Callable[[str], None]) -> Rehearsal:
        """Call ``report`` with each line that it prints, and return the result when it has ended.

        Raises:
            StepFailed: there is none: it could not rehearse, with its reason, or it was stopped.
        """
        return self.document(Rehearsal, report, what="the rehearsal")


def seen_words(shown: Rehearsal) -> Iterator[str]:
    """What a rehearsal showed besides its steps, a line each: space, mount, what was read, what it could not show."""
    if shown.usable_bytes is not None:
        same = "as" if shown.usable_bytes == shown.calculated_bytes else "NOT as"
        yield f"Usable space {both(shown.usable_bytes)}, {same} calculated"
    if shown.after_reboot is not None:
        good, bad = _AFTER_REBOOT.get(shown.kind, _HERE_AGAIN)
        yield good if shown.after_reboot else bad
    read = f"{binary(shown.copied_bytes)} read from the disks, nothing written to them"
    blank = "Blank copies: a recording has no contents"
    yield f"{blank if shown.blank else read}; {duration(shown.seconds)}"
    for line in shown.instead:
        yield harmless(f"Ran in the lab only: {line}")
    for line in shown.left_out:
        yield harmless(f"Not rehearsed: {line}")
    for line in shown.limits:
        yield harmless(f"Not rehearsed: {line}")
    yield "Not rehearsed: the running kernel, the controller, the speed of the disks"


def record(shown: Rehearsal) -> None:
    """Store the result.

    Raises:
        RaidtuiError, OSError: it cannot be stored.
    """
    HistoryFile().add(
        [
            Rehearsed(
                subject=shown.fingerprint,
                at=shown.at,
                passed=shown.passed,
                done=shown.done,
                planned=len(shown.steps),
            )
        ]
    )


def rehearsed_words(plan: Plan) -> str:
    """How ``plan`` was rehearsed: "Rehearsed 2026-11-26, 14 of 14 steps"; "Not rehearsed" if it was not."""
    try:
        found = HistoryFile().of(Rehearsed, plan.fingerprint, last=1)
    except (RaidtuiError, OSError, sqlite3.Error):
        return "Not known whether it was rehearsed"
    if not found:
        return NEVER
    last = found[-1]
    result = f"Rehearsed {last.at[:10]}, {last.done} of {last.planned} steps"
    return result if last.passed else f"DID NOT PASS: {result[0].lower()}{result[1:]}"
