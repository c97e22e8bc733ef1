"""Write the partition table of a disk again as it was. What is in its partitions stays as it is, and is compared."""

from collections.abc import Iterator
from typing import Final

from raidtui.machine.contents.table_before import digest_of_ends
from raidtui.machine.devices import device_number, node, partition_at
from raidtui.model.answer import Answer, either, unknown
from raidtui.model.machine import Disk
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Check, Extent, RestoreCapsule, Role, Run, Step, Undo
from raidtui.model.table_before import PartBefore, TableBefore
from raidtui.model.text import count_of
from raidtui.model.units import MIB
from raidtui.steps.condition import Condition, Held
from raidtui.steps.devices import PARTITION, PRESENT, UNCLAIMED
from raidtui.steps.filesystems import FILESYSTEM
from raidtui.steps.partitions import LINUX_FILESYSTEM, LINUX_LVM, LINUX_RAID, MBR, ZFS_MEMBER, write_table
from raidtui.steps.pieces import Piece, called
from raidtui.steps.seeds import derive, partition_uuid
from raidtui.steps.settle import settle_step
from raidtui.steps.wipe import capsule_step, reread

_TYPES: Final = {
    "linux_raid_member": LINUX_RAID,
    "LVM2_member": LINUX_LVM,
    "zfs_member": ZFS_MEMBER,
}
# Where libfdisk lets the first partition begin if it is not told otherwise.
_FIRST: Final = MIB
_ATTRIBUTES: Final = {0: "RequiredPartition", 1: "NoBlockIOProtocol", 2: "LegacyBIOSBootable"}


class SameBytes(Condition):
    """The first and last MiB of a range of the device are as they were."""

    kind = "same-bytes"
    says = "both ends of what begins at byte {first:,} of {subject} are as they were"
    source = r"""
has_same_bytes() {
    edge=1048576
    [ "$3" -gt $((2 * edge)) ] || edge=$3
    same=$(
        {
            bytes_at "$1" "$2" "$edge" && { [ "$edge" -eq "$3" ] || bytes_at "$1" $(($2 + $3 - edge)) "$edge"; }
        } | timeout -k 5 "$timeout" sha256sum
    ) || return 1
    [ "${same%% *}" = "$4" ]
}
bytes_at() { asked dd status=none bs=4096 if="$1" skip="$2" count="$3" iflag=skip_bytes,count_bytes,fullblock; }"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        start, size, digest = check.expect.split()
        number = partition_at(check.subject) or device_number(check.subject)
        if not number:
            return unknown(f"there is no {check.subject}")
        try:
            now = digest_of_ends(node(number), int(start), int(size))
        except OSError as error:
            return unknown(f"{check.subject} cannot be read: {error.strerror}")
        text = f"the first and last MiB of {int(size):,} bytes from byte {int(start):,} of {check.subject}"
        same = now == digest
        return either(holds=same, text=f"{text} are {'as they were' if same else 'not as they were'}")


SAME_BYTES: Final = SameBytes()


def steps_again(disk: Disk, table: TableBefore, *, seed: str, udev: bool) -> Iterator[Step]:
    """Save both ends of ``disk``, write ``table`` on it, and wait for what is in its partitions."""
    whole = disk.stable_path
    first = table.parts[0]
    extent = Extent(offset=first.start_bytes, length=first.size_bytes)
    piece = Piece(disk=disk, role="", number=0, whole=whole, device=whole, extent=extent)
    yield capsule_step([piece], until="the table is written and what is in it is seen")
    devices = {partition_path(whole, one.number): one for one in table.parts}
    yield Step(
        id="table",
        role=Role.PREPARE,
        title=f"Write the partition table of {called(disk)} again, with {count_of(table.parts, 'partition')}",
        reason="Nothing but the table is written: sfdisk erases no signature, and both ends of each partition are compared.",
        actions=(_write(disk, whole, table, seed=seed), reread(whole)),
        before=(
            UNCLAIMED.of(whole),
            *(
                SAME_BYTES.of(whole, f"{one.start_bytes} {one.size_bytes} {one.digest}")
                for one in table.parts
            ),
        ),
        after=tuple(
            check
            for device, one in devices.items()
            for check in (
                PARTITION.of(device, f"{one.start_bytes} {one.size_bytes}"),
                SAME_BYTES.of(device, f"0 {one.size_bytes} {one.digest}"),
            )
        ),
        undoable=Undo.CAPSULE,
        undo=(RestoreCapsule(disks=(disk.identity,)),),
        undo_note="the saved bytes are written back: the disk is as it was",
        holds=(whole,),
    )
    yield settle_step(
        "settle-partitions",
        role=Role.PREPARE,
        title=f"Wait until what is in {'them' if len(devices) > 1 else 'it'} is seen",
        reason="The kernel and udev read the partitions as soon as raidtui releases its lock.",
        udev=udev,
        after=tuple(check for device, one in devices.items() for check in _seen(device, one)),
    )


def _seen(device: str, part: PartBefore) -> Iterator[Check]:
    yield PRESENT.of(device)
    if part.kind and part.holds:
        yield FILESYSTEM.of(device, f"{part.kind} {part.holds}")


def _write(disk: Disk, whole: str, table: TableBefore, *, seed: str) -> Run:
    sector = disk.logical_sector_bytes
    gpt = table.label == "gpt"
    uuid = table.uuid or derive(seed, "table", disk.identity)
    first = table.first or min(_FIRST, *(one.start_bytes for one in table.parts)) // sector
    head = [f"first-lba: {first}"] if gpt else []
    head += [f"last-lba: {table.last}"] if table.last else []
    head += [f"table-length: {table.entries}"] if table.entries else []
    parts = [_line(disk, one, sector, gpt=gpt, seed=seed) for one in table.parts]
    ends = [Extent(disk=whole, offset=place, length=MIB) for place in (0, disk.size_bytes - MIB)]
    return write_table(
        whole,
        [*head, *parts],
        ends,
        uuid=uuid if gpt else f"0x{uuid[:8]}",
        label=table.label,
        wipe="never",
    )


def _line(disk: Disk, part: PartBefore, sector: int, *, gpt: bool, seed: str) -> str:
    place = f"{part.number} : start={part.start_bytes // sector}, size={part.size_bytes // sector}"
    kind = part.type or _TYPES.get(part.kind, LINUX_FILESYSTEM)
    if not gpt:
        return f"{place}, type={MBR.get(kind, '83')}"
    line = f"{place}, type={kind}, uuid={part.uuid or partition_uuid(seed, disk.identity, part.number)}"
    words = " ".join(_ATTRIBUTES.get(bit, f"GUID:{bit}") for bit in part.attributes)
    return line + (f', name="{part.name}"' if part.name else "") + (f', attrs="{words}"' if words else "")
