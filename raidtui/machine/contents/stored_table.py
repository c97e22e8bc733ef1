"""Count the partitions in a table on disk if the kernel shows none: ``partx -d`` and some drivers hide them."""

from msgspec import DecodeError

from raidtui.machine.ask import Ask
from raidtui.model.struct import Record, decode_json


class _Partition(Record, frozen=True, kw_only=True):
    start: int  # sectors


class _Table(Record, frozen=True, kw_only=True):
    partitions: tuple[_Partition, ...] = ()


class _Document(Record, frozen=True, kw_only=True):
    partitiontable: _Table


def count_stored(path: str, *, ask: Ask) -> int | None:
    """How many partitions the table on the disk ``path`` has; ``None`` if not known.

    sfdisk opens the disk read-only, so closing it does not make udev probe it again.
    """
    answer = ask(["sfdisk", "--json", path])
    if answer.returncode != 0:
        return None
    try:
        return len(decode_json(answer.stdout, _Document).partitiontable.partitions)
    except DecodeError:
        return None
