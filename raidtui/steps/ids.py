"""Unique ids of the steps of one plan: ``create``, ``create-2``."""

import re
from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from raidtui.model.plan import Step


def unique_ids(steps: Iterable[Step]) -> list[Step]:
    """Number ``steps`` of one kind in their order."""
    seen: Counter[str] = Counter()
    found = []
    for step in steps:
        kind = re.sub(r"-\d+$", "", step.id)
        seen[kind] += 1
        found.append(replace(step, id=kind if seen[kind] == 1 else f"{kind}-{seen[kind]}"))
    return found
