"""Read how full mounted filesystems are."""

import os
from collections.abc import Mapping, Sequence

from raidtui.model.struct import Record


class Space(Record, frozen=True, kw_only=True):
    """The space of one filesystem in bytes, as df shows it."""

    used_bytes: int
    total_bytes: int  # usable by files, without the blocks reserved for root

    @property
    def share(self) -> float:
        """How full it is, 0 to 1."""
        return self.used_bytes / self.total_bytes if self.total_bytes else 0.0


def read_spaces(targets: Sequence[str]) -> Mapping[str, Space]:
    """The space at each mount point; mount points that cannot be read are left out."""
    found = {}
    for target in targets:
        try:
            status = os.statvfs(target)
        except OSError:
            continue
        used = (status.f_blocks - status.f_bfree) * status.f_frsize
        found[target] = Space(used_bytes=used, total_bytes=used + status.f_bavail * status.f_frsize)
    return found
