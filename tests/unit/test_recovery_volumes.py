"""How volumes and filesystems without an array are looked for: metadata of LVM, superblocks of Btrfs."""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.btrfs import recover as btrfs
from raidtui.backends.btrfs.superblock import Root, crc32c, has_log, parse, placed, roots_in, with_root
from raidtui.backends.lvm import recover, versions
from raidtui.backends.lvm.lost import Image, image_in, shapes_of, visible
from raidtui.backends.lvm.metadata import group_in, texts_in
from raidtui.backends.lvm.metadata import parse as parse_text
from raidtui.backends.recovering import Wanted
from raidtui.commands.recover import _lost
from raidtui.jobs.commands import Commands, Done
from raidtui.jobs.recovering.contents import Looker
from raidtui.machine.contents.btrfs_superblock import COPIES, PLACE
from raidtui.machine.contents.btrfs_superblock import SIZE as BLOCK
from raidtui.model.errors import BadInput, Refused
from raidtui.model.recovery import Part, Place, Shape, Slot, Source, Tried, Way
from raidtui.model.units import KIB, MIB
from tests.unit.plan_machines import machine

UUIDS = ("aaaaaa-aaaa-aaaa-aaaa-aaaa-aaaa-aaaaaa", "bbbbbb-bbbb-bbbb-bbbb-bbbb-bbbb-bbbbbb")
SIZE = 16 * MIB


def volume(name: str, segment: str, *, status: str = '["READ", "WRITE", "VISIBLE"]') -> str:
    return f'{name} {{\nid = "{name}"\nstatus = {status}\nsegment_count = 1\nsegment1 {{\nstart_extent = 0\n{segment}\n}}\n}}\n'


def linear(device: str, at: int, extents: int = 2) -> str:
    return f'extent_count = {extents}\ntype = "striped"\nstripe_count = 1\nstripes = ["{device}", {at}]'


RAID1 = (
    volume(
        "data",
        'extent_count = 2\ntype = "raid1"\ndevice_count = 2\n'
        'raids = ["data_rmeta_0", "data_rimage_0", "data_rmeta_1", "data_rimage_1"]',
    )
    + "".join(volume(f"data_rmeta_{one}", linear(f"pv{one}", 0, 1), status='["READ"]') for one in (0, 1))
    + "".join(volume(f"data_rimage_{one}", linear(f"pv{one}", 1), status='["READ"]') for one in (0, 1))
)
JOINED = volume(
    "data",
    'extent_count = 3\ntype = "striped"\nstripe_count = 1\nstripes = ["pv0", 0]\n}\nsegment2 {\nstart_extent = 3\n'
    'extent_count = 1\ntype = "striped"\nstripe_count = 1\nstripes = ["pv1", 2]',
)


def text(volumes: str, *, seqno: int = 3, name: str = "tank") -> str:
    devices = "".join(
        f'pv{number} {{\nid = "{uuid}"\ndev_size = {SIZE // 512}\npe_start = 2048\npe_count = 3\n}}\n'
        for number, uuid in enumerate(UUIDS)
    )
    return (
        f'{name} {{\nid = "GRPGRP-GRPG-GRPG-GRPG-GRPG-GRPG-{name:0>6}"\nseqno = {seqno}\nextent_size = 2048\n'
        f"physical_volumes {{\n{devices}}}\nlogical_volumes {{\n{volumes}}}\n}}\ncreation_time = {1_795_758_000 + seqno}\n"
    )


def member(
    folder: Path, name: str, *, uuid: str = "", texts: tuple[str, ...] = (), image: int = -1
) -> Source:
    """A file with a label, texts of metadata in its ring, and the metadata of a RAID image in its first extent."""
    raw = bytearray(SIZE)
    if uuid:
        raw[512:520] = b"LABELONE"
        raw[544:576] = uuid.replace("-", "").encode()
    for number, one in enumerate(texts):
        at = 8192 + number * 4096
        raw[at : at + len(one)] = one.encode()
    if image >= 0:
        raw[MIB : MIB + 24] = (
            b"DmRd"
            + b"".join(one.to_bytes(4, "little") for one in (0, 2, image))
            + (20 + image).to_bytes(8, "little")
        )
        raw[MIB + 32 : MIB + 40] = b"\xff" * 8
    (folder / name).write_bytes(raw)
    return Source(name=name, path=str(folder / name), size_bytes=SIZE, image=True)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_KEPT", ())


def test_a_volume_over_several_ranges_is_read_in_their_order_and_what_is_missing_is_left_out() -> None:
    _, group = group_in(parse_text(text(JOINED)))
    starts = {"pv0": Place(source="A", offset_bytes=MIB)}
    ((shape, events),) = shapes_of(group, "data", starts, lambda _: None)
    assert (visible(group), shape.level, shape.component_bytes, events) == (["data"], "linear", 4 * MIB, ())
    assert [(one.length_bytes, one.on[0]) for one in shape.slots[0].parts] == [
        (3 * MIB, Place(source="A", offset_bytes=MIB)),
        (MIB, Place(source="")),
    ]
    assert list(shapes_of(group, "data", {}, lambda _: None)) == []


def test_each_copy_of_a_mirror_of_the_older_type_is_read_by_itself_if_it_is_here() -> None:
    older = (
        RAID1.replace('"raid1"', '"mirror"')
        .replace("device_count", "mirror_count")
        .replace(
            'raids = ["data_rmeta_0", "data_rimage_0", "data_rmeta_1", "data_rimage_1"]',
            'mirrors = ["data_rimage_0", 0, "data_rimage_1", 0]',
        )
    )
    _, group = group_in(parse_text(text(older)))
    starts = {f"pv{number}": Place(source=name, offset_bytes=MIB) for number, name in enumerate("AB")}
    assert [shape.slots[0].source for shape, _ in shapes_of(group, "data", starts, lambda _: None)] == [
        "A",
        "B",
    ]
    del starts["pv0"]
    ((shape, _),) = shapes_of(group, "data", starts, lambda _: None)
    assert (shape.level, [one.source for one in shape.slots]) == ("linear", ["B"])


def test_a_mirror_is_read_from_the_image_that_was_written_last() -> None:
    _, group = group_in(parse_text(text(RAID1)))
    starts = {f"pv{number}": Place(source=name, offset_bytes=MIB) for number, name in enumerate("AB")}
    events = {"A": Image(2, 0, 9), "B": Image(2, 1, 12)}
    found = list(shapes_of(group, "data", starts, lambda place: events[place.source]))
    assert [[slot.source for slot in shape.slots] for shape, _ in found] == [["", "B"], ["A", ""]]
    assert [count for _, count in found] == [(12,), (9,)]
    assert visible(group) == ["data"]


@pytest.mark.parametrize(
    ("segment", "why"),
    [
        ('extent_count = 2\ntype = "thin-pool"\nmetadata = "x"', "thin-pool"),
        ('extent_count = 3\ntype = "raid1"\nraids = ["data_rmeta_0", "data_rimage_0"]', "being changed"),
        ('extent_count = 2\ntype = "striped"\nstripe_count = 1\nstripes = ["pv0"]', "cannot be read"),
    ],
)
def test_what_is_not_understood_is_said(segment: str, why: str) -> None:
    inside = RAID1.partition("data_rmeta_0 {")[2]
    _, group = group_in(parse_text(text(volume("data", segment) + "data_rmeta_0 {" + inside)))
    starts = {"pv0": Place(source="A", offset_bytes=MIB)}
    with pytest.raises(BadInput, match=why):
        list(shapes_of(group, "data", starts, lambda _: None))


def test_metadata_of_an_image() -> None:
    raw = (
        b"DmRd" + bytes(4) + (3).to_bytes(4, "little") + (2).to_bytes(4, "little") + (7).to_bytes(8, "little")
    )
    assert image_in(raw + bytes(8) + b"\xff" * 8) == Image(3, 2, 7)
    assert image_in(raw + bytes(16)) == Image(3, 2, 0)  # it is being rebuilt
    assert image_in(bytes(512)) is None
    assert image_in(b"") is None


def test_a_disk_without_a_label_takes_the_place_of_the_one_that_is_missing(tmp_path: Path) -> None:
    here = member(tmp_path, "A", uuid=UUIDS[0], texts=(text(JOINED), text(JOINED, seqno=2)))
    blank = member(tmp_path, "B")
    (found,) = recover.RECOVERER.by_superblocks([here, blank], Wanted())
    assert (found.way, found.sources, found.of) == (Way.METADATA, ("A", "B"), "data")
    assert "metadata 3" in found.words
    assert recover.RECOVERER.members([here, blank]) == {"A": "physical volume aaaaaa, metadata 3"}
    (partly,) = recover.RECOVERER.by_superblocks([here], Wanted())
    assert "a part of it is missing" in partly.words


def test_images_of_raid_say_which_disk_is_which_and_without_them_every_order_is_tried(tmp_path: Path) -> None:
    texts = (text(RAID1),)
    two = [member(tmp_path, "X", texts=texts, image=1), member(tmp_path, "Y", texts=texts, image=0)]
    wanted = Wanted(unit="tank")
    first = recover.RECOVERER.by_superblocks(two, wanted)
    assert [[slot.source for slot in one.shape.slots] for one in first] == [["", "X"], ["Y", ""]]
    assert recover.RECOVERER.by_order(two, wanted, 240) == ()  # the other order is ruled out
    plain = [member(tmp_path, name, texts=(text(JOINED),)) for name in "XY"]
    assert recover.RECOVERER.by_superblocks(plain, wanted) == ()
    orders = recover.RECOVERER.by_order(plain, wanted, 240)
    assert [(one.way, one.sources) for one in orders] == [(Way.ORDER, ("X", "Y")), (Way.ORDER, ("Y", "X"))]


def test_disks_of_several_groups_are_refused_and_a_disk_too_small_is_not_taken(tmp_path: Path) -> None:
    texts = (text(JOINED), text(JOINED, name="other"))
    both = [member(tmp_path, "A", uuid=UUIDS[0], texts=texts), member(tmp_path, "B")]
    with pytest.raises(Refused, match="other and tank"):
        recover.RECOVERER.by_superblocks(both, Wanted())
    here = member(tmp_path, "A", uuid=UUIDS[0], texts=(text(JOINED),))
    small = Source(name="S", path=str(tmp_path / "B"), size_bytes=SIZE // 2, image=True)
    (found,) = recover.RECOVERER.by_superblocks([here, small], Wanted())
    assert found.sources == ("A",)


def test_without_a_label_every_group_that_has_disks_of_these_sizes_is_tried(tmp_path: Path) -> None:
    texts = (text(JOINED), text(JOINED, name="other", seqno=9))
    two = [member(tmp_path, "A", texts=texts), member(tmp_path, "B")]
    orders = recover.RECOVERER.by_order(two, Wanted(), 240)
    assert [one.sources for one in orders] == [("A", "B"), ("B", "A")]  # the same in both
    assert "metadata 9" in orders[0].words
    assert recover.RECOVERER.by_superblocks(two[:1], Wanted()) == ()


def test_any_bytes_are_no_metadata(tmp_path: Path) -> None:
    noise = random.Random(1)
    for number in range(20):
        raw = bytearray(noise.randbytes(MIB))
        at = 512 * noise.randrange(2000)
        begin = text(JOINED).encode()
        raw[at : at + len(begin)] = begin[: noise.randrange(len(begin))] + noise.randbytes(len(begin))
        (tmp_path / "N").write_bytes(raw)
        list(texts_in(bytes(raw)))
        source = Source(name="N", path=str(tmp_path / "N"), size_bytes=len(raw), image=True)
        assert recover.RECOVERER.by_superblocks([source], Wanted()) == (), number


def superblock(place: int, generation: int, root: int) -> bytes:
    """A superblock with a log, of CRC-32C."""
    raw = bytearray(BLOCK)
    raw[0x40:0x48] = b"_BHRfS_M"
    for at, value in ((0x30, place), (0x48, generation), (0x50, root), (0x60, 12_288), (0x88, 2), (0xC9, 1)):
        raw[at : at + 8] = value.to_bytes(8, "little")
    for number, (older, where) in enumerate(((generation, root), (generation - 1, 16_384))):
        at = 0xB2B + 168 * number
        raw[at : at + 16] = where.to_bytes(8, "little") + older.to_bytes(8, "little")
        raw[at + 152] = 1
    return crc32c(bytes(raw[32:])).to_bytes(4, "little").ljust(32, b"\0") + bytes(raw[32:])


def test_a_copy_of_a_superblock_becomes_the_first_one_and_an_older_root_its_own() -> None:
    block = superblock(place=64 * MIB, generation=10, root=4096)
    assert (parse(block), has_log(block)) == (None, True)
    assert set(roots_in(block)) == {Root(10, 4096, 0), Root(10, 4096, 1), Root(9, 16_384, 1)}
    first = placed(block, PLACE)
    told = parse(first)
    assert told is not None
    assert told.generation == 10
    assert next(roots_in(first)) == Root(10, 4096, 0)
    older = with_root(first, Root(8, 8192, 1))
    again = parse(older)
    assert again is not None
    assert (again.generation, next(roots_in(older)), has_log(older)) == (8, Root(8, 8192, 1), False)


def btrfs_member(folder: Path, name: str, *blocks: tuple[int, bytes]) -> Source:
    with (folder / name).open("wb") as file:
        file.truncate(128 * MIB)
        for place, block in blocks:
            file.seek(place)
            file.write(block)
    return Source(name=name, path=str(folder / name), size_bytes=128 * MIB, image=True)


def test_a_filesystem_is_mounted_from_its_newest_superblocks_and_then_from_older_roots(
    tmp_path: Path,
) -> None:
    copy = COPIES[0]
    there = btrfs_member(tmp_path, "A", (copy, superblock(copy, generation=10, root=4096)))
    (found,) = btrfs.RECOVERER.by_superblocks([there], Wanted())
    assert (found.filesystem, found.options, found.events) == ("btrfs", "ro,degraded", (10,))
    (patch,) = found.patches
    assert (patch.source, patch.offset_bytes, parse(patch.content) is not None) == ("A", PLACE, True)
    assert "without devid 2" in found.words
    assert "superblock of A from its copy" in found.words
    ways = btrfs.RECOVERER.by_order([there], Wanted(), 240)
    assert [one.options for one in ways] == [
        "ro,rescue=nologreplay,degraded",
        "ro,rescue=nologreplay:ignorebadroots,degraded",
        "ro,rescue=nologreplay:usebackuproot,degraded",
        "ro,rescue=nologreplay,degraded",
        "ro,rescue=all,degraded",
        "ro,rescue=all,degraded",
        "",
        "",
    ]
    assert [(one.unmounted, one.check) for one in ways[-2:]] == [(True, ()), (True, ("-t", "16384"))]
    assert [one.confirmed for one in ways] == sorted((one.confirmed for one in ways), reverse=True)
    assert [one.events for one in ways] == [(10,), (10,), (9,), (9,), (9,), (9,), (10,), (9,)]
    # Without the log in its superblock, so that the check does not look at the log either.
    (patch,) = ways[0].patches
    assert (has_log(patch.content), next(roots_in(patch.content))) == (False, Root(10, 4096, 0))
    assert len({one.attempted for one in ways}) == len(ways)


def test_a_device_that_missed_the_last_writes_is_also_left_out(tmp_path: Path) -> None:
    new = btrfs_member(tmp_path, "A", (PLACE, superblock(PLACE, generation=10, root=4096)))
    raw = bytearray(superblock(PLACE, generation=7, root=4096))
    raw[0xC9] = 2
    raw[:4] = crc32c(bytes(raw[32:])).to_bytes(4, "little")
    old = btrfs_member(tmp_path, "B", (PLACE, bytes(raw)))
    both, alone = btrfs.RECOVERER.by_superblocks([old, new], Wanted())
    assert (both.sources, both.options) == (("A", "B"), "ro")
    assert (alone.sources, alone.options, alone.patches) == (("A",), "ro,degraded", ())
    assert btrfs.RECOVERER.by_superblocks([], Wanted()) == ()


LISTED = """This is a dry-run, no files are going to be restored
Restoring /run/x/f1
Restoring /run/x/d
Restoring /run/x/d/in
Done searching /d
Restoring /run/x/f4
Done searching
"""  # btrfs-progs 6.2


@pytest.mark.parametrize(("said", "files"), [(LISTED, 3), ("", 0)])
def test_files_that_can_be_copied_out_are_counted_without_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, files: int
) -> None:
    there = btrfs_member(tmp_path, "A", (PLACE, superblock(PLACE, generation=10, root=4096)))
    older = btrfs.RECOVERER.by_order([there], Wanted(), 240)[-1]
    asked: list[tuple[str, ...]] = []

    def run(self: Commands, argv: Sequence[str], **_: object) -> Done:
        asked.append(tuple(argv))
        return Done(argv=tuple(argv), returncode=0 if said else 1, stdout=said, stderr="no root", seconds=0)

    monkeypatch.setattr(Commands, "run", run)
    looker = Looker(Commands(tmp_path / "state"), "/dev/mapper/o", "/run/x", lambda: False, older)
    seen = looker.files(Tried(candidate=older))
    assert (seen.files, seen.found, seen.mounted) == (files, bool(files), False)
    assert bool(seen.problem) == (not files)
    looker.copy_out("btrfs", "/srv/out")
    listed, copied = asked
    assert ("--dry-run" in listed, "--dry-run" in copied) == (True, False)
    assert (listed[-4:], copied[-4:]) == (
        ("-t", "16384", "/dev/mapper/o", "/run/x"),
        ("-t", "16384", "/dev/mapper/o", "/srv/out"),
    )


def test_what_lies_beyond_the_end_of_a_disk_that_shrank_is_missing_and_the_rest_is_tried() -> None:
    place = Place(source="A", offset_bytes=101 * MIB)
    long = Part(length_bytes=96 * MIB, on=(place,))
    shape = Shape(
        level="linear",
        layout=0,
        chunk_bytes=0,
        component_bytes=96 * MIB,
        slots=(Slot(source="A", parts=(long,)),),
    )
    sources = {"A": Source(name="A", path="/dev/ubda", size_bytes=160 * MIB)}
    (slot,) = recover._as_far_as_here(shape, sources).slots
    assert [(one.length_bytes, one.on[0].source) for one in slot.parts] == [(59 * MIB, "A"), (37 * MIB, "")]
    image = replace(shape, level="raid1", slots=(*shape.slots, *shape.slots))
    assert recover._as_far_as_here(image, sources).slots == (Slot(), Slot())
    stripes = replace(long, on=(place, Place(source="A")), chunk_bytes=64 * KIB)
    striped = replace(shape, slots=(Slot(source="A", parts=(replace(stripes, length_bytes=160 * MIB),)),))
    (cut,) = recover._as_far_as_here(striped, sources).slots
    assert [one.source for one in cut.parts[0].on] == ["", "A"]
    assert recover._as_far_as_here(shape, {"A": replace(sources["A"], size_bytes=200 * MIB)}) == shape


def test_a_name_that_nothing_here_has_may_be_that_of_a_group_which_lvm_does_not_find() -> None:
    wanted = argparse.Namespace(unit="films", disks=None, image=None)
    with pytest.raises(BadInput, match="If LVM does not find its volume group, name the disks with --disks"):
        _lost(wanted, machine())
