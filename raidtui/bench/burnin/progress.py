"""How far a burn-in is, from its request and its journal. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from raidtui.bench.burnin.course import BLANK, READ, VERIFY, WRITE
from raidtui.bench.burnin.surface import zone_size
from raidtui.jobs.journal import data_of
from raidtui.model.journal import BurnInNote, BurnInRequest, Entry, Event
from raidtui.model.struct import Record, to_record

_WHOLE: Final = frozenset({READ, WRITE, VERIFY, BLANK})  # steps that go over the whole disk


class DiskProgress(Record, frozen=True, kw_only=True):
    """How far one disk is in the current step."""

    share: float | None = None  # of the disk, or of its self-test; None: not known in this step
    bytes_per_second: float | None = None  # of the last zones
    left_seconds: float | None = None  # of this step, at that speed
    rates: tuple[int, ...] = ()  # of each zone read so far; 0: not known
    gave_up: str = ""


class BurnInProgress(Record, frozen=True, kw_only=True):
    """How far all of it is."""

    step: str = ""  # empty before the first
    disks: dict[str, DiskProgress]  # by identity

    @property
    def share(self) -> float:
        """Of the current step, from 0 to 1."""
        known = [one.share for one in self.disks.values() if one.share is not None]
        return sum(known) / len(known) if known else 0.0

    @property
    def left_seconds(self) -> float | None:
        """Until the slowest disk is done with the current step; None if that is not known."""
        return max(
            (one.left_seconds for one in self.disks.values() if one.left_seconds is not None), default=None
        )


def progress_of(request: BurnInRequest, entries: Sequence[Entry]) -> BurnInProgress:
    steps = [one.step for one in entries if one.event is Event.STEP]
    step = steps[-1] if steps else ""
    noted: defaultdict[str, list[BurnInNote]] = defaultdict(list)
    for entry in entries:
        if entry.event is Event.CELL:
            one = to_record(data_of(entry), BurnInNote)
            noted[one.disk].append(one)
    sizes = zip(request.disks, request.sizes, strict=False)
    return BurnInProgress(step=step, disks={disk: _of_disk(size, step, noted[disk]) for disk, size in sizes})


def _of_disk(size: int, step: str, noted: Sequence[BurnInNote]) -> DiskProgress:
    length = zone_size(size)
    zones = -(-size // length)
    rates = [0] * zones
    for one in noted:
        for word, rate in one.rates.items() if one.step not in {WRITE, VERIFY, BLANK} else ():
            if 0 <= int(word) < zones:
                rates[int(word)] = max(rate, rates[int(word)])
    gave_up = next((one.gave_up for one in noted if one.gave_up), "")
    if step not in _WHOLE:
        left_percent = [one.test_left for one in noted if one.step == step and one.test_left is not None]
        tested = any(one.step == step and one.self_test is not None for one in noted)
        share = 1.0 if tested else 1 - left_percent[-1] / 100 if left_percent else None
        return DiskProgress(share=share, rates=tuple(rates), gave_up=gave_up)
    own = [one for one in noted if one.step == step and one.rates]
    done = len({zone for one in own for zone in one.rates})
    last = [rate for rate in (own[-1].rates.values() if own else ()) if rate]
    speed = sum(last) / len(last) if last else None
    left = (zones - done) * length / speed if speed and not gave_up else None
    return DiskProgress(
        share=done / zones,
        bytes_per_second=speed,
        left_seconds=0.0 if done == zones else left,
        rates=tuple(rates),
        gave_up=gave_up,
    )
