"""What CrystalDiskMark would print for the same runs: the best of each, which flatters. Pure."""

from typing import Final

from raidtui.model.result import Cell
from raidtui.model.struct import Record

TITLES: Final = {"cdm8": "CrystalDiskMark 8", "cdm9": "CrystalDiskMark 9"}


class AsCdm(Record, frozen=True, kw_only=True):
    """One cell as CrystalDiskMark scores it; rate and latency may be of different runs."""

    bytes_per_second: float  # the highest
    iops: float  # derived from that
    latency_mean_seconds: float  # the lowest


def as_cdm(cell: Cell) -> AsCdm | None:
    """The score of ``cell``: maximum rate and minimum latency of its runs, taken independently; None without runs.

    Source: CrystalDiskMark 8 and 9, DiskBench.cpp.
    """
    if not cell.runs:
        return None
    best = max(run.bytes_per_second for run in cell.runs)
    return AsCdm(
        bytes_per_second=best,
        iops=best / cell.block_bytes if cell.block_bytes else max(run.iops for run in cell.runs),
        latency_mean_seconds=min(run.latency_mean_seconds for run in cell.runs),
    )
