"""What runs on a pool: a scrub, a resilver, the expansion of a raidz, the removal of a vdev. Pure."""

from raidtui.backends.zfs.report import Expansion, Scan
from raidtui.model.unit import Activity


def activity(scan: Scan | None, expansion: Expansion | None = None) -> Activity | None:
    """The running scrub or resilver, or else the raidz expansion or the removal of a vdev."""
    if scan is None or not scan.running:
        return _expanding(expansion)
    return Activity(
        what=scan.what,
        fraction=scan.fraction,
        done_bytes=scan.done_bytes,
        total_bytes=scan.total_bytes,
        bytes_per_second=scan.bytes_per_second or None,
        seconds_left=scan.seconds_left,
        paused=scan.paused,
    )


def _expanding(found: Expansion | None) -> Activity | None:
    if found is None or not found.running:
        return None
    done, total, rate = found.done_bytes, found.total_bytes, found.bytes_per_second
    return Activity(
        what=found.what,
        fraction=min(1.0, done / total) if total else 0.0,
        done_bytes=done,
        total_bytes=total,
        bytes_per_second=rate or None,
        seconds_left=(total - done) // rate if rate and total >= done else None,
    )
