"""What the kernel's log still says: how the checks of md arrays ended, where members differ, and I/O errors of disks.

The log is a ring: what it does not say is unknown, not "did not happen". Only root can read it, as a rule.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.struct import Record

FILE: Final = "/dev/kmsg"
_RECORD: Final = 8192  # bytes; one read returns one record (Documentation/ABI/testing/dev-kmsg)
_MOST: Final = 100_000  # records
_PLACES: Final = 64  # kept of an array; the kernel itself prints at most ten in five seconds
# md.c: md_do_sync. Since Linux 6.11 the action is called "check".
_BEGUN: Final = re.compile(r"md: (?:data-)?check of RAID array (md\S+)")
_ENDED: Final = re.compile(r"md: (md\S+): (?:data-)?check (done|interrupted)\.")
# raid5.c: handle_parity_checks5 and 6, in sectors of a member's data. RAID1 and RAID10 print none.
_DIFFERS: Final = re.compile(r"(?:md/raid:)?(md\S+): mismatch sector in range (\d{1,19})-(\d{1,19})")
# blk-mq.c: blk_print_req_error; md: "Disk failure on sdb1", "read error corrected (8 sectors at 64 on sdb1)"; Btrfs
# counts errors by device; nvme/pci.c: "nvme nvme0: I/O 7 QID 2 timeout". A command that a disk does not know
# ("operation not supported") is no error, and what is not a disk has no SMART data.
_FAILED: Final = re.compile(
    r"(?:(?:I/O|timeout|medium|target|transport|protection) error, dev |Disk failure on |"
    r"read error corrected \(.* on |bdev /dev/(?=.* errs: )|nvme (?=nvme\d+: I/O .*timeout))"
    r"(?!sr\d|fd\d|loop|dm-|zram|zd\d|nbd)[a-z]"
)


class CheckLogged(Record, frozen=True, kw_only=True):
    """The last check of an array, as the log has it."""

    interrupted: bool = False  # it was stopped
    differs: tuple[tuple[int, int], ...] = ()  # sectors of each member's data, from and up to; the first 64


def read_checks(tree: Tree) -> dict[str, CheckLogged]:
    """The last check of each array, by the array's kernel name; nothing of those that the log does not have."""
    found: dict[str, CheckLogged] = {}
    for line in _lines(tree):
        text = line.partition(";")[2]
        if begun := _BEGUN.match(text):
            found[begun[1]] = CheckLogged()
        elif ended := _ENDED.match(text):
            logged = found.get(ended[1], CheckLogged())
            found[ended[1]] = CheckLogged(interrupted=ended[2] == "interrupted", differs=logged.differs)
        elif differs := _DIFFERS.match(text):
            before = found.get(differs[1], CheckLogged()).differs
            if len(before) < _PLACES:
                found[differs[1]] = CheckLogged(differs=(*before, (int(differs[2]), int(differs[3]))))
    return found


def last_error(tree: Tree) -> int | None:
    """The number of the newest record about an error of a disk; 0: there is none; None: not known."""
    last, known = 0, False
    for line in _lines(tree):
        known = True
        head, _, text = line.partition(";")
        if _FAILED.search(text):
            number = head.split(",")[1:2]
            last = max(last, int(number[0]) if number and number[0].isdecimal() else 0)
    return last if known else None


def was_checked(tree: Tree, name: str, checks: Callable[[], Mapping[str, CheckLogged]]) -> bool:
    """Whether the last sync of the array ``name`` was a check that, as far as known, ran to its end.

    Once past 1/16, a check that is stopped leaves its position in ``sync_min``; before that only the log shows it.
    """
    md = f"/sys/block/{name}/md"
    last, begin = tree.text(f"{md}/last_sync_action"), tree.number(f"{md}/sync_min")
    return last == "check" and begin == 0 and not checks().get(name, CheckLogged()).interrupted


def _lines(tree: Tree) -> Iterator[str]:
    try:
        log = os.open(tree.path(FILE), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        for _ in range(_MOST):
            try:
                record = os.read(log, _RECORD)
            except BrokenPipeError:  # it was overwritten meanwhile; the next read has the oldest that is left
                continue
            except OSError:  # EAGAIN: that was the last one
                return
            if not record:
                return
            yield from record.decode(errors="replace").splitlines()
    finally:
        os.close(log)
