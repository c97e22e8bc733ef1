"""What a Btrfs needs the administrator to do, judged by its chunks: mount it degraded, replace a disk, balance it."""

import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.replacements import remedies_of
from raidtui.backends.btrfs import found_devices, kernel, reading
from raidtui.backends.btrfs.chunks import Chunk, parse_item, parse_text
from raidtui.backends.btrfs.kernel import Running
from raidtui.backends.btrfs.reading import Filesystem, read_now, with_chunks
from raidtui.backends.btrfs.scrubs import Scrub as BtrfsScrub
from raidtui.backends.btrfs.superblock import parse
from raidtui.backends.btrfs.units import units_of
from raidtui.machine.tree import Tree
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind
from raidtui.model.lost import LostMember
from raidtui.model.machine import Machine, Mount
from raidtui.model.plan import Severity
from raidtui.model.procedure import (
    Balance,
    Procedure,
    ReAdd,
    RemoveMissing,
    RemoveSpare,
    Scrub,
    Start,
    is_choice,
)
from raidtui.model.unit import Health
from raidtui.model.units import MIB
from raidtui.plan.care import make_care
from tests.unit.btrfs_machines import SIZE, UUID, btrfs_disk, btrfs_machine, device, filesystem, missing
from tests.unit.plan_machines import disk
from tests.unit.remedies import runs

DATA = Path(__file__).parent / "data" / "btrfs"
ON_TWO = (
    Chunk(kind="data", profile="raid1", devids=(1, 2)),
    Chunk(kind="system", profile="raid1", devids=(1, 2)),
)
TORN = filesystem(device(1), missing(2), chunks=ON_TWO)


def said(there: Machine) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences and commands for the one filesystem."""
    (found,) = remedies_of(units_of(there), there)
    return [(one.text, runs(one, there)) for one in found]


def member(number: int) -> Any:
    return btrfs_disk(number, free=False)


# Which device is missing does not say what is lost: its chunks do.


@pytest.mark.parametrize(
    ("chunks", "health", "left"),
    [
        # A single profile with all its data on the other two: it mounts without the third.
        ([("data", "single", (1,)), ("metadata", "raid1", (2, 3))], Health.DEGRADED, "degraded, not redundant"),
        ([("data", "single", (3,)), ("metadata", "raid1", (1, 2))], Health.FAILED, "FAILED"),
        ([("data", "raid1", (1, 2)), ("metadata", "raid1", (1, 2))], Health.DEGRADED, "degraded, redundancy reduced"),
        ([("data", "raid1", (1, 2)), ("metadata", "raid1", (1, 3))], Health.DEGRADED, "degraded, the next failure may"),
        ([("data", "raid5", (1, 2, 3)), ("metadata", "dup", (3,))], Health.FAILED, "FAILED"),
        ([("data", "raid5", (1, 2, 3)), ("metadata", "new", (1,))], Health.DEGRADED, "degraded, not redundant"),
        ([("data", "raid1c3", (1, 2, 3)), ("metadata", "raid1c3", (1, 2, 3))], Health.DEGRADED, "degraded, redundancy reduced"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mounted", [True, False])
def test_it_is_judged_by_the_chunks_on_the_missing_device(
    chunks: list[tuple[str, str, tuple[int, ...]]], health: Health, left: str, mounted: bool
) -> None:
    its = tuple(Chunk(kind=kind, profile=profile, devids=on) for kind, profile, on in chunks)
    found = filesystem(device(1), device(2), missing(3), mounted=mounted, data=("single",), chunks=its)
    (unit,) = units_of(btrfs_machine(found))
    if health is Health.FAILED or mounted:
        assert unit.health is health
        assert unit.state.startswith(left)
    else:
        assert (unit.health, unit.state) == (Health.INACTIVE, "1 of 3 disks missing (devid 3), not mounted")


def test_the_trees_of_an_unmounted_filesystem_say_where_its_chunks_are() -> None:
    text = (DATA / "chunks.txt").read_text()
    half = filesystem(device(1), device(3), mounted=False, data=(), metadata=())
    assert with_chunks(half, text).chunks == (
        Chunk(kind="data", profile="raid1", devids=(2, 3)),
        Chunk(kind="metadata", profile="raid1c3", devids=(1, 2, 3)),
        Chunk(kind="system", profile="raid1c3", devids=(1, 2, 3)),
    )
    whole = filesystem(device(1), device(2), device(3), mounted=False, data=(), metadata=())
    assert with_chunks(whole, text).chunks == ()
    assert parse_text(["type DATA", "stripe 0 devid 7 offset 1"]) == (
        Chunk(kind="data", profile="single", devids=(7,)),
    )


def item(kind: int, *devids: int) -> bytes:
    """A chunk item, as struct btrfs_chunk has it."""
    stripes = b"".join(struct.pack("<QQ16x", devid, 9) for devid in devids)
    return struct.pack("<QQQQIIIHH", 2**30, 2, 65536, kind, 65536, 65536, 4096, len(devids), 1) + stripes


def test_the_kernel_is_asked_for_the_chunks_of_a_mounted_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    every = [(4 << 20, item(2 | 1 << 4, 2, 1)), (9 << 20, item(1, 1)), (99 << 20, item(1, 1))]
    starts = []

    def answer(fd: int, number: int, record: bytearray) -> None:
        tree, least, most, start = struct.unpack_from("<4Q", record)
        kinds = struct.unpack_from("<II", record, 56)
        starts.append(start)
        assert (number & 0xFF, number >> 16 & 0x3FFF, tree, least, most, *kinds) == (
            17,
            4096,
            3,
            256,
            256,
            228,
            228,
        )
        some = [one for one in every if one[0] >= start][:2]
        struct.pack_into("<I", record, 64, len(some))
        at = 104
        for place, raw in some:
            struct.pack_into("<QQQII", record, at, 5, 256, place, 228, len(raw))
            record[at + 32 : at + 32 + len(raw)] = raw
            at += 32 + len(raw)

    monkeypatch.setattr(kernel, "ioctl", answer)
    mounted = kernel.Mounted(str(tmp_path))
    assert mounted.chunks() == (
        Chunk(kind="data", profile="single", devids=(1,)),
        Chunk(kind="system", profile="raid1", devids=(1, 2)),
    )
    assert starts == [0, (9 << 20) + 1, (99 << 20) + 1]

    def refuse(fd: int, number: int, record: bytearray) -> None:
        raise PermissionError

    monkeypatch.setattr(kernel, "ioctl", refuse)
    assert mounted.chunks() == ()
    mounted.close()
    assert parse_item(item(1, 1)[:-1]) is None


def test_a_device_that_udev_has_not_looked_at_yet_is_not_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    block = parse((DATA / "superblock.bin").read_bytes())
    assert block is not None
    on = {f"/dev/sd{'abc'[n]}": msgspec.structs.replace(block, devid=n + 1) for n in range(3)}
    looks: list[str] = []

    def look(path: str) -> Any:
        looks.append(path)
        return on.get(path)

    for module in (reading, found_devices):
        monkeypatch.setattr(module, "read_superblock", look)
    monkeypatch.setattr(reading, "known_to_udev", lambda tree: ("/dev/sda",))
    for name in ("sda", "sdb", "sdc", "sdd"):
        (tmp_path / "sys/class/block" / name).mkdir(parents=True)
    (tmp_path / "sys/kernel").mkdir()
    (tmp_path / "sys/kernel/uevent_seqnum").write_text("7\n")
    tree = Tree(tmp_path)
    (found,) = read_now((), tree).filesystems
    assert [one.path for one in found.devices] == ["/dev/sda", "/dev/sdb", "/dev/sdc"]
    assert "/dev/sdd" in looks
    looks.clear()
    read_now((), tree)
    assert "/dev/sdd" not in looks  # until the kernel's next event


# What to do.


def test_a_missing_disk_is_replaced_by_devid_and_balanced_or_it_is_not_redundant() -> None:
    ((text, commands),) = said(btrfs_machine(TORN, member(1), disk(2), disk(3)))
    assert text == "replace the missing disk (devid 2) with the free disk S-0002 (sdb), 10.0 GB"
    by_id = f"/dev/disk/by-id/{disk(2).by_id[0]}"
    assert commands == (
        "mount -o remount,rw /srv/tank",
        f"btrfs replace start 2 {by_id}-part1 /srv/tank",
        "btrfs replace status /srv/tank",
        "btrfs balance start -dconvert=raid1,soft -mconvert=raid1,soft /srv/tank",
        "btrfs scrub start -B /srv/tank",
    )


def test_a_disk_smaller_than_the_missing_one_is_not_used() -> None:
    large = msgspec.structs.replace(missing(2), size_bytes=2 * disk(2).size_bytes)
    found = filesystem(device(1), large, chunks=ON_TWO)
    ((text, commands),) = said(btrfs_machine(found, member(1), disk(2)))
    assert text == "replace the missing disk (devid 2): connect a disk of 20.0 GB or more; none is free here"
    assert commands == ()


def test_of_two_missing_disks_the_balance_waits_for_the_second() -> None:
    found = filesystem(device(1), missing(2), missing(3), data=("raid1c3",), metadata=("raid1c3",))
    ((_, commands), *_) = said(btrfs_machine(found, member(1), disk(4)))
    assert commands[-1] == "btrfs replace status /srv/tank"


def test_one_that_is_not_mounted_gets_its_disk_back_or_is_mounted_degraded() -> None:
    found = msgspec.structs.replace(TORN, node="", sources=())
    ((text, commands),) = said(btrfs_machine(found, member(1), disk(2)))
    assert text.startswith(
        "connect the missing disk; if it cannot be, mount the filesystem degraded, read-only, and replace"
    )
    assert commands[0] == "btrfs device scan"
    assert commands[1] == f"mount -t btrfs -o degraded,ro /dev/disk/by-id/{disk(1).by_id[0]}-part1 /mnt"
    at_boot = btrfs_machine(found, member(1), disk(2), fstab=(f"UUID={UUID} /srv/tank btrfs nofail 0 0",))
    assert said(at_boot)[0][1][1] == "mount -o degraded,ro /srv/tank"
    busy = btrfs_machine(found, member(1), mounts=(Mount(source="/dev/sdz", target="/mnt", type="ext4"),))
    assert said(busy)[0][1] == ()


@pytest.mark.parametrize("mounted", [True, False])
def test_one_that_has_lost_data_only_gets_its_disks_back(mounted: bool) -> None:
    alone = (Chunk(kind="data", profile="single", devids=(2,)),)
    found = filesystem(device(1), missing(2), mounted=mounted, chunks=alone)
    assert said(btrfs_machine(found, member(1), disk(2))) == [
        ("connect the missing disk: some of its data is nowhere else", ()),
        (
            "look for its files on overlays, in every way in which its members may belong together",
            (),
        ),
    ]


def test_chunks_that_a_degraded_mount_left_without_a_copy_are_balanced() -> None:
    there = btrfs_machine(filesystem(system=("raid1", "single")))
    (unit,) = units_of(there)
    assert (unit.health, unit.state) == (
        Health.DEGRADED,
        "degraded, not redundant: system chunks are single beside raid1",
    )
    ((text, commands),) = said(there)
    assert text == "balance it: a failed disk takes the chunks that have no copy on another one"
    assert commands[0] == "btrfs balance start -dconvert=raid1,soft -mconvert=raid1,soft /srv/tank"


def test_copies_that_have_no_room_are_not_balanced() -> None:
    """After a replacement in a filesystem that was filled while a disk was missing."""
    there = btrfs_machine(
        filesystem(
            device(1, allocated_bytes=SIZE - MIB), device(2, allocated_bytes=1), data=("raid1", "single")
        ),
        member(1),
        member(2),
    )
    ((text, commands),) = said(there)
    assert "delete data, or add a disk for the time" in text
    assert "sda1 has no room" in text
    assert commands == ()
    with pytest.raises(Refused, match="sda1 of tank has no room for the copies"):
        make_care(Balance(unit=UUID), there, seed=UUID)


@pytest.mark.parametrize(
    ("data", "weak", "state", "metadata"),
    [
        ("raid1", "dup", "metadata and system chunks are dup beside raid1 data", "raid1"),
        ("raid10", "single", "metadata and system chunks are single beside raid10 data", "raid1"),
        ("raid1c3", "dup", "metadata and system chunks are dup beside raid1c3 data", "raid1c3"),
    ],
)
def test_redundant_data_is_lost_with_metadata_that_is_on_one_disk(
    data: str, weak: str, state: str, metadata: str
) -> None:
    """Of a filesystem that had one disk, where only the data was converted (btrfs-balance(8), -dconvert)."""
    there = btrfs_machine(filesystem(data=(data,), metadata=(weak,), system=(weak,)))
    (unit,) = units_of(there)
    assert (unit.health, unit.state) == (Health.DEGRADED, f"degraded, not redundant: {state}")
    ((_, commands),) = said(there)
    assert commands[0] == f"btrfs balance start -dconvert={data},soft -mconvert={metadata},soft /srv/tank"


@pytest.mark.parametrize("metadata", ["raid1", "dup", "single"])
def test_data_that_is_not_redundant_may_have_any_metadata(metadata: str) -> None:
    there = btrfs_machine(filesystem(data=("single",), metadata=(metadata,), system=(metadata,)))
    assert [one.state for one in units_of(there)] == ["mounted, no redundancy"]
    assert said(there) == []


@pytest.mark.parametrize(
    "found",
    [
        filesystem(),
        filesystem(mounted=False),
        filesystem(data=("raid0", "single"), metadata=("raid1",), system=("raid1",)),
        filesystem(data=("raid1", "single"), running=kernel.Running(what="balance", fraction=0.5)),
        msgspec.structs.replace(TORN, running=kernel.Running(what="replace", fraction=0.5)),
    ],
)
def test_one_that_is_well_or_busy_needs_nothing(found: Filesystem) -> None:
    assert said(btrfs_machine(found, member(1), member(2))) == []


# A device that was away while the filesystem was used has old blocks: only a scrub corrects them.

FIRST = "/dev/disk/by-id/wwn-0x5000c50000000001-part1"


def test_a_device_that_was_away_is_scrubbed_twice_with_a_warning_about_files_without_checksums() -> None:
    there = btrfs_machine(filesystem(device(1), device(2, behind=True), mounted=False))
    (unit,) = units_of(there)
    assert (unit.health, unit.state) == (Health.INACTIVE, "not mounted, 1 disk out of date")
    assert [one.state for one in unit.members] == ["not mounted", "not mounted, out of date"]
    ((care,),) = remedies_of([unit], there)
    assert care.text.startswith(
        "S-0002 (sdb) was not there when the filesystem was used: mount it, and scrub it at once"
    )
    scrub = "btrfs scrub start -B /mnt"
    assert runs(care, there)[1:] == (
        f"mount -t btrfs {FIRST} /mnt", scrub, "btrfs device stats -z /mnt", scrub
    )  # fmt: skip
    assert care.procedure is not None
    (hazard,) = make_care(care.procedure, there, seed=UUID).hazards
    assert (hazard.id, hazard.severity) == ("without-checksums", Severity.HIGH)
    (warning,) = care.warnings
    assert warning.startswith("HIGH without-checksums: No scrub corrects files without checksums")
    assert warning.endswith("do not mount it: disconnect that disk, and replace it as a missing one.")


def test_where_no_place_is_free_only_the_sentence_stands() -> None:
    mounted = (Mount(source="/dev/sdz1", target="/mnt", type="ext4", device_number="8:99"),)
    there = btrfs_machine(filesystem(device(1), device(2, behind=True), mounted=False), mounts=mounted)
    ((_, commands),) = said(there)
    assert commands == ()


def test_one_that_is_whole_and_not_mounted_needs_nothing() -> None:
    assert said(btrfs_machine(filesystem(mounted=False))) == []


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        (
            {"corruption": 10240, "generation": 5},
            "errors were counted on S-0002 (sdb): scrub the filesystem.",
        ),
        (
            {"write": 3, "corruption": 1},
            "find out why it fails (cable, power, smartctl), then scrub the filesystem.",
        ),
    ],
)
def test_counted_errors_are_scrubbed_and_a_failing_device_is_looked_at_first(
    errors: dict[str, int], words: str
) -> None:
    ((text, commands),) = said(btrfs_machine(filesystem(device(1), device(2, errors=errors))))
    assert words in text
    scrub = "btrfs scrub start -B /srv/tank"
    assert commands == (scrub, "btrfs device stats -z /srv/tank", scrub)


def partly_full(parts: int) -> tuple[reading.Device, ...]:
    """Two devices, and a missing third: so many tenths of each are in chunks."""
    held = SIZE // 10 * parts
    return (
        device(1, allocated_bytes=held),
        device(2, allocated_bytes=held),
        msgspec.structs.replace(missing(3), allocated_bytes=held),
    )


def test_what_is_missing_is_removed_where_the_others_are_enough() -> None:
    """A profile that is not redundant, whose chunks are all here: nothing is there to replace from."""
    its = (
        Chunk(kind="data", profile="single", devids=(1,)),
        Chunk(kind="metadata", profile="raid1", devids=(1, 2)),
    )
    found = filesystem(*partly_full(3), data=("single",), chunks=its)
    (no_disk, (text, commands)) = said(btrfs_machine(found, member(1), member(2)))
    assert no_disk[1] == ()
    assert text == "or remove what is missing, and spread its data over the other disks"
    assert commands == (
        "mount -o remount,rw /srv/tank",
        "btrfs device remove missing /srv/tank",
        "btrfs scrub start -B /srv/tank",
    )
    assert is_choice(RemoveMissing(unit=UUID))  # the disk may only be disconnected
    found = filesystem(*partly_full(3), chunks=ON_TWO, data=("raid1", "single"))
    (_, (_, commands)) = said(btrfs_machine(found, member(1), member(2)))
    assert commands[2] == "btrfs balance start -dconvert=raid1,soft -mconvert=raid1,soft /srv/tank"


@pytest.mark.parametrize(("parts", "size"), [(10, SIZE), (3, 0)], ids=["full", "not known"])
def test_what_is_missing_is_not_removed_where_the_others_have_no_room_for_it(parts: int, size: int) -> None:
    """The kernel would end that with the filesystem read-only (Linux 6.1)."""
    one, other, third = partly_full(parts)
    found = filesystem(one, other, msgspec.structs.replace(third, size_bytes=size), chunks=ON_TWO)
    there = btrfs_machine(found, member(1), member(2))
    assert not any("remove" in text for text, _ in said(there))
    with pytest.raises(Refused, match="no room for what was on the missing one"):
        make_care(RemoveMissing(unit=UUID), there, seed=UUID)


@pytest.mark.parametrize(
    ("found", "procedure", "why"),
    [
        (filesystem(), Start(unit=UUID), "is mounted already"),
        (filesystem(device(1), missing(2), mounted=False, chunks=ON_TWO), Start(unit=UUID), "choose to mount it degraded"),
        (
            filesystem(device(1), missing(2), mounted=False, chunks=(Chunk(kind="data", profile="single", devids=(2,)),)),
            Start(unit=UUID, degraded=True),
            "only on the missing disks",
        ),
        (filesystem(mounted=False), ReAdd(unit=UUID, disk="S-0002"), "S-0002 is not out of date"),
        (filesystem(mounted=False), Scrub(unit=UUID), "is not mounted"),
        (filesystem(running=kernel.Running(what="balance", fraction=0.5)), Scrub(unit=UUID), "is busy: balance"),
        (filesystem(), RemoveMissing(unit=UUID), "lacks no device"),
        (TORN, RemoveMissing(unit=UUID), "too few devices left for raid1"),
        (TORN, Balance(unit=UUID), "replace it first"),
        (filesystem(device(1), device(2, alike=("/dev/sdc1",))), Scrub(unit=UUID), "same superblock"),
        (filesystem(), RemoveSpare(unit=UUID, disk="S-0002"), "btrfs has no procedure remove-spare"),
    ],
)  # fmt: skip
def test_what_is_not_possible_or_could_lose_data_is_refused(
    found: Filesystem, procedure: Procedure, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        make_care(procedure, btrfs_machine(found, member(1), member(2)), seed=UUID)


def test_a_paused_balance_is_resumed_and_one_that_runs_is_left_alone() -> None:
    paused = Running(what="balance", fraction=0.5, paused=True)
    there = btrfs_machine(filesystem(running=paused), member(1), member(2))
    ((text, commands),) = said(there)
    assert "its balance is paused" in text
    assert commands == ("raidtui care tank --do balance",) or "balance" in " ".join(commands)
    made = make_care(Balance(unit=UUID), there, seed="5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10")
    assert [step.id for step in made.steps] == ["resume", "scrub", "prove"]
    for doing in (None, Running(what="balance", fraction=0.5)):
        assert said(btrfs_machine(filesystem(running=doing), member(1), member(2))) == []
    with pytest.raises(Refused, match="is busy: balance"):
        make_care(Scrub(unit=UUID), there, seed="5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10")


@pytest.mark.parametrize(
    ("scrub", "kinds"),
    [
        (None, [Kind.OUT_OF_DATE]),
        (BtrfsScrub(whole=True, started=1_700_000_000), [Kind.OUT_OF_DATE]),  # before it came back
        (BtrfsScrub(whole=False, started=1_900_000_000), [Kind.OUT_OF_DATE]),  # it was stopped
        (BtrfsScrub(whole=True, started=1_900_000_000), []),
    ],
)
def test_a_disk_that_was_away_is_scrubbed_once_it_is_mounted_with_the_others(
    scrub: BtrfsScrub | None, kinds: list[Kind]
) -> None:
    there = btrfs_machine(filesystem(scrub=scrub), member(1), member(2))
    (unit,) = units_of(there)
    away = LostMember(path="/dev/sdb1", disk="S-0002", noticed="2026-11-28T11:00:00+00:00")
    found = diagnose((msgspec.structs.replace(unit, back=(away,)),), there)
    mine = [one for one in found if one.kind is Kind.OUT_OF_DATE]
    assert [one.kind for one in mine] == kinds
    for one in mine:
        assert one.first is not None
        assert one.first.procedure == Scrub(unit=unit.uuid)
        assert one.first.text.startswith(
            "S-0002 was away while the filesystem was used, and is back: scrub it"
        )
    assert not [one for one in diagnose((unit,), there) if one.kind is Kind.OUT_OF_DATE]
