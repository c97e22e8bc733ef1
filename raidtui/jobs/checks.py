"""Check the conditions of a plan, and wait briefly for those that are not met yet."""

import time
from collections.abc import Sequence
from typing import Final

from raidtui.backends.conditions import ask_together
from raidtui.model.answer import Answer
from raidtui.model.errors import StepFailed
from raidtui.model.plan import Check
from raidtui.steps.condition import Held

PATIENCE_SECONDS: Final = 10.0  # udev makes links and md starts arrays shortly after the command has ended
_POLL_SECONDS: Final = 0.05


def ask_checks(checks: Sequence[Check], *, held: Held, patience_seconds: float = 0) -> list[Answer]:
    """Check all conditions, and repeat until they hold or ``patience_seconds`` have passed."""
    deadline = time.monotonic() + patience_seconds
    answers: dict[int, Answer] = {}
    while True:
        left = [n for n in range(len(checks)) if n not in answers or not answers[n].holds]
        answers |= dict(zip(left, ask_together([checks[n] for n in left], held), strict=True))
        if all(answer.holds for answer in answers.values()) or time.monotonic() >= deadline:
            return [answers[n] for n in range(len(checks))]
        time.sleep(_POLL_SECONDS)


def holds_still(unmet: Answer | None) -> bool:
    """Whether no condition is unmet. Raises StepFailed: nobody can say."""
    if unmet is not None and not unmet.fails:
        raise StepFailed(f"a check gave no answer: {unmet.text}")
    return unmet is None
