"""The runs of a benchmark in their order, how long each takes, and how long it still takes altogether."""

from typing import Final

from raidtui.bench.profiles import Planned, Profile, cells_of
from raidtui.model.journal import BenchRequest
from raidtui.model.struct import Record

_WARM_UP_SECONDS: Final = 2
_LONGEST_RAMP_SECONDS: Final = 10
_OVERHEAD_SECONDS: Final = 0.5  # to start fio and to end it, until it is known
_FILL_RATE: Final = 150e6  # bytes a second at which the test file is written, until it is known


class Turn(Record, frozen=True, kw_only=True):
    """One run of one cell."""

    cell: Planned
    run: int  # 0: the warm-up, which does not count
    seconds: int
    ramp_seconds: int

    @property
    def wall_seconds(self) -> int:
        """How long fio works."""
        return self.seconds + self.ramp_seconds


def turns_of(profile: Profile, request: BenchRequest, *, writes: bool, rotational: bool) -> tuple[Turn, ...]:
    """Every run in order: a round that does not count, then as many rounds over all cells as runs were asked for.

    Going round, instead of repeating one cell, makes drift (heat, a cache that fills up, others' work) visible as
    spread; it would otherwise lean on one cell alone.
    """
    cells = cells_of(profile, writes=writes, mix=request.mix)
    ramp = ramp_of(request.seconds, rotational=rotational)
    warm_up = min(_WARM_UP_SECONDS, request.seconds)
    return (
        *(Turn(cell=cell, run=0, seconds=warm_up, ramp_seconds=0) for cell in cells),
        *(
            Turn(cell=cell, run=run, seconds=request.seconds, ramp_seconds=ramp)
            for run in range(1, request.runs + 1)
            for cell in cells
        ),
    )


def ramp_of(seconds: int, *, rotational: bool) -> int:
    """Seconds that each run goes on before it counts.

    A rotating disk's queue and cache need longer to settle than a second: as long as is measured, at least two
    seconds and at most ten.
    """
    return min(_LONGEST_RAMP_SECONDS, max(2, seconds)) if rotational else 1


class Schedule:
    """Where a benchmark is in time. Learns what starting and ending an fio costs here."""

    def __init__(self, turns: tuple[Turn, ...], *, fill_bytes: int) -> None:
        self._left = [turn.wall_seconds for turn in turns]
        self._fill_seconds = fill_bytes / _FILL_RATE
        self._filling = fill_bytes > 0
        self._overheads: list[float] = []

    def filled(self) -> None:
        """The test file is written."""
        self._filling = False

    def finished(self, seconds: float) -> None:
        """The next turn took ``seconds``."""
        self._overheads.append(max(0.0, seconds - self._left.pop(0)))

    def remaining(self, *, running_seconds: float, filled: float = 0.0) -> float:
        """Seconds to the end of the last run.

        Args:
            running_seconds: how long the present fio has been running.
            filled: how much of the test file is written, 0 … 1.
        """
        overhead = sum(self._overheads) / len(self._overheads) if self._overheads else _OVERHEAD_SECONDS
        rest = sum(self._left) + overhead * len(self._left)
        if self._filling:
            # Half a second of its own speed says more than any guess.
            whole = running_seconds / filled if filled > 0 and running_seconds > 0.5 else self._fill_seconds
            return rest + max(0.0, whole - running_seconds)
        return max(0.0, rest - running_seconds) if self._left else 0.0
