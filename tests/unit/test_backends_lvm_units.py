"""A volume group as a unit: its health in words, its disks, what it does; and how it is known again."""

from collections.abc import Sequence

import msgspec
import pytest

from raidtui.advice.redundancy import redundancy
from raidtui.backends.lvm.reading import read
from raidtui.backends.lvm.report import Segment
from raidtui.backends.lvm.units import units_of
from raidtui.backends.registry import reader
from raidtui.machine.ask import ToolAnswer
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.machine import Machine, Mount
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from tests.unit.lvm_machines import (
    GROUP_UUID,
    MARK,
    VOLUME,
    group,
    image,
    lvm_disk,
    lvm_machine,
    reading,
    status,
)
from tests.unit.plan_machines import machine


def unit(where: Machine) -> Unit:
    (found,) = units_of(where)
    return found


def test_a_group_in_sync_is_a_unit_with_its_disks_in_their_slots() -> None:
    found = unit(lvm_machine(reading(paths=("/dev/sdb1", "/dev/sda1"))))
    assert (found.name, found.level, found.path, found.node) == (
        "tank",
        "raid1",
        "/dev/tank/data",
        "/dev/dm-4",
    )
    assert (found.health, found.state, found.activity) == (Health.OK, "in sync", None)
    assert [(one.disk, one.slot, one.state) for one in found.members] == [
        ("S-0002", 0, "in sync"),
        ("S-0001", 1, "in sync"),
    ]
    assert found.mountpoints == ("/srv/tank",)
    assert [s.type for s in found.signatures] == ["ext4"]


def test_a_btrfs_that_udev_announced_by_the_kernels_name_is_mounted_too() -> None:
    mount = Mount(
        source="/dev/dm-4", device="/dev/dm-4", target="/srv/tank", type="btrfs", device_number="0:31"
    )
    where = msgspec.structs.replace(lvm_machine(), mounts=(mount,))
    assert unit(where).mountpoints == ("/srv/tank",)


@pytest.mark.parametrize("word", ["tank", GROUP_UUID, "/dev/tank/data", "dm-4"])
def test_it_is_called_by_name_uuid_and_path_and_known_by_the_mark_of_its_build(word: str) -> None:
    found = unit(lvm_machine())
    assert found.is_called(word)
    assert found.has_mark(MARK)
    assert not found.has_mark("other")


@pytest.mark.parametrize(
    ("kernel", "level", "health", "words"),
    [
        (status("aa", action="resync", done_bytes=10), "raid1", Health.SYNCING, "resync 10.0 %, usable now"),
        (status("aa", action="resync"), "raid5", Health.BUILDING, "loses data (resync 100 %)"),
        (status("Aa", action="recover"), "raid5", Health.DEGRADED, "degraded: rebuild 100 %"),
        (status("AD"), "raid1", Health.DEGRADED, "degraded, not redundant: 1 of 2"),
        (status("DD"), "raid1", Health.FAILED, "FAILED: 2 of 2"),
        (status("AD"), "raid0", Health.FAILED, "FAILED: 1 of 2"),
        (status("AD"), "raid10", Health.DEGRADED, "degraded"),
        (status("AA", action="frozen", done_bytes=0), "raid1", Health.SYNCING, "sync paused, usable now"),
    ],
)
def test_the_danger_is_said_first(kernel: object, level: str, health: Health, words: str) -> None:
    segment = msgspec.structs.replace(VOLUME.segments[0], type=level)
    volume = msgspec.structs.replace(VOLUME, segments=(segment,))
    found = unit(lvm_machine(reading(volumes=(volume,), kernel=kernel)))  # type: ignore[arg-type]
    assert found.health is health
    assert words in found.state


@pytest.mark.parametrize(
    ("share", "health", "words"),
    [
        (100.0, Health.OK, "in sync"),
        (40.0, Health.BUILDING, "not redundant: 40.0 % of it in sync"),
        (None, Health.ERRORS, "redundancy unknown: lvs does not show how much of it is in sync"),
    ],
)
def test_a_mirror_of_the_older_type_is_in_sync_when_lvs_shows_so(
    share: float | None, health: Health, words: str
) -> None:
    older = msgspec.structs.replace(
        VOLUME,
        sync_percent=share,
        attr="mwi-aom---",
        segments=(Segment(type="mirror", stripes=2, devices=("data_rimage_0", "data_rimage_1")),),
    )
    found = unit(lvm_machine(reading(volumes=(older,))))
    assert (found.health, found.state) == (health, words)


def test_without_the_kernels_status_a_volume_is_not_in_sync() -> None:
    """dmsetup failed or was not understood: no answer is not a good one."""
    found = unit(lvm_machine(msgspec.structs.replace(reading(), statuses={})))
    assert (found.health, found.state) == (
        Health.ERRORS,
        "redundancy unknown: the kernel's status of it cannot be read",
    )
    assert redundancy(found) is None


def test_a_group_of_several_volumes_is_as_its_worst() -> None:
    other = msgspec.structs.replace(VOLUME, uuid="other", name="home")
    both = (msgspec.structs.replace(VOLUME, uuid="first", name="root"), other)
    hurt = reading(volumes=both)
    states = {"tank-root": status(name="tank-root"), "tank-home": status("AD", name="tank-home")}
    found = unit(lvm_machine(msgspec.structs.replace(hurt, statuses=states)))
    assert found.health is Health.DEGRADED
    assert found.state == "degraded, not redundant: 1 of 2 disks missing or faulty (logical volume home)"
    states["tank-home"] = status(name="tank-home")
    well = unit(lvm_machine(msgspec.structs.replace(hurt, statuses=states)))
    assert (well.health, well.state) == (Health.OK, "2 logical volumes")


def test_a_group_that_lacks_a_disk_is_not_well_though_no_volume_is_on_it() -> None:
    found = unit(lvm_machine(reading(its=group(missing=1))))
    assert (found.health, found.state) == (Health.ERRORS, "in sync, 1 disk missing")


def test_what_runs_has_a_fraction_and_says_whether_it_is_paused() -> None:
    syncing = unit(lvm_machine(reading(kernel=status("Aa", action="recover", done_bytes=25)))).activity
    frozen = unit(lvm_machine(reading(kernel=status(action="frozen", done_bytes=0)))).activity
    assert syncing is not None
    assert frozen is not None
    assert (syncing.what, syncing.fraction, syncing.paused) == ("rebuild", 0.25, False)
    assert (frozen.what, frozen.paused) == ("sync", True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"system_id": "nas-2"}, "of another system, nas-2"),
        ({"lock_type": "sanlock"}, "shared by a cluster through sanlock"),
        ({"exported": True}, "exported, inactive"),
    ],
)
def test_a_group_of_others_says_whose_it_is(changes: dict[str, object], words: str) -> None:
    found = unit(lvm_machine(reading(its=group(**changes), system_id="nas-1")))
    assert (found.health, found.state) == (Health.INACTIVE, words)


def test_a_group_that_is_not_active_says_why() -> None:
    down = msgspec.structs.replace(VOLUME, attr="rwi---r---", device_number="")
    torn = unit(lvm_machine(reading(volumes=(down,), paths=("/dev/sda1", "")), lvm_disk(1), mounted=False))
    rest = msgspec.structs.replace(image(0, ""), name="data_rmeta_0", hidden=False)
    cut_off = unit(lvm_machine(reading(volumes=(down, rest))))
    empty = unit(lvm_machine(reading(volumes=())))
    assert (torn.health, torn.state, torn.node) == (Health.INACTIVE, "inactive: 1 disk missing", "")
    assert [(one.path, one.slot, one.state) for one in torn.members] == [
        ("/dev/sda1", 0, "in sync"),
        ("", 1, "missing"),
    ]
    assert cut_off.state == "half made: lvcreate was interrupted"
    assert (empty.health, empty.state, empty.level) == (Health.INACTIVE, "no logical volume", "")


def test_a_disk_below_several_volumes_is_in_use() -> None:
    """A thin pool among them: only its hidden volumes are on the disks."""
    pool = msgspec.structs.replace(
        VOLUME,
        uuid="pool",
        name="pool",
        attr="twi-aotz--",
        segments=(Segment(type="thin-pool", devices=("pool_tdata",)),),
    )
    inside = msgspec.structs.replace(
        VOLUME,
        uuid="tdata",
        name="pool_tdata",
        hidden=True,
        attr="Twi-ao----",
        segments=(Segment(type="linear", devices=("/dev/sda1",)),),
    )
    down = msgspec.structs.replace(
        VOLUME,
        uuid="plain",
        name="plain",
        attr="-wi-------",
        segments=(Segment(type="linear", devices=("/dev/sdb1",)),),
    )
    found = reading(volumes=(pool, inside, down), paths=("/dev/sda1", "/dev/sdb1", "/dev/sdc1"))
    found = msgspec.structs.replace(
        found,
        known=msgspec.structs.replace(
            found.known, volumes=tuple(one for one in found.known.volumes if "rimage" not in one.name)
        ),
    )
    assert [(one.path, one.state) for one in unit(lvm_machine(found)).members] == [
        ("/dev/sda1", "in use"),
        ("/dev/sdb1", "not active"),
        ("/dev/sdc1", "not used"),
    ]


def test_a_result_keeps_what_makes_a_volume_fast_or_slow() -> None:
    segment = msgspec.structs.replace(
        VOLUME.segments[0], type="raid5", stripe_bytes=65536, region_bytes=2**21
    )
    volume = msgspec.structs.replace(VOLUME, segments=(segment,))
    where = lvm_machine(reading(volumes=(volume,), kernel=status("AD", mismatches=8)))
    kept = reader(Backend.LVM).measured(unit(where), where)
    assert (kept.kind, kept.raid_disks, kept.chunk_bytes, kept.bitmap_chunk_bytes) == (
        "lvm raid5",
        2,
        65536,
        2**21,
    )
    assert (kept.mismatch_sectors, kept.degraded, kept.size_bytes) == (8, 1, VOLUME.size_bytes)


def test_without_anything_of_lvm_on_the_disks_lvm_is_not_asked() -> None:
    def refuse(argv: object) -> ToolAnswer:
        raise AssertionError(argv)

    assert read(machine(), refuse) is None
    assert units_of(machine()) == ()


def test_where_lvm_does_not_answer_it_is_unknown_what_is_here() -> None:
    def silent(argv: Sequence[str]) -> ToolAnswer:
        return ToolAnswer(returncode=None)

    there = machine(lvm_disk(1))
    with pytest.raises(StepFailed, match="unknown which volume groups are here"):
        read(there, silent)
    assert read(msgspec.structs.replace(there, tools={}), silent) is None
    assert read(msgspec.structs.replace(there, complete=False), silent) is None


def test_a_damaged_recording_is_refused_in_a_sentence() -> None:
    damaged = msgspec.structs.replace(machine(), readings={"lvm": {"known": 7}})
    with pytest.raises(BadInput, match="what the recorded machine says of LVM cannot be understood"):
        units_of(damaged)
