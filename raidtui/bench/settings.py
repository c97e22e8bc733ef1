"""The settings of a benchmark: a request for one target, with everything decided that it left open."""

from typing import Final

from msgspec.structs import replace

from raidtui.bench.costs import Costs
from raidtui.bench.profile_file import Profile, find_profile, rows_on
from raidtui.bench.rows import MIX, WRITE, Planned, Row, Until, cells_of
from raidtui.model.errors import BadInput
from raidtui.model.journal import BenchRequest
from raidtui.model.struct import Record
from raidtui.model.units import MIB, spell_size

SMALLEST: Final = 16 * MIB  # below this a benchmark says nothing about a disk
_MOST_RUNS: Final = 100
_LONGEST_SECONDS: Final = 24 * 3600
_LONGEST_LABEL: Final = 200
STEADY_ROUNDS: Final = 25  # SNIA PTS 2.0.2: without steady state after this many rounds, there is none


class Compat(Record, frozen=True, kw_only=True):
    """How a version of CrystalDiskMark measures: cell by cell, ``runs`` runs after one that does not count."""

    runs: int
    pause_seconds: int = 5


COMPATS: Final = {
    "cdm8": Compat(runs=5),
    "cdm9": Compat(runs=3),
}


class Settings(Record, frozen=True, kw_only=True):
    """What to measure, and how. Sizes are bytes, times seconds."""

    profile: Profile
    rows: tuple[Row, ...]  # those that can be measured on the target
    size_bytes: int
    runs: int  # at most, if they repeat until steady
    seconds: int
    mix: bool = False
    writes: bool = True
    rotational: bool = False
    pause_seconds: int = 0
    compat: str = ""
    hottest: int = 0
    costs: Costs = Costs()  # as far as known for the target

    @property
    def cells(self) -> tuple[Planned, ...]:
        """The cells of one round, in order."""
        return cells_of(self.rows, writes=self.writes, mix=self.mix, row_by_row=self.profile.row_by_row)

    @property
    def prefills(self) -> bool:
        """Whether to write the test file first: reads need data, and a first write allocates blocks."""
        first = next((cell for cell in self.cells if cell.row.touches_blocks), None)
        return self.writes and first is not None and not (first.row.fresh and first.direction == WRITE)

    @property
    def direct(self) -> bool:
        """Whether any row bypasses the page cache."""
        return any(not row.cached for row in self.rows if row.touches_blocks)


def settle(
    request: BenchRequest,
    *,
    room: int | None = None,
    chunk: int = 0,
    stripe: int = 0,
    writes: bool = True,
    files: bool = True,
    rotational: bool = False,
) -> Settings:
    """Decide everything that ``request`` leaves open.

    Args:
        room: most bytes that fit; the profile's size is reduced to them, a requested size is not.
        chunk, stripe: bytes of the array's chunk and of the data in one stripe; 0 if it has none, and then a profile
            that measures chunks is refused. While the target is unknown, pass any sizes.
        writes: whether the target may be written.
        files: whether files can be created on it.
        rotational: whether its disks rotate.

    Raises:
        BadInput: the numbers make no sense, the profile is unknown, or none of its rows can be measured.
    """
    profile = find_profile(request.profile)
    _check(request, profile)
    size = request.size_bytes or fitting(profile.size_bytes, room)
    compat = COMPATS.get(request.compat)
    rows = rows_on(profile, chunk=chunk, stripe=stripe, size_bytes=size, files=files)
    if request.cached:
        rows = tuple(replace(row, cached=True, warm=True) if row.touches_blocks else row for row in rows)
    if not cells_of(rows, writes=writes, mix=True):
        raise BadInput(f"every row of the profile {profile.name} writes, and the target is only read")
    return Settings(
        profile=profile,
        rows=rows,
        size_bytes=size,
        runs=STEADY_ROUNDS if profile.steady else request.runs or (compat.runs if compat else profile.runs),
        seconds=request.seconds or profile.seconds,
        mix=request.mix or profile.mix,
        writes=writes,
        rotational=rotational,
        pause_seconds=request.pause_seconds or (compat.pause_seconds if compat else 0),
        compat=request.compat,
        hottest=request.hottest,
    )


def check_request(request: BenchRequest) -> None:
    """Check a request, whatever its target.

    Raises:
        BadInput: its numbers make no sense, or its profile is unknown.
    """
    _check(request, find_profile(request.profile))


def _check(request: BenchRequest, profile: Profile) -> None:
    if not 0 <= request.runs <= _MOST_RUNS or not 0 <= request.seconds <= _LONGEST_SECONDS:
        raise BadInput(f"a benchmark needs one to {_MOST_RUNS} runs of at least one second and at most a day")
    size = request.size_bytes
    if size and (size < SMALLEST or size % MIB):
        near = max(SMALLEST, round(size / MIB) * MIB)
        raise BadInput(
            f"the size {spell_size(size)} must be at least {spell_size(SMALLEST)} and a multiple of 1MiB; "
            f"the nearest is {spell_size(near)}"
        )
    if len(request.label) > _LONGEST_LABEL:
        raise BadInput(f"the label has {len(request.label)} characters; the limit is {_LONGEST_LABEL}")
    if request.mix and not any(MIX in row.directions for row in profile.rows):
        raise BadInput(
            f"the profile {profile.name} has no rows that read and write together; leave the mix out"
        )
    if request.compat and request.compat not in COMPATS:
        raise BadInput(f"unknown CrystalDiskMark version {request.compat!r}; write {' or '.join(COMPATS)}")
    if request.compat and any(
        row.cached or row.until is not Until.SECONDS or row.beside for row in profile.rows
    ):
        raise BadInput(
            f"CrystalDiskMark has no rows like those of the profile {profile.name}; leave the compatible mode out, or use cdm"
        )
    if request.compat and request.cached:
        raise BadInput(
            "CrystalDiskMark bypasses the page cache; leave out either the compatible mode or the cache"
        )


def fitting(size: int, room: int | None) -> int:
    """``size``, halved until it fits into ``room``, but not below `SMALLEST`."""
    while room is not None and size > room and size > SMALLEST:
        size = max(SMALLEST, size // 2 // MIB * MIB)
    return size
