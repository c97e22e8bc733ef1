"""Hazards that no level protects against."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.backends.registry import backend
from raidtui.model.plan import Hazard, notice
from raidtui.model.text import count_of


def not_a_backup(look: Look) -> Iterator[Hazard]:
    """A reminder for every layout."""
    noun = backend(look.spec.backend).noun
    yield notice(
        id="not-a-backup",
        seen=noun if look.spec.alone else f"{noun} of {count_of(look.facts.members, 'disk')}",
        meaning="RAID is not a backup. Deletion, malware, a damaged filesystem, fire or theft takes every disk at once.",
        advice="Keep a second copy elsewhere, and test restoring from it.",
        source="D. Rosenthal, on bit preservation: operator error and correlated faults dominate",
    )


CHECKS: Final[tuple[Check, ...]] = (not_a_backup,)
