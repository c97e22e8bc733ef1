"""The first line of every screen: which computer this is, and the current step of the task."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from raidtui.ui.widgets.rows import fit

# The screens of the main task, and those of a removal, of care and of a sweep, in order.
BUILD: Final = ("disks", "level", "options", "review", "confirm", "build", "benchmark", "compare")
REMOVAL: Final = ("remove", "confirm", "run", "done")
CARE: Final = ("care", "plan", "confirm", "run", "proof")
SWEEP: Final = ("sweep", "confirm", "measure", "compare")

_ARROW: Final = " → "
_MORE: Final = "…"
_HOST: Final = 32  # cells of the longest name shown whole: the rail needs the rest


class Rail(Widget):
    """``nas · root        Disks → [Level] → Options …``; brackets mark the step, so that it shows without color.

    Where not all steps fit, those around the current one are shown.
    """

    DEFAULT_CSS = """
    Rail { height: 1; dock: top; padding: 0 1; background: $panel; text-wrap: nowrap; }
    """

    def __init__(
        self, host: str, modes: Sequence[str], *, warn: bool, steps: Sequence[str] = (), step: str = ""
    ) -> None:
        """``warn``: the modes are a warning."""
        super().__init__(id="rail")
        self.auto_links = False
        self._host, self._modes, self._warns = host, modes, warn
        self._steps, self._step = steps, step

    def show(self, steps: Sequence[str], step: str) -> None:
        """Show other steps, or another step of them."""
        if (steps, step) != (self._steps, self._step):
            self._steps, self._step = steps, step
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        where = Content.assemble(
            (fit(self._host, min(cell_len(self._host), _HOST)), "bold"),
            *((f" · {mode}", "$text-warning" if self._warns else "$text-muted") for mode in self._modes),
        )
        shown = _steps(self._steps, self._step, width - where.cell_length - 2)
        gap = width - where.cell_length - shown.cell_length
        return Content.assemble(where, " " * max(0, gap), shown)


def _steps(steps: Sequence[str], step: str, room: int) -> Content:
    """As many of the ``steps`` as fit into ``room`` cells, around the current one; empty if it does not fit."""
    if not steps:
        return Content("")
    at = steps.index(step) if step in steps else 0  # in none of them yet
    first, last = at, at + 1
    if _cells(steps, step, first, last) > room:
        return Content("")
    while True:  # the next step first, then the previous one
        if last < len(steps) and _cells(steps, step, first, last + 1) <= room:
            last += 1
        elif first and _cells(steps, step, first - 1, last) <= room:
            first -= 1
        else:
            break
    parts: list[tuple[str, str]] = [(_MORE + _ARROW, "$text-muted")] if first else []
    for number in range(first, last):
        style = "bold $text-primary" if steps[number] == step else "$text-muted"
        parts += [(_ARROW, "$text-muted")] * (number > first) + [(_named(steps[number], step), style)]
    return Content.assemble(*parts, *([(_ARROW + _MORE, "$text-muted")] if last < len(steps) else []))


def _named(step: str, current: str) -> str:
    return f"[{step.capitalize()}]" if step == current else step.capitalize()


def _cells(steps: Sequence[str], step: str, first: int, last: int) -> int:
    more = (len(_MORE) + len(_ARROW)) * ((first > 0) + (last < len(steps)))
    return len(_ARROW.join(_named(one, step) for one in steps[first:last])) + more
