"""The state of a benchmark and its grid, with the marked cell. Pure."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from raidtui.bench.live import Live
from raidtui.model.result import Cell, Result
from raidtui.model.struct import Record
from raidtui.ui.bench.bench_grid import CellView, Key, view_of
from raidtui.ui.bench.bench_sentences import grid_names

if TYPE_CHECKING:
    from raidtui.bench.settings import Settings


class Seen(Record, frozen=True, kw_only=True):
    """The current state of a benchmark; no ``cells``: nothing is measured yet."""

    settings: "Settings | None" = None  # None if the request is invalid in this version of raidtui
    cells: tuple[Cell, ...] = ()
    live: Live | None = None  # the running measurement
    result: Result | None = None  # the stored result
    cursor: tuple[int, int] = (0, 0)  # column, row; limited to the grid when used

    @property
    def names(self) -> list[str]:
        """The rows of the grid; never empty."""
        names = grid_names(self.settings)[0] if self.settings is not None else []
        measured = list(dict.fromkeys(cell.name for cell in self.cells))
        if self._is_stored:
            names = [name for name in names if name in measured]
        return names + [name for name in measured if name not in names] or ["-"]

    @property
    def directions(self) -> list[str]:
        """The columns of the grid; never empty."""
        directions = grid_names(self.settings)[1] if self.settings is not None else []
        if self._is_stored:
            found = {cell.direction for cell in self.cells}
            directions = [one for one in ("read", "write", "mix") if one in found]
        return directions or ["read", "write"]

    @property
    def _is_stored(self) -> bool:
        """Whether the stored result defines the rows: a device has no files, Bonnie++ has its own rows."""
        return self.result is not None and bool(self.result.cells)

    @property
    def key(self) -> Key:
        """The row and direction of the marked cell."""
        names, directions = self.names, self.directions
        column, row = self.cursor
        return names[min(row, len(names) - 1)], directions[min(column, len(directions) - 1)]

    @property
    def cell(self) -> Cell | None:
        """The marked cell, if it has been measured."""
        return next((cell for cell in self.cells if (cell.name, cell.direction) == self.key), None)

    def moved(self, columns: int, rows: int) -> "Seen":
        """A copy with the cursor moved, wrapping around at the edges."""
        column, row = self.cursor
        cursor = ((column + columns) % len(self.directions), (row + rows) % len(self.names))
        return msgspec.structs.replace(self, cursor=cursor)

    def views(self) -> Mapping[Key, CellView]:
        """The views of all cells that are measured or being measured.

        A cell that is measured again keeps its median, with the current speed beside it.
        """
        settings, live = self.settings, self.live
        runs = settings.runs if settings is not None and not settings.profile.steady else 0
        views = {(cell.name, cell.direction): view_of(cell, runs=runs) for cell in self.cells}
        if live is not None and live.cell:
            key = live.cell, live.direction
            views[key] = msgspec.structs.replace(
                views.get(key, CellView(bytes_per_second=0.0, is_measured=False)),
                runs=f"run {live.run} of {live.runs}" if live.run else "warm-up",
                live=True,
                now=live.bytes_per_second,
                iops_now=live.iops,
            )
        return views
