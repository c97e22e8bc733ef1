"""Arrays from sysfs and mdstat: units, states, progress, and the first build told apart from a rebuild."""

import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.md.states import member_state, state
from raidtui.backends.md.units import as_units, unit_of
from raidtui.backends.unit_words import activity_words
from raidtui.machine.md.arrays import ArrayReader, is_rotational, lookup_in
from raidtui.machine.md.first_build import is_first_build
from raidtui.machine.md.mdstat import parse_mdstat
from raidtui.machine.md.superblock import read_superblock
from raidtui.model.machine import Array, Member, Sync
from raidtui.model.superblock import Superblock
from raidtui.model.units import KIB, MIB
from tests.unit.machine_trees import GIB, MadeTree, put_superblock, superblock_bytes

BUILDING = """Personalities : [raid6] [raid5] [raid4]
md127 : active raid5 sdc[4] sdd[3](S) sdb[1] sda[0]
      1044480 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]
      [>....................]  recovery =  2.6% (14000/522240) finish=0.6min speed=14000K/sec
      bitmap: 1/1 pages [4KB], 65536KB chunk

md0 : active raid1 sde1[0] sdf1[1](F)
      4096 blocks super 1.2 [2/1] [U_]
      \tresync=DELAYED

unused devices: <none>
"""
MDADMS = "9cdc3e8e-8dae-6839-ddf9-533950ab75f9"  # of an array with metadata 0.90


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    return MadeTree(tmp_path)


def read(made: MadeTree) -> Array:
    """The one array of the tree."""
    (array,) = ArrayReader(made.tree, lookup_in(made.properties)).read()
    return array


def doing(array: Array) -> str:
    """What it does, in words."""
    activity = unit_of(array).activity
    assert activity is not None
    return activity_words(activity)


def three(made: MadeTree, **files: str) -> None:
    """Three disks and an array of them, md127."""
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync"), ("sdc", "2", "in_sync")], **files)


def test_units_of_sysfs_become_bytes(made: MadeTree) -> None:
    three(made)
    array = read(made)
    assert array.component_bytes == 2096128 * KIB
    assert array.chunk_bytes == 512 * KIB
    assert array.size_bytes == 8 * GIB
    assert array.bitmap_chunk_bytes == 64 * MIB
    assert (array.sync_speed_min, array.sync_speed_max) == (1000 * KIB, 200_000 * KIB)
    assert array.members[0] == Member(
        path="/dev/sda",
        disk="S-sda",
        slot=0,
        state=("in_sync",),
        offset_bytes=2 * MIB,
        size_bytes=2096128 * KIB,
    )


@pytest.mark.parametrize(
    ("last", "begin", "checked"),
    [
        ("check", "0", True),
        ("repair", "0", False),  # what it found, it has changed
        ("check", "4096000", False),  # it was stopped there
        ("resync", "0", False),
        ("none", "0", False),
    ],
)
def test_a_check_that_ran_to_its_end_is_remembered_by_the_kernel(
    made: MadeTree, last: str, begin: str, checked: bool
) -> None:
    three(made, last_sync_action=last, sync_min=begin)
    assert read(made).checked is checked


@pytest.mark.parametrize(
    ("log", "checked"),
    [
        ("md: data-check of RAID array md127|md: md127: data-check interrupted.", False),  # below 1/16
        ("md: md127: check interrupted.", False),  # Linux 6.11
        (
            "md: md127: data-check interrupted.|md: data-check of RAID array md127|md: md127: data-check done.",
            True,
        ),
        ("md: md12: data-check interrupted.", True),
        ("usb 1-1: md: md127: data-check interrupted.", True),
        ("", True),
    ],
)
def test_a_check_that_was_stopped_at_its_beginning_is_none(made: MadeTree, log: str, checked: bool) -> None:
    three(made, last_sync_action="check", sync_min="0")
    lines = (f"6,{number},1234,-;{text}" for number, text in enumerate(log.split("|")))
    made.write("/dev/kmsg", "\n SUBSYSTEM=block\n".join(lines))
    assert read(made).checked is checked


def test_members_come_by_slot_then_spares_then_the_faulty(made: MadeTree) -> None:
    for name in ("sda", "sdb", "sdc", "sdd"):
        made.disk(name)
    members = [
        ("sda", "1", "faulty"),
        ("sdb", "none", "spare"),
        ("sdc", "1", "in_sync"),
        ("sdd", "0", "in_sync,write_error"),
    ]
    made.array("md127", members, level="raid1")
    array = read(made)
    assert [(m.path, m.slot) for m in array.members] == [
        ("/dev/sdd", 0),
        ("/dev/sdc", 1),
        ("/dev/sdb", None),
        ("/dev/sda", None),
    ]
    assert [member_state(m, array) for m in array.members] == [
        "in sync, write error",
        "in sync",
        "spare",
        "faulty",
    ]


@pytest.mark.parametrize(
    ("level", "number", "word"),
    [
        ("raid5", "2", "left-symmetric"),
        ("raid6", "18", "left-symmetric-6"),
        ("raid10", "258", "n2"),
        ("raid10", "513", "f2"),
        ("raid10", str(0x10000 | 0x300 | 1), "o3"),
        ("raid1", "0", ""),
        ("raid0", "2", ""),
        ("linear", "0", ""),
    ],
)
def test_layouts_have_mdadms_words(made: MadeTree, level: str, number: str, word: str) -> None:
    three(made, level=level, layout=number)
    assert read(made).layout == word


def test_an_array_without_a_bitmap_has_no_bitmap_chunk(made: MadeTree) -> None:
    three(made, bitmap__location="none", bitmap__chunksize="0", consistency_policy="resync")
    assert read(made).bitmap_chunk_bytes is None


def test_a_broken_raid0_is_broken_whatever_mdstat_says(made: MadeTree) -> None:
    three(made, level="raid0", array_state="broken", chunk_size="524288")
    (made.root / "sys/block/md127/md/degraded").unlink()
    made.write("/proc/mdstat", "md127 : active raid0 sdc[2] sda[0]\n")
    array = read(made)
    assert array.state == "broken"
    assert array.degraded is None
    assert state(array) == "FAILED: a member is missing, and RAID0 has no redundancy"


@pytest.mark.parametrize("degraded", ["", "rubbish"])
@pytest.mark.parametrize(("last", "lacking"), [("in_sync", 0), ("spare", 1), ("faulty", 1)])
def test_where_mds_count_of_missing_members_cannot_be_read_they_are_counted(
    made: MadeTree, degraded: str, last: str, lacking: int
) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    slot = "none" if last == "faulty" else "2"
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync"), ("sdc", slot, last)])
    (made.root / "sys/block/md127/md/degraded").write_text(degraded)
    array = read(made)
    assert array.degraded == lacking
    assert state(array).startswith("degraded" if lacking else "in sync")


def test_while_reshaping_the_present_number_counts(made: MadeTree) -> None:
    three(made, raid_disks="4 (3)", sync_action="reshape")
    assert read(made).raid_disks == 4


@pytest.mark.parametrize(
    "line", ["reshape = 37.2% (26316/69632) finish=0.0min speed=26316K/sec", "resync=DELAYED"]
)
@pytest.mark.parametrize(
    ("position", "action"), [("138240", "reshape"), ("0", "reshape"), ("none", "resync")]
)
def test_a_reshape_after_a_power_cut_is_one_though_newer_kernels_call_it_a_resync(
    made: MadeTree, line: str, position: str, action: str
) -> None:
    three(made, raid_disks="4 (3)", sync_action="resync", reshape_position=position)
    made.write(
        "/proc/mdstat", f"md127 : active raid5 sda[0] sdb[1]\n      4 blocks [2/2] [UU]\n      {line}\n"
    )
    sync = read(made).sync
    assert sync is not None
    assert sync.action == action


@pytest.mark.parametrize(("position", "waiting"), [("138240", "pending"), ("none", None)])
def test_a_reshape_that_waits_for_the_first_write_is_seen_where_mdstat_shows_nothing(
    made: MadeTree, position: str, waiting: str | None
) -> None:
    three(
        made,
        raid_disks="4 (3)",
        sync_action="idle",
        array_state="read-auto",
        reshape_position=position,
        sync_completed="none",
    )
    made.write(
        "/proc/mdstat", "md127 : active (auto-read-only) raid5 sda[0] sdb[1]\n      4 blocks [2/2] [UU]\n"
    )
    sync = read(made).sync
    assert (sync and (sync.action, sync.waiting)) == (waiting and ("reshape", waiting))


@pytest.mark.parametrize(("degraded", "waiting"), [("1", "pending"), ("0", None)])
def test_a_rebuild_that_waits_for_the_first_write_is_seen_where_mdstat_shows_nothing(
    made: MadeTree, degraded: str, waiting: str | None
) -> None:
    three(made, sync_action="idle", array_state="read-auto", degraded=degraded, sync_completed="none")
    made.write("/sys/block/md127/md/dev-sdb/state", "spare")
    sync = read(made).sync
    assert (sync and (sync.action, sync.waiting)) == (waiting and ("recover", waiting))


def test_an_array_that_is_being_taken_down_is_gone(made: MadeTree) -> None:
    three(made, array_state="clear")
    assert ArrayReader(made.tree, lookup_in({})).read() == ()


def test_a_member_that_vanishes_while_it_is_read_is_left_out(made: MadeTree) -> None:
    three(made)
    (made.root / "sys/block/md127/md/dev-sdb/size").unlink()
    assert [m.path for m in read(made).members] == ["/dev/sda", "/dev/sdc"]


def test_the_name_is_the_superblocks_without_the_host(made: MadeTree) -> None:
    three(made)
    number = (made.root / "sys/block/md127/dev").read_text().strip()
    made.properties[number] = {"MD_NAME": "nas:tank", "MD_DEVNAME": "nas:tank"}
    made.link("/dev/md/nas:tank", "../md127")
    array = read(made)
    assert (array.name, array.path, array.full_name) == ("tank", "/dev/md/nas:tank", "nas:tank")


def test_without_udev_the_name_is_in_mdadms_map(made: MadeTree) -> None:
    three(made)
    made.write("/run/mdadm/map", "md127 1.2 4c9422d4:de0ba077:82f92e5f:4b7576c9 /dev/md/tank\n")
    assert read(made).name == "tank"


def test_arrays_come_by_name_not_by_node(made: MadeTree) -> None:
    nodes = {"md127": "tank-2", "md126": "tank-10", "md125": "tank", "md124": "archive"}
    lines = []
    for count, (node, name) in enumerate(nodes.items()):
        made.disk(f"sd{count}")
        uuid = f"{count}2345678-9abc-def0-1234-56789abcdef0"
        made.array(node, [(f"sd{count}", "0", "in_sync")], uuid=uuid)
        lines.append(f"{node} 1.2 {uuid} /dev/md/{name}\n")
    made.write("/run/mdadm/map", "".join(lines))
    found = ArrayReader(made.tree, lookup_in(made.properties)).read()
    assert [array.name for array in found] == ["archive", "tank", "tank-2", "tank-10"]


def test_an_inactive_array_tells_its_name_and_uuid_from_a_superblock(made: MadeTree) -> None:
    made.disk("sda")
    made.array(
        "md127",
        [("sda", "none", "spare")],
        array_state="inactive",
        level="",
        raid_disks="",
        uuid="00000000-0000-0000-0000-000000000000",
        consistency_policy="unknown",
    )
    put_superblock(made, "/dev/sda")
    array = read(made)
    assert (array.name, array.uuid) == ("tank", "d422944c-77a0-0bde-5f2e-f982c976754b")
    assert (array.level, array.raid_disks, array.size_bytes) == ("raid5", 3, 0)
    assert array.consistency == ""


def test_the_only_member_of_an_inactive_array_is_not_a_spare(made: MadeTree) -> None:
    made.disk("sda")
    made.array("md127", [("sda", "none", "spare")], array_state="inactive", level="", raid_disks="", uuid="")
    array = read(made)
    assert member_state(array.members[0], array) == "not started"
    assert state(array) == "inactive, not started"  # without root its superblock cannot be read
    put_superblock(made, "/dev/sda", slot=2)
    array = read(made)
    assert [(member.slot, member_state(member, array)) for member in array.members] == [(2, "not started")]
    assert state(array) == "inactive, not started: it has 1 of its 3 members"


def test_with_metadata_0_90_the_uuid_is_spelled_as_mdadm_and_udev_spell_it(made: MadeTree) -> None:
    in_memory = "8e3edc9c-3968-ae8d-3953-f9ddf975ab50" if sys.byteorder == "little" else MDADMS
    three(made, metadata_version="0.90", uuid=in_memory)
    assert read(made).uuid == MDADMS
    assert list(ArrayReader(made.tree).read_member_paths()) == [MDADMS]


def test_the_members_of_each_array_are_known_by_its_uuid_alone(made: MadeTree) -> None:
    for name in ("sda1", "sdb1", "sdc1"):
        made.disk(name)
    made.array("md127", [("sda1", "0", "in_sync"), ("sdb1", "1", "in_sync")])
    made.array("md126", [("sdc1", "0", "in_sync")], uuid="00000000-0000-0000-0000-000000000000")
    assert ArrayReader(made.tree).read_member_paths() == {
        "d422944c-77a0-0bde-5f2e-f982c976754b": ("/dev/sda1", "/dev/sdb1"),
        "": ("/dev/sdc1",),  # neither the kernel nor a superblock tells
    }


def test_mountpoints_include_partitions_of_the_array(made: MadeTree) -> None:
    three(made)
    number = made.partition("md127", 1)
    made.mounts(f"{number} /dev/md127p1 /srv ext4")
    assert read(made).mountpoints == ("/srv",)


def test_a_btrfs_on_an_array_is_known_by_name(made: MadeTree) -> None:
    three(made)
    made.link("/dev/md/tank", "../md127")
    made.mounts("0:44 /dev/md/tank /srv btrfs")
    assert read(made).mountpoints == ("/srv",)


def test_progress_comes_from_mdstat_and_the_exact_word_from_sysfs(made: MadeTree) -> None:
    three(made, sync_action="repair")
    made.write("/proc/mdstat", BUILDING.replace("recovery", "resync"))
    array = read(made)
    sync = array.sync
    assert sync == Sync(
        action="repair",
        done_bytes=14000 * KIB,
        total_bytes=522240 * KIB,
        bytes_per_second=14000 * KIB,
        finish_seconds=36,
    )
    assert doing(array) == "repair 2.7 %, 14.3 MB/s"


def test_without_mdstat_progress_is_what_sysfs_last_noted(made: MadeTree) -> None:
    three(made, sync_action="check", sync_completed="587080 / 1044480", sync_speed="54994")
    sync = read(made).sync
    assert sync is not None
    assert (sync.done_bytes, sync.total_bytes) == (587080 * 512, 1044480 * 512)
    assert sync.bytes_per_second == 54994 * KIB


def test_progress_alone_is_read_from_mdstat_and_the_rest_kept(made: MadeTree) -> None:
    three(made, sync_action="recover")
    made.write("/proc/mdstat", BUILDING)
    reader = ArrayReader(made.tree, lookup_in(made.properties))
    before = reader.read()
    (made.root / "sys/block/md127/md/level").write_text("raid6\n")  # would be seen by a whole reading
    made.write("/proc/mdstat", BUILDING.replace("(14000/522240)", "(28000/522240)"))
    made.write("/sys/block/md127/md/sync_speed_max", "5000 (local)\n")
    (after,) = reader.read_progress(before)
    assert after.sync is not None
    assert after.sync.done_bytes == 28000 * KIB
    assert after.sync_speed_max == 5000 * KIB  # nobody is told of a new limit
    assert after.level == "raid5"


def test_a_sync_that_has_ended_is_read_anew(made: MadeTree) -> None:
    three(made, sync_action="recover")
    made.write("/proc/mdstat", BUILDING)
    reader = ArrayReader(made.tree, lookup_in(made.properties))
    before = reader.read()
    made.write("/proc/mdstat", "md127 : active raid5 sdc[4] sdb[1] sda[0]\n      8 blocks [3/3] [UUU]\n")
    made.write("/sys/block/md127/md/sync_action", "idle\n")
    (after,) = reader.read_progress(before)
    assert (after.sync, after.sync_action) == (None, "idle")


@pytest.mark.parametrize(
    ("word", "for_what"),
    [
        ("DELAYED", "delayed by another array on these disks"),
        ("PENDING", "pending: starts with the first write"),
        ("REMOTE", "run by another node of the cluster"),
    ],
)
def test_a_sync_that_waits_says_for_what(made: MadeTree, word: str, for_what: str) -> None:
    three(made, sync_action="resync")
    made.write(
        "/proc/mdstat",
        f"md127 : active raid1 sda[0] sdb[1]\n      4 blocks [2/2] [UU]\n      \tresync={word}\n",
    )
    array = read(made)
    sync = array.sync
    assert sync is not None
    assert sync.waiting == word.lower()
    assert doing(array) == f"resync {for_what}"


def rebuilding(
    made: MadeTree, *, slot: str = "2", number: int = 3, faulty: bool = False, **superblock: int | None
) -> Array:
    """A RAID5 of three: one member not in sync, in ``slot``, with that number in mdstat."""
    names = ["sda", "sdb", "sdc"] + (["sdd"] if faulty else [])
    for name in names:
        made.disk(name)
    states = {str(n): "in_sync" for n in range(3)} | {slot: "spare"}
    members = [(name, str(n), states[str(n)]) for n, name in enumerate(names[:3])]
    made.array(
        "md127",
        members + ([("sdd", "none", "faulty")] if faulty else []),
        degraded="1",
        sync_action="recover",
    )
    numbers = {"sda": 0, "sdb": 1, "sdc": 2} | {names[int(slot)]: number}
    made.write(
        "/proc/mdstat",
        f"md127 : active raid5 {' '.join(f'{name}[{n}]' for name, n in numbers.items())}\n      8 blocks\n"
        "      [>...]  recovery =  2.6% (14000/522240) finish=0.6min speed=14000K/sec\n",
    )
    put_superblock(made, "/dev/sda", **superblock)
    put_superblock(made, "/dev/sdb", **superblock)
    return read(made)


def test_a_new_raid5_is_an_initial_build_and_not_degraded(made: MadeTree) -> None:
    array = rebuilding(made)
    assert array.initial_build
    assert state(array).startswith("not redundant yet: a disk failure now loses data (sync ")


@pytest.mark.parametrize(
    "signs",
    [
        {"slot": "1"},  # another slot than the last
        {"number": 2},  # the device that was made for the slot
        {"faulty": True},  # something failed
        {"cleared": 27},  # it was complete before
        {"cleared": None, "events": 51},  # no bitmap, too many events, and created in 1970
    ],
)
def test_a_rebuild_after_a_failure_is_no_initial_build(made: MadeTree, signs: dict[str, int]) -> None:
    array = rebuilding(made, **signs)  # type: ignore[arg-type]
    assert not array.initial_build
    assert state(array).startswith("degraded, not redundant: sd")
    assert "rebuilding 2.7 %" in state(array)


def test_without_root_nobody_can_tell_and_it_counts_as_degraded(made: MadeTree) -> None:
    rebuilding(made)
    for name in ("sda", "sdb"):
        (made.root / "dev" / name).unlink()
    assert not read(made).initial_build


def test_without_a_bitmap_few_events_or_a_young_array_show_an_initial_build() -> None:
    def superblock(events: int) -> Superblock:
        return Superblock(
            uuid="",
            name="",
            level="raid5",
            layout=2,
            raid_disks=3,
            created=1000,
            events=events,
            bitmap_cleared=None,
        )

    sync = Sync(action="recover", done_bytes=100 * MIB, total_bytes=GIB, bytes_per_second=MIB)
    assert is_first_build(superblock(17), None)
    assert is_first_build(superblock(50), sync, now=1000 + 120)
    assert not is_first_build(superblock(50), sync, now=1000 + 400)
    assert not is_first_build(superblock(50), None, now=1000)


def test_a_missing_member_is_counted(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "2", "in_sync")], raid_disks="3", degraded="1")
    assert state(read(made)) == "degraded, not redundant: 1 of 3 members missing"


@pytest.mark.parametrize(
    ("level", "features", "recovery", "resync", "reached"),
    [
        (5, 2, 600, (1 << 64) - 1, 600 * 512),
        (5, 0, 600, (1 << 64) - 1, 0),  # without the feature, recovery_offset means nothing
        (6, 0, 0, 800, 800 * 512),
        (10, 0, 0, 800, 0),  # counted on the array
        (6, 0, 0, 2000, 0),  # beyond the member
    ],
)
def test_how_far_a_sync_had_come(
    made: MadeTree, level: int, features: int, recovery: int, resync: int, reached: int
) -> None:
    raw = bytearray(superblock_bytes(features=features))
    struct.pack_into("<i", raw, 4096 + 72, level)
    struct.pack_into("<Q", raw, 4096 + 80, 1000)
    struct.pack_into("<Q", raw, 4096 + 152, recovery)
    struct.pack_into("<Q", raw, 4096 + 208, resync)
    made.write("/dev/sda", "")
    (made.root / "dev/sda").write_bytes(raw)
    found = read_superblock(made.tree, "/dev/sda", "1.2", len(raw))
    assert found is not None
    assert found.synced_bytes == reached


@pytest.mark.parametrize(("metadata", "start"), [("1.2", 4096), ("1.1", 0), ("1.0", 65536 - 8192)])
def test_a_superblock_is_where_its_version_says(made: MadeTree, metadata: str, start: int) -> None:
    raw = bytearray(65536)
    raw[start : start + 4096] = superblock_bytes()[4096:8192]
    made.write("/dev/sda", "")
    (made.root / "dev/sda").write_bytes(raw)
    found = read_superblock(made.tree, "/dev/sda", metadata, len(raw))
    assert found is not None
    assert found.name == "lab:tank"


@pytest.mark.parametrize(
    ("reshape", "features", "adds"),
    [
        ((5, 1, 0, 0), 4, True),
        ((5, 1, 0, 0), 0, False),  # no reshape is under way
        ((5, -1, 0, 0), 4, False),
        ((5, 0, 0, 128), 4, False),
        ((5, 1, 2, 0), 4, False),
        ((6, 1, 0, 0), 4, False),
    ],
)
def test_a_reshape_that_only_adds_members_is_known_from_the_superblock(
    made: MadeTree, reshape: tuple[int, int, int, int], features: int, adds: bool
) -> None:
    put_superblock(made, "/dev/sda", features=features, reshape=reshape)
    found = read_superblock(made.tree, "/dev/sda", "1.2", 16384)
    assert found is not None
    assert (found.reshaping, found.adds_members) == (bool(features), adds)


def test_other_metadata_and_other_content_have_no_superblock(made: MadeTree) -> None:
    made.write("/dev/sda", "x" * 8192)
    assert read_superblock(made.tree, "/dev/sda", "0.90", 8192) is None
    assert read_superblock(made.tree, "/dev/sda", "1.2", 8192) is None


def test_rotation_is_that_of_the_whole_disk(made: MadeTree) -> None:
    made.disk("sda", queue__rotational="1")
    made.partition("sda", 1)
    made.array("md127", [("sda1", "0", "in_sync")])
    assert is_rotational(unit_of(read(made)), made.tree)


def test_mdstat_has_numbers_progress_and_waiting() -> None:
    found = parse_mdstat(BUILDING)
    assert found["md127"].numbers == {"sdc": 4, "sdd": 3, "sdb": 1, "sda": 0}
    assert found["md127"].progress is not None
    assert found["md127"].progress.action == "recover"
    assert found["md0"].progress is not None
    assert found["md0"].progress.waiting == "delayed"
    assert found["md0"].numbers == {"sde1": 0, "sdf1": 1}


@pytest.mark.parametrize("name", ["md_my-data", "md_a.b", "md_d0p1"])
def test_the_sync_of_an_array_with_any_kernel_name_is_read(name: str) -> None:
    found = parse_mdstat(BUILDING.replace("md127", name))[name]
    assert found.numbers["sdc"] == 4
    assert found.progress is not None
    assert found.progress.action == "recover"


@given(st.text())
def test_no_text_upsets_the_reading_of_mdstat(text: str) -> None:
    parse_mdstat(text)


@given(
    st.sampled_from(["resync", "recovery", "check", "reshape"]),
    st.integers(0, 2**50),
    st.integers(1, 2**50),
    st.integers(0, 2**31),
)
def test_every_progress_line_comes_back_in_bytes(action: str, done: int, total: int, speed: int) -> None:
    line = f"      [=>..]  {action} = 12.3% ({done}/{total}) finish=1.5min speed={speed}K/sec"
    progress = parse_mdstat(f"md5 : active raid1 sda[0]\n      8 blocks\n{line}\n")["md5"].progress
    assert progress is not None
    assert (progress.done_bytes, progress.total_bytes) == (done * KIB, total * KIB)
    assert (progress.bytes_per_second, progress.finish_seconds) == (speed * KIB, 90)


# The lockless bitmap of Linux 6.18.


LOCKLESS = {
    "bitmap_type": "none bitmap [llbitmap]",
    "llbitmap__metadata": "chunksize 128\nchunkshift 7\nchunks 32752\noffset 8\ndaemon_sleep 30",
    "bitmap__location": "",
}


@pytest.mark.parametrize(
    ("kinds", "consistency", "chunk"),
    [
        (LOCKLESS, "lockless", 64 * KIB),
        ({**LOCKLESS, "llbitmap__metadata": "no bitmap"}, "lockless", None),
        ({"bitmap_type": "none [bitmap] llbitmap"}, "bitmap", 64 * MIB),
        ({"bitmap_type": "[none] bitmap llbitmap", "consistency_policy": "resync", "bitmap__location": "none"}, "resync", None),
        ({}, "bitmap", 64 * MIB),  # older kernels
    ],
)  # fmt: skip
def test_which_bitmap_it_has(
    made: MadeTree, kinds: dict[str, str], consistency: str, chunk: int | None
) -> None:
    three(made, **kinds)
    array = read(made)
    assert (array.consistency, array.bitmap_chunk_bytes) == (consistency, chunk)
    (unit,) = as_units([array], (None, None))
    details = unit.details
    assert any("no first sync" in line for line in details) is (consistency == "lockless")


def test_with_it_parity_is_built_after_the_first_write_and_nothing_is_redundant_there_before(
    made: MadeTree,
) -> None:
    going = {"sync_action": "recover", "sync_completed": "100 / 4192256", "sync_speed": "1000"}
    three(made, **LOCKLESS, **going)
    assert state(read(made)).startswith("not redundant yet")
    three_more = MadeTree(made.root / "other")
    three(three_more, **going)
    assert not read(three_more).initial_build


def test_an_array_knows_the_arrays_that_its_members_are_on_whole_or_on_a_partition(made: MadeTree) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.array("md5", [("sda", "0", "in_sync")], uuid="5" * 32)
    made.array("md6", [("sdb", "0", "in_sync")], uuid="6" * 32)
    made.partition("md6", 1)
    made.array("md7", [("md5", "0", "in_sync"), ("md6p1", "1", "in_sync"), ("sdc", "2", "in_sync")])
    arrays = {array.node: array for array in ArrayReader(made.tree).read()}
    assert {node: array.below for node, array in arrays.items()} == {
        "/dev/md5": (),
        "/dev/md6": (),
        "/dev/md7": ("/dev/md5", "/dev/md6"),
    }
