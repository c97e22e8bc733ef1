"""What a disk's own partition table says, where the kernel shows no partition: ``partx -d`` and drivers hide them."""

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
    """How many partitions the table on the disk ``path`` has; ``None`` if that is unknown.

    sfdisk only reads it, and closing what was opened for reading makes nobody look again.
    """
    answer = ask(["sfdisk", "--json", path])
    if answer.returncode != 0:
        return None
    try:
        return len(decode_json(answer.stdout, _Document).partitiontable.partitions)
    except DecodeError:
        return None
