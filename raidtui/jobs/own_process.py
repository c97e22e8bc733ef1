"""A command of raidtui in a process of its own: a screen can leave it, and it cleans up when it is asked to end."""

import subprocess
from collections.abc import Callable, Sequence
from typing import TypeVar

from raidtui.machine.installation import own_command
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record, from_json
from raidtui.model.text import harmless

R = TypeVar("R", bound=Record)


class OwnProcess:
    """``raidtui WORDS --json``."""

    def __init__(self, words: Sequence[str], text: str = "") -> None:
        """Start it; ``text`` is its input. Raises OSError: it cannot be started."""
        self._process = subprocess.Popen(
            [*own_command(), *words, "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        assert self._process.stdin is not None
        with self._process.stdin as stdin:
            stdin.write(text)

    def document(self, kind: type[R], report: Callable[[str], None], *, what: str) -> R:
        """Call ``report`` with each line that it prints, and return its document when it has ended.

        Args:
            what: what it does: "the rehearsal".

        Raises:
            StepFailed: there is none: it failed, with its reason, or was stopped.
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
            raise StepFailed(last.removeprefix("raidtui: ") or f"{what} ended without a result")
        return from_json(document, kind, origin=what)

    def stop(self) -> None:
        """Ask it to end; it cleans up."""
        self._process.terminate()
