"""The step rail: shows the current step of the main task."""

from typing import Final

from textual.content import Content
from textual.widgets import Static

# The screens of the main task, in order.
STEPS: Final = ("disks", "level", "options", "review", "confirm", "build", "benchmark", "compare")


class Rail(Static):
    """``Disks → [Level] → Options …``; brackets mark the current step, so that it shows without color."""

    def __init__(self, step: str) -> None:
        super().__init__(_rail(step), id="rail")


def _rail(step: str) -> Content:
    parts: list[Content | tuple[str, str]] = []
    for place in STEPS:
        if parts:
            parts.append((" → ", "$text-muted"))
        if place == step:
            parts.append((f"[{place.capitalize()}]", "bold $text-primary"))
        else:
            parts.append((place.capitalize(), "$text-muted"))
    return Content.assemble(*parts)
