"""The last scrub of a Btrfs, from the status file of btrfs(8) in /var/lib: bytes read, errors, how it ended.

The file lags some seconds behind a running scrub; its progress is read from the kernel.
"""

from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.struct import Bytes, Record, Whole
from raidtui.model.text import as_number, count_of
from raidtui.model.units import decimal

_FILE: Final = "/var/lib/btrfs/scrub.status."
_COUNTS: Final = ("corrected_errors", "uncorrectable_errors")
_BYTES: Final = ("data_bytes_scrubbed", "tree_bytes_scrubbed")


class Scrub(Record, frozen=True, kw_only=True):
    """The last scrub, over all devices."""

    whole: bool  # False if it was stopped or interrupted
    started: Whole = 0  # seconds since 1970; 0: not known
    done_bytes: Bytes = 0
    corrected: Whole = 0  # errors
    uncorrectable: Whole = 0
    superblocks: Whole = 0  # that differed: the next commit writes them anew, and they are in neither count
    counted: bool = True  # False if the file lacks the counts of some device

    @property
    def errors(self) -> int:
        """What it found, corrected or not."""
        return self.corrected + self.uncorrectable + self.superblocks

    @property
    def words(self) -> str:
        """The result: "last scrub: 1 uncorrectable error, 3 errors corrected"."""
        found = [
            *([count_of(self.uncorrectable, "uncorrectable error")] if self.uncorrectable else []),
            *([f"{count_of(self.corrected, 'error')} corrected"] if self.corrected else []),
            *([count_of(self.superblocks, "superblock error")] if self.superblocks else []),
            *([] if self.counted else ["not all errors known"]),
        ]
        ended = [] if self.whole else [f"stopped after {decimal(self.done_bytes)}"]
        return f"last scrub: {', '.join([*ended, *(found or ['no errors'])])}"


def read_scrub(uuid: str, tree: Tree) -> Scrub | None:
    """Read the last scrub of a filesystem; None if none is recorded, or it has only just started."""
    devices = [_fields(line) for line in tree.lines(f"{_FILE}{uuid}") if line.startswith(f"{uuid}:")]
    if not any(one.get("t_start") for one in devices):
        return None
    return Scrub(
        whole=all(one.get("finished") and not one.get("canceled") for one in devices),
        started=min(one.get("t_start", 0) for one in devices),
        done_bytes=sum(one.get(key, 0) for one in devices for key in _BYTES),
        corrected=sum(one.get("corrected_errors", 0) for one in devices),
        uncorrectable=sum(one.get("uncorrectable_errors", 0) for one in devices),
        superblocks=sum(one.get("super_errors", 0) for one in devices),
        counted=all(key in one for one in devices for key in _COUNTS),
    )


def _fields(line: str) -> dict[str, int]:
    pairs = (part.partition(":") for part in line.split("|")[1:])
    return {key: number for key, _, value in pairs if (number := as_number(value.strip())) is not None}
