"""Rehearse a plan in a process of its own; and which plans were rehearsed on this computer, with what result."""

import sqlite3
import subprocess
from collections.abc import Callable, Iterator

from raidtui.machine.history import HistoryFile
from raidtui.machine.installation import own_command
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.history import Rehearsed
from raidtui.model.plan import Plan
from raidtui.model.rehearsal import Rehearsal
from raidtui.model.struct import from_json
from raidtui.model.text import harmless
from raidtui.model.units import binary, both, duration


class RehearsalProcess:
    """``raidtui rehearse`` in a process of its own: a screen can leave it, and it cleans up when it is stopped."""

    def __init__(self, spec: str, seed: str) -> None:
        """Start it; ``spec`` is the text of a spec file.

        Raises:
            OSError: it cannot be started.
        """
        self._process = subprocess.Popen(
            [*own_command(), "rehearse", "-", f"--seed={seed}", "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        assert self._process.stdin is not None
        with self._process.stdin as stdin:
            stdin.write(spec)

    def follow(self, report: Callable[[str], None]) -> Rehearsal:
        """Call ``report`` with each line that it prints, and return the result when it has ended.

        Raises:
            StepFailed: there is none: it could not rehearse, with its reason, or it was stopped.
        """
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        last = ""
        for line in self._process.stderr:
            last = harmless(line.strip()) or last
            report(last)
        document = self._process.stdout.read()
        self._process.wait()
        if not document.strip():
            raise StepFailed(last.removeprefix("raidtui: ") or "the rehearsal ended without a result")
        return from_json(document, Rehearsal, origin="the rehearsal")

    def stop(self) -> None:
        """Ask it to end; it removes its copies."""
        self._process.terminate()


def seen_words(shown: Rehearsal) -> Iterator[str]:
    """What a rehearsal showed besides its steps, a line each: space, mount, what was read, what it could not show."""
    if shown.usable_bytes is not None:
        same = "as" if shown.usable_bytes == shown.calculated_bytes else "NOT as"
        yield f"Usable space {both(shown.usable_bytes)}, {same} calculated"
    if shown.after_reboot is not None:
        mounted = "Mounted again after a reboot, with the same file"
        yield mounted if shown.after_reboot else "NOT MOUNTED again after a reboot"
    read = f"{binary(shown.copied_bytes)} read from the disks, nothing written to them"
    blank = "Blank copies: a recording has no contents"
    yield f"{blank if shown.blank else read}; {duration(shown.seconds)}"
    for line in shown.instead:
        yield harmless(f"Ran in the lab only: {line}")
    for line in shown.left_out:
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
        return "Not rehearsed"
    last = found[-1]
    result = f"Rehearsed {last.at[:10]}, {last.done} of {last.planned} steps"
    return result if last.passed else f"DID NOT PASS: {result[0].lower()}{result[1:]}"
