"""What is known of a benchmark so far, and which cell of its grid is marked. Pure."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from raidtui.bench.live import Live
from raidtui.model.result import Cell, Result
from raidtui.model.struct import Record
from raidtui.ui.bench.bench_grid import CellView, Key, view_of
from raidtui.ui.bench.bench_words import grid_names

if TYPE_CHECKING:
    from raidtui.bench.settings import Settings


class Seen(Record, frozen=True, kw_only=True):
    """One moment of a benchmark; without ``cells`` it has not begun to measure."""

    settings: "Settings | None" = None  # none of a request that makes no sense to this version of raidtui
    cells: tuple[Cell, ...] = ()
    live: Live | None = None  # what is measured at this moment
    result: Result | None = None  # as it was stored
    cursor: tuple[int, int] = (0, 0)  # column, row; at most the last one of each is meant

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
        """Whether what there is says which rows there are: a device has no files, Bonnie++ has rows of its own."""
        return self.result is not None and bool(self.result.cells)

    @property
    def key(self) -> Key:
        """The row and direction that are marked."""
        names, directions = self.names, self.directions
        column, row = self.cursor
        return names[min(row, len(names) - 1)], directions[min(column, len(directions) - 1)]

    @property
    def cell(self) -> Cell | None:
        """The marked cell, if it has been measured."""
        return next((cell for cell in self.cells if (cell.name, cell.direction) == self.key), None)

    def moved(self, columns: int, rows: int) -> "Seen":
        """With another cell marked, over the edge at the other side."""
        column, row = self.cursor
        cursor = ((column + columns) % len(self.directions), (row + rows) % len(self.names))
        return msgspec.structs.replace(self, cursor=cursor)

    def views(self) -> Mapping[Key, CellView]:
        """Every cell that has been measured or is being measured, as the grid shows it.

        What is measured again keeps its median; the speed of the moment stands beside it.
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
