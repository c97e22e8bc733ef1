"""Which partition table a disk had, by the member that is whole on it, or by the copy at its end; and where that is not certain."""

import os
import struct
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.machine.ask import ToolAnswer
from raidtui.machine.contents.table_before import digest_of_ends
from raidtui.machine.contents.unknown_data import read_unknown_data
from raidtui.machine.md.superblock_bytes import LENGTH, device_sectors, summed
from raidtui.model.table_before import PartBefore, TableBefore
from raidtui.model.units import KIB, MIB
from tests.unit.test_machine_gpt_copy import PROTECTIVE, header
from tests.unit.test_machine_unknown_data import made

SIZE = 8 * MIB
ARRAY, OWN = uuid.UUID(int=1), uuid.UUID(int=2)
MD = f"TYPE=linux_raid_member\nUUID={ARRAY}\nUUID_SUB={OWN}\n"
VDEV = "TYPE=zfs_member\nUUID=7\nUUID_SUB=8\n"
VOLUME = "TYPE=LVM2_member\nUUID=PV-1\n"
GUID = bytes(range(16))


def superblock(begin: int, sectors: int, *, place: int = 8, features: int = 0) -> bytes:
    """One of version 1 whose data begins at sector ``begin`` of its device."""
    made = bytearray(LENGTH)
    struct.pack_into("<III", made, 0, 0xA92B4EFC, 1, features)
    made[16:32], made[168:184] = ARRAY.bytes, OWN.bytes
    struct.pack_into("<QQQ", made, 128, begin, sectors, place)
    return summed(made)


def label(size: int) -> bytes:
    """That of a physical volume on a device of ``size`` bytes."""
    head = b"LABELONE" + (1).to_bytes(8, "little") + bytes(4) + (32).to_bytes(4, "little") + b"LVM2 001"
    return bytes(512) + head + bytes(32) + size.to_bytes(8, "little")


def found(
    folder: Path, *pieces: tuple[int, bytes], at: dict[int, str] | None = None, size: int = SIZE
) -> TableBefore | None:
    """What is known of a disk with ``pieces`` at their places; ``at``: what blkid says of some."""
    path = made(folder, *pieces, size=size)

    def blkid(argv: Sequence[str]) -> ToolAnswer:
        text = (at or {}).get(int(argv[argv.index("--offset") + 1]), "")
        return ToolAnswer(returncode=0 if text else 2, stdout=text)

    unknown = read_unknown_data(path, size, ask=blkid)
    assert unknown is not None
    return unknown.table


def why(table: TableBefore | None) -> str:
    assert table is not None
    assert not table.parts or table.copied
    return table.unsure


@pytest.mark.parametrize("place", [8, 0], ids=["1.2", "1.1"])
def test_a_member_of_md_says_how_long_its_device_was(tmp_path: Path, place: int) -> None:
    block = superblock(2048, 8192, place=place)
    table = found(tmp_path, (MIB + place * 512, block), at={MIB: MD})
    digest = digest_of_ends(str(tmp_path / "disk"), MIB, 5 * MIB)
    part = PartBefore(
        start_bytes=MIB,
        size_bytes=(2048 + 8192) * 512,
        kind="linux_raid_member",
        holds=str(ARRAY),
        digest=digest,
    )
    assert table == TableBefore(parts=(part,))


def test_what_a_superblock_that_is_damaged_or_moves_or_belongs_elsewhere_says_is_unknown() -> None:
    assert device_sectors(superblock(2048, 8192), 8) == 10240
    spoilt = bytearray(superblock(2048, 8192))
    spoilt[200] ^= 1
    for block, before in (
        (bytes(spoilt), 8),
        (superblock(2048, 8192), 0),
        (superblock(2048, 8192, features=4), 8),
        (superblock(2048, 8192, features=64), 8),
        (superblock(0, 8192), 8),
        (superblock(2048, 0), 8),
        (bytes(LENGTH), 8),
        (b"", 8),
    ):
        assert device_sectors(block, before) == 0


@pytest.mark.parametrize(
    ("end", "kind"), [(SIZE // 512 - 33, "gpt"), (7 * 2048, "gpt"), (SIZE // 512, "dos")], ids=str
)
def test_a_superblock_at_the_end_says_where_its_partition_began_and_ended(
    tmp_path: Path, end: int, kind: str
) -> None:
    """An MBR has nothing behind the last partition."""
    place = end - 2048 - 16 & ~7
    table = found(tmp_path, ((2048 + place) * 512, superblock(0, 8192, place=place)))
    assert table is not None
    (part,) = table.parts
    assert (table.label, part.start_bytes) == (kind, MIB)
    assert place + 16 <= part.size_bytes // 512 < place + 24  # all of these have their superblock there
    assert part.size_bytes // 512 == end - 2048


def test_where_other_partitions_may_have_been_nothing_is_certain(tmp_path: Path) -> None:
    begin = 3 * 2048
    place = 7 * 2048 - begin - 16 & ~7
    table = found(tmp_path, ((begin + place) * 512, superblock(0, 8192, place=place)))
    assert why(table) == "the member begins at 3.00 MiB, and other partitions may have been before it"
    block = superblock(2048, 2048)
    at = {MIB: MD, 3 * MIB: "TYPE=ext4\n"}
    table = found(tmp_path, (MIB + 4096, block), (3 * MIB + 1024, b"files"), at=at)
    assert why(table) == "ext4 begins behind the member, at 3.00 MiB"


def test_data_far_behind_the_member_makes_its_end_doubtful(tmp_path: Path) -> None:
    block, size = superblock(2048, 2048), 300 * MIB
    table = found(tmp_path, (MIB + 4096, block), (100 * MIB, b"x" * 40 * MIB), at={MIB: MD}, size=size)
    assert why(table) == "data is behind the member, which ends at 3.00 MiB of 300 MiB"


@pytest.mark.parametrize(("size", "certain"), [(6 * MIB, True), (0, False)])
def test_a_physical_volume_says_it_too_or_nothing_is_known(tmp_path: Path, size: int, certain: bool) -> None:
    table = found(tmp_path, (MIB, label(size)), at={MIB: VOLUME})
    assert table is not None
    assert [one.size_bytes for one in table.parts] == ([size] if certain else [])
    assert table.unsure == ("" if certain else "the member does not say how long its partition was")


def vdev(start: int, *labels: int, guid: bytes = b"7" * 300) -> list[tuple[int, bytes]]:
    """The first KiB of the names in those ``labels`` of a vdev, each with another number of a transaction."""
    return [
        (start + number * 256 * KIB + 16 * KIB, b"txg" + bytes([number]) + b"pool_guid" + guid)
        for number in labels
    ]


@pytest.mark.parametrize(
    ("labels", "size"),
    [
        ((0, 1, 22, 23), 24 * 256 * KIB),
        ((0, 1, 14, 15, 22, 23), 24 * 256 * KIB),  # it was enlarged
        ((0, 1, 23), 0),
        ((0, 1), 0),
        ((0, 22, 23), 0),
    ],
)
def test_a_vdev_has_labels_at_its_end(tmp_path: Path, labels: tuple[int, ...], size: int) -> None:
    """A label is 256 KiB long."""
    table = found(tmp_path, *vdev(MIB, *labels), at={MIB: VDEV})
    assert table is not None
    assert [one.size_bytes for one in table.parts] == ([size] if size else [])
    assert table.unsure == ("" if size else "the member does not say how long its partition was")


def test_labels_of_another_vdev_do_not_end_one(tmp_path: Path) -> None:
    other = vdev(MIB, 22, 23, guid=b"8" * 300)
    table = found(tmp_path, *vdev(MIB, 0, 1), *other, at={MIB: VDEV})
    assert why(table) == "the member does not say how long its partition was"


@pytest.mark.parametrize(
    ("place", "data", "certain"),
    [
        (100, b"somebody's data", False),
        (4096 + 8192, b"x", False),
        (512, bytes(8) + bytes.fromhex("000001005c000000"), True),  # what wipefs leaves of a GPT
        (8192, b"bitm", False),  # and of an md superblock of the whole disk
    ],
)
def test_data_where_the_table_was_is_not_overwritten(
    tmp_path: Path, place: int, data: bytes, certain: bool
) -> None:
    table = found(tmp_path, (MIB + 4096, superblock(2048, 8192)), (place, data), at={MIB: MD})
    assert table is not None
    assert table.unsure == ("" if certain else "data of no known format is where the table was")


def test_data_at_the_very_end_of_the_disk_leaves_room_for_an_mbr_only(tmp_path: Path) -> None:
    block = (MIB + 4096, superblock(2048, 8192))
    for data, label_of_table in ((b"x", "dos"), (b"", "gpt")):
        table = found(tmp_path, block, (SIZE - 100, data), at={MIB: MD})
        assert table is not None
        assert (table.label, table.unsure) == (label_of_table, "")


def test_what_cannot_be_read_is_not_certain_and_the_member_is_named_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> str:
        raise OSError(5, os.strerror(5))

    monkeypatch.setattr("raidtui.machine.contents.table_before.digest_of_ends", fails)
    table = found(tmp_path, (MIB + 4096, superblock(2048, 8192)), at={MIB: MD})
    assert why(table) == "what is around the member cannot be read (Input/output error)"


# --- The copy of a GPT


def copy(
    *ranges: tuple[int, int], name: str = "", attributes: int = 0, mbr: bytes = PROTECTIVE
) -> list[tuple[int, bytes]]:
    """Only the copy at the end of a disk, with partitions from and to these sectors."""
    entries = b"".join(
        GUID + GUID + struct.pack("<QQQ", first, last, attributes) + name.encode("utf-16-le").ljust(72, b"\0")
        for first, last in ranges
    ).ljust(128 * 128, b"\0")
    last = SIZE // 512 - 1
    return [
        (0, mbr),
        (SIZE - 512, header(last, last - 32, entries)),
        (SIZE - 512 * 33, entries),
    ]


def test_an_intact_copy_says_all(tmp_path: Path) -> None:
    block = (MIB + 4096, superblock(2048, 2048))
    table = found(tmp_path, block, *copy((2048, 8191), (10240, 12287), name="my data", attributes=1 << 2 | 1 << 60), at={MIB: MD})  # fmt: skip
    assert table is not None
    guid = str(uuid.UUID(bytes_le=GUID))
    assert (table.copied, table.uuid, table.first, table.last, table.entries) == (
        True, guid, 34, SIZE // 512 - 34, 128,
    )  # fmt: skip
    one, two = table.parts
    assert (one.number, one.start_bytes, one.size_bytes) == (1, MIB, 3 * MIB)
    assert (one.type, one.uuid, one.name, one.attributes) == (guid, guid, "my data", (2, 60))
    assert (one.kind, one.holds, two.kind) == ("linux_raid_member", str(ARRAY), "")
    assert not table.unsure


@pytest.mark.parametrize(
    ("ranges", "more", "unsure"),
    [
        ([(2048, 4095)], {}, "what is in partition 1 of the copy is longer than it: the copy is older"),
        ([(4096, 8191)], {}, "nothing that is known begins where the copy has a partition"),
        ([(2048, 8191), (8000, 9000)], {}, "the copy has partitions that overlap"),
        ([(2048, 1 << 40)], {}, "the copy has a partition outside of what it calls usable"),
        ([(30, 8191)], {}, "the copy has a partition outside of what it calls usable"),
        ([(2048, 8191)], {"name": 'a"b'}, "the copy has a partition with a name that sfdisk(8) cannot write"),
        ([(2048, 8191)], {"name": "a\nb"}, "the copy has a partition with a name that sfdisk(8) cannot write"),
        ([(2048, 8191)], {"attributes": 8}, "the copy has a partition with attributes that sfdisk(8) cannot write"),
    ],
)  # fmt: skip
def test_a_copy_that_does_not_fit_or_cannot_be_written_is_not_used(
    tmp_path: Path, ranges: list[tuple[int, int]], more: dict[str, object], unsure: str
) -> None:
    block = (MIB + 4096, superblock(2048, 2048))
    assert why(found(tmp_path, block, *copy(*ranges, **more), at={MIB: MD})) == unsure  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("begin", "unsure"),
    [(2048, ""), (4096, "the disk has a copy of a partition table in which the member is not")],
)
def test_of_a_head_that_was_overwritten_the_copy_counts_if_it_has_the_member(
    tmp_path: Path, begin: int, unsure: str
) -> None:
    block = (MIB + 4096, superblock(2048, 2048))
    pieces = copy((begin, 10000), mbr=b"something else")
    table = found(tmp_path, block, (2 * MIB, b"x"), *pieces, at={MIB: MD, 2 * MIB: "TYPE=ext4\n"})
    assert table is not None
    assert (table.copied, table.unsure) == (not unsure, unsure)
