"""The benchmarks on each array of a sweep: its profiles, direct and through the page cache. Pure."""

from typing import Final

from raidtui.bench.profile_file import find_profile
from raidtui.bench.settings import fitting
from raidtui.model.journal import BenchRequest
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.sweep import Sweep

CACHES: Final = (
    "direct",
    "cached",
)  # as the profile says, or everything through the page cache

_USABLE: Final = 0.8  # least share of a disk: the filesystem and its reserve take the rest


class Measurement(Record, frozen=True, kw_only=True):
    """One benchmark of an array."""

    profile: str  # its name, or the path of its file
    cached: bool = False

    @property
    def name(self) -> str:
        """``cdm``, ``cdm-cached``."""
        name = find_profile(self.profile).name  # the profile may be a file
        return f"{name}-cached" if self.cached else name


def measurements_of(sweep: Sweep, *, chunks: bool = True) -> tuple[Measurement, ...]:
    """Every benchmark that an array of ``sweep`` gets, in the order of the lists.

    Args:
        chunks: whether the array has chunks; without them, profiles that measure chunks are left out.
    """
    return tuple(
        Measurement(profile=profile, cached=cache == CACHES[1])
        for profile in sweep.profiles
        if chunks or not any(row.block_of for row in find_profile(profile).rows)
        for cache in sweep.caches
    )


def request_of(
    sweep: Sweep,
    measurement: Measurement,
    machine: Machine,
    *,
    target: str,
    label: str = "",
    erase: str = "",
) -> BenchRequest:
    """The request to benchmark ``target``, with the same size on every array, so that results are comparable.

    If the sweep leaves the size to the profile, it is reduced to fit on a mirror of the smallest disk.
    """
    profile = find_profile(measurement.profile)
    smallest = min(machine.disk(word).size_bytes for word in sweep.disks)
    room = int(min(smallest, sweep.slice or smallest) * _USABLE)
    return BenchRequest(
        target=target,
        profile=measurement.profile,
        size_bytes=sweep.size_bytes or fitting(profile.size_bytes, room),
        runs=sweep.runs,
        seconds=sweep.seconds,
        mix=sweep.mix,
        cached=measurement.cached,
        label=label,
        erase=erase,
    )
