"""A teardown works on what is found, from the top down, and leaves alone what is somebody else's."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.backends.md.conditions import ARRAY_GONE
from raidtui.backends.md.names import md_spelling
from raidtui.backends.units import units_of
from raidtui.jobs.confirm import check_erase
from raidtui.machine.reader import load_machine
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import (
    Array,
    Claim,
    ClaimKind,
    Machine,
    Member,
    Mount,
    Partition,
    Signature,
    Weight,
)
from raidtui.model.plan import DropLine, EnsureLine, Plan, PlanKind, Run, Undo
from raidtui.model.system import ConfiguredArray
from raidtui.plan.script import as_script
from raidtui.plan.teardown import make_teardown, units_on
from raidtui.steps.devices import BLANK
from raidtui.steps.initramfs import INITRAMFS_LACKS
from tests.unit.plan_machines import (
    ARRAY_UUID,
    SEED,
    array,
    commands,
    disk,
    machine,
    member_disk,
    step,
    teardown,
    whole,
)

CONF = f"ARRAY /dev/md/tank metadata=1.2 UUID={md_spelling(ARRAY_UUID)}"
LINK = f"/dev/disk/by-id/md-uuid-{md_spelling(ARRAY_UUID)}"


def with_array(found: Array | None = None, *more: Any, **system: Any) -> Machine:
    """A computer with the array tank on disks 1 to 3."""
    return machine(*(member_disk(n) for n in (1, 2, 3)), *more, arrays=(found or array(),), **system)


def ids(made: Plan) -> list[str]:
    return [one.id for one in made.steps]


def test_a_mounted_array_goes_from_the_top_down() -> None:
    where = with_array(
        mdadm_conf_arrays=(CONF, "ARRAY /dev/md/other UUID=1:2:3:4"),
        fstab=("UUID=aaaa-bbbb /srv/tank ext4 defaults 0 2", "UUID=cccc /home ext4 defaults 0 2"),
        initramfs="update-initramfs",
        systemd=True,
    )
    made = teardown(where)
    assert ids(made) == [
        "unmount",
        "fstab",
        "clear",
        "stop",
        "zero",
        "table",
        "settle",
        "mountpoint",
        "conf",
        "initramfs",
    ]
    assert made.kind is PlanKind.TEARDOWN
    assert commands(step(made, "unmount")) == [("umount", "/srv/tank")]
    assert step(made, "fstab").actions[0] == DropLine(
        path="/etc/fstab", line="UUID=aaaa-bbbb /srv/tank ext4 defaults 0 2"
    )
    assert commands(step(made, "fstab")) == [("systemctl", "daemon-reload")]
    assert commands(step(made, "clear")) == [("wipefs", "--all", LINK)]
    assert step(made, "clear").destroys == ("tank: ext4",)
    assert step(made, "conf").actions == (DropLine(path="/etc/mdadm/mdadm.conf", line=CONF),)
    lacks_it = INITRAMFS_LACKS.of("6.1.0-32-amd64", CONF)
    assert step(made, "initramfs").after == (lacks_it,)


@pytest.mark.parametrize("word", ["/srv/tank", "/srv/tank/"])
def test_an_array_is_called_by_its_mount_point_too(word: str) -> None:
    assert make_teardown(word, with_array(), seed=SEED) == teardown(with_array())


def test_a_mount_point_of_two_arrays_names_neither() -> None:
    """One is mounted over the other."""
    other = array(name="lake", node="/dev/md126", path="/dev/md/lake", uuid="2" * 32, members=())
    where = msgspec.structs.replace(with_array(), arrays=(array(), other))
    with pytest.raises(BadInput, match="nothing here is called '/srv/tank'"):
        make_teardown("/srv/tank", where, seed=SEED)


def test_every_member_is_named_with_its_identity_in_the_order_of_the_slots() -> None:
    made = teardown(with_array())
    assert [one.identity for one in made.disks] == ["S-0001", "S-0002", "S-0003"]
    assert made.spec.members == ("S-0001", "S-0002", "S-0003")
    assert made.spec.level == "raid5"
    assert made.array_uuid == ARRAY_UUID
    assert made.host == "nas"


def test_superblocks_go_then_tables_while_the_disks_are_locked() -> None:
    made = teardown(with_array())
    wholes = (whole(1), whole(2), whole(3))
    for name in ("stop", "zero", "table"):
        assert step(made, name).holds == wholes
    assert commands(step(made, "zero"))[:2] == [
        ("mdadm", "--zero-superblock", f"{whole(1)}-part1"),
        ("wipefs", "--all", f"{whole(1)}-part1"),
    ]
    assert commands(step(made, "table"))[:2] == [
        ("wipefs", "--all", whole(1)),
        ("blockdev", "--rereadpt", whole(1)),
    ]
    blank = {check.subject for check in step(made, "settle").after if check.kind == BLANK.kind}
    assert blank == set(wholes)
    assert ARRAY_GONE.of(ARRAY_UUID) in step(made, "settle").after


def test_an_array_is_stopped_by_its_uuid_whatever_its_number_is_then() -> None:
    (stop,) = commands(step(teardown(with_array()), "stop"))
    assert stop[-1] == md_spelling(ARRAY_UUID)
    assert "md127" not in " ".join(stop)


def test_it_is_found_by_name_uuid_and_node() -> None:
    where = with_array()
    plans = {teardown(where, word).fingerprint for word in ("tank", ARRAY_UUID, "/dev/md127", "md127")}
    assert len(plans) == 1


def test_an_inactive_array_is_not_written_through() -> None:
    parked = array(state="inactive", path="", level="", mountpoints=(), signatures=())
    made = teardown(with_array(parked))
    assert ids(made) == ["stop", "zero", "table", "settle"]


def test_a_failed_member_loses_its_superblock_like_the_others() -> None:
    members = list(array().members)
    members[1] = Member(path="/dev/sdb1", disk="S-0002", slot=None, state=("faulty",))
    made = teardown(with_array(array(members=tuple(members), degraded=1)))
    assert [one.identity for one in made.disks] == ["S-0001", "S-0003", "S-0002"]


def test_a_member_that_was_removed_but_still_has_the_superblock_is_taken_too() -> None:
    members = array().members[:2]
    made = teardown(with_array(array(members=members, degraded=1)))
    assert [one.identity for one in made.disks] == ["S-0001", "S-0002", "S-0003"]


def test_members_of_other_arrays_are_left_alone() -> None:
    other = member_disk(4, uuid="00000000-3d5a-4c2b-9a58-0d7c1e2f3a4b")
    assert len(teardown(with_array(None, other)).disks) == 3


def test_a_member_whose_disk_is_gone_stops_nothing() -> None:
    gone = (*array().members[:2], Member(path="/dev/sdz1", disk="", slot=2, state=("faulty",)))
    where = machine(member_disk(1), member_disk(2), arrays=(array(members=gone),))
    assert [one.identity for one in teardown(where).disks] == ["S-0001", "S-0002"]


def test_spares_are_told_from_members() -> None:
    members = (*array().members[:2], Member(path="/dev/sdc1", disk="S-0003", slot=None, state=("spare",)))
    made = teardown(with_array(array(members=members)))
    assert (made.spec.members, made.spec.spares) == (("S-0001", "S-0002"), ("S-0003",))
    assert [one.role for one in made.disks] == ["member", "member", "spare"]


def test_whole_disk_members_have_no_table_to_erase() -> None:
    superblock = Signature(device="/dev/sda", offset=4096, type="linux_raid_member", uuid=ARRAY_UUID)
    where = machine(
        disk(1, signatures=(superblock,)),
        arrays=(array(members=(Member(path="/dev/sda", disk="S-0001", slot=0),)),),
    )
    made = teardown(where)
    assert "table" not in ids(made)
    assert commands(step(made, "zero"))[-1] == ("wipefs", "--all", whole(1))


def test_the_rest_of_a_shared_disk_stays() -> None:
    data = Partition(
        name="sda2", path="/dev/sda2", number=2, start_bytes=10**10, size_bytes=10**9, type="0fc63daf"
    )
    shared = member_disk(1)
    shared = msgspec.structs.replace(shared, partitions=(*shared.partitions, data))
    made = teardown(with_array(None, shared))
    tables = {words[-1] for words in commands(step(made, "table"))}
    assert tables == {whole(2), whole(3)}


def claimed(device: str, weight: Weight, what: ClaimKind, **changes: Any) -> Any:
    claim = Claim(
        what=what, weight=weight, device=device, detail="mounted at /data", how_to_free="umount /data"
    )
    return msgspec.structs.replace(member_disk(1), free=False, taken_by=(claim,), **changes)


def test_a_disk_of_the_running_system_is_never_touched() -> None:
    where = with_array(None, claimed("/dev/sda1", Weight.SYSTEM, ClaimKind.SYSTEM))
    with pytest.raises(Refused, match="the running system is on S-0001"):
        teardown(where)


def test_another_partition_in_use_is_left_alone_and_the_plan_says_which() -> None:
    """So of several arrays on partitions of the same disks each can be removed, whichever comes first."""
    data = Partition(name="sda2", path="/dev/sda2", number=2, start_bytes=10**10, size_bytes=10**9)
    used = claimed("/dev/sda2", Weight.BUSY, ClaimKind.MOUNT, partitions=(*member_disk(1).partitions, data))
    made = teardown(with_array(None, used))
    assert [disk.shares for disk in made.disks] == [(2,), (), ()]
    assert step(made, "zero").destroys[0] == "S-0001 (partition 1): its part of the array tank"
    written = [word for one in made.steps for words in commands(one) for word in words]
    assert whole(1) not in written
    assert f"{whole(1)}-part2" not in written
    with pytest.raises(Refused, match="this erases a part of S-0001"):
        check_erase(made, ())


def test_an_array_with_two_members_on_one_disk_lists_the_disk_once() -> None:
    first = member_disk(1).partitions[0]
    second = msgspec.structs.replace(
        first,
        name="sda2",
        path="/dev/sda2",
        number=2,
        signatures=(msgspec.structs.replace(first.signatures[0], device="/dev/sda2"),),
    )
    both = member_disk(1, partitions=(first, second))
    found = array(
        members=tuple(
            Member(path=path, disk="S-0001", slot=slot, state=("in_sync",))
            for slot, path in enumerate(("/dev/sda1", "/dev/sda2"))
        )
    )
    made = teardown(machine(both, arrays=(found,)))
    assert [disk.identity for disk in made.disks] == ["S-0001"]
    assert made.spec.members == ("S-0001",)
    check_erase(made, ("0001",))
    assert commands(step(made, "table"))[0][-1] == whole(1), "both were members: nothing else is on the disk"
    assert step(made, "zero").destroys == (
        "S-0001 (partition 1): its part of the array tank",
        "S-0001 (partition 2): its part of the array tank",
    )


def test_the_claim_of_the_array_itself_does_not_stand_in_the_way() -> None:
    assert teardown(with_array(None, claimed("/dev/sda1", Weight.BUSY, ClaimKind.ARRAY))).disks


def test_nested_mounts_go_the_deepest_first_each_in_a_step_of_its_own() -> None:
    mounts = tuple(
        Mount(source="/dev/md127", target=target, type="ext4") for target in ("/srv/tank", "/srv/tank/inner")
    )
    where = msgspec.structs.replace(with_array(), mounts=mounts)
    made = teardown(where)
    unmounts = [words for one in made.steps if one.id.startswith("unmount") for words in commands(one)]
    assert unmounts == [("umount", "/srv/tank/inner"), ("umount", "/srv/tank")]
    assert ids(made)[:2] == ["unmount", "unmount-2"]


@pytest.mark.parametrize(
    "line",
    [
        "UUID=AAAA-BBBB\t/srv/other ext4 defaults 0 2",
        'UUID="aaaa-bbbb" /srv/other ext4 defaults 0 2',
        "/dev/md/tank /srv/other ext4 defaults 0 2",
        "/dev/md127 /srv/other ext4 defaults 0 2",
        f"{LINK} /srv/other ext4 defaults 0 2",
        "LABEL=photos /srv/tank/ ext4 defaults 0 2",
    ],
)
def test_every_way_to_name_it_in_fstab_is_understood(line: str) -> None:
    assert step(teardown(with_array(fstab=(line,))), "fstab").actions == (
        DropLine(path="/etc/fstab", line=line),
    )


@pytest.mark.parametrize(
    "line",
    [
        "UUID=dddd /srv ext4 defaults 0 2",
        "/dev/sdz none swap sw 0 0",
        "odd",
        # Others that have their turn where it is mounted now.
        "UUID=dddd /srv/tank ext4 noauto 0 2",
        "/dev/cdrom /srv/tank auto noauto 0 0",
        "nas:/export /srv/tank nfs noauto 0 0",
        "/dev/md/tankphotos /srv/photos ext4 defaults 0 2",
    ],
)
def test_other_lines_of_fstab_stay(line: str) -> None:
    assert "fstab" not in ids(teardown(with_array(fstab=(line,))))


@pytest.mark.parametrize(
    "line",
    [
        r"LABEL=my\040disk /srv/my\040disk ext4 defaults 0 2",
        r"/dev/disk/by-label/my\x20disk /srv/other ext4 defaults 0 2",
        r"LABEL=photos /srv/my\040disk ext4 defaults 0 2",
    ],
)
def test_blanks_in_fstab_are_understood_and_the_line_goes_as_it_stands_there(line: str) -> None:
    label = "" if "photos" in line else "my disk"
    files = Signature(device="/dev/md127", offset=1080, type="ext4", uuid="aaaa", label=label)
    found = array(signatures=(files,), mountpoints=("/srv/my disk",))
    made = teardown(with_array(found, fstab=(line,)))
    assert step(made, "fstab").actions == (DropLine(path="/etc/fstab", line=line),)


def test_what_was_on_it_is_gone_and_the_plan_says_so() -> None:
    made = teardown(with_array())
    gone = [one.id for one in made.steps if one.undoable is Undo.IMPOSSIBLE]
    assert gone == ["clear", "zero", "table"]
    assert not any(
        a.argv[0] == "mdadm" and "--force" in a.argv
        for s in made.steps
        for a in s.actions
        if isinstance(a, Run)
    )


@pytest.mark.parametrize(
    ("changes", "kind", "sentence"),
    [
        ({"uuid": ""}, Refused, "has no UUID"),
        ({"level": "container"}, Refused, "firmware RAID"),
        ({"metadata": "external:imsm"}, Refused, "firmware RAID"),
        (
            {"members": (), "uuid": "00000000-0000-0000-0000-000000000000"},
            BadInput,
            "no member of tank is on a disk",
        ),
    ],
)
def test_what_cannot_be_taken_away_safely_is_refused(
    changes: dict[str, Any], kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind, match=sentence):
        teardown(with_array(array(**changes)))


def test_an_array_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        BadInput,
        match=r"nothing here is called 'tnak'. A teardown takes the name or mount point of a unit \(here: the array tank\), or .*S-0001, S-0002",
    ):
        teardown(with_array(), "tnak")


@pytest.mark.parametrize("word", ["old:photos", "photos"])
def test_of_an_array_that_is_not_running_its_disks_are_named(word: str) -> None:
    raid = Signature(device="/dev/sdf", offset=9, type="linux_raid_member", uuid="1" * 32, label="old:photos")
    with pytest.raises(BadInput, match=f"'{word}' is not running; parts of it are on S-0006"):
        teardown(with_array(None, disk(6, signatures=(raid,))), word)


def test_an_array_is_found_by_the_name_that_mdadm_shows() -> None:
    assert teardown(with_array(array(full_name="nas:tank")), "nas:tank").array_uuid == ARRAY_UUID


def test_mounts_of_an_array_whose_name_only_begins_so_are_left_alone() -> None:
    mounts = (
        Mount(source="/dev/md/tank", target="/srv/tank", type="ext4"),
        Mount(source="/dev/md/tankphotos", target="/srv/photos", type="ext4"),
        Mount(source="/dev/md/tank1", target="/srv/one", type="ext4"),
    )
    other = array(name="tank1", node="/dev/md126", path="/dev/md/tank1", uuid="1" * 32, members=())
    where = msgspec.structs.replace(with_array(), mounts=mounts)
    made = teardown(msgspec.structs.replace(where, arrays=(*where.arrays, other)))
    assert [one.actions[0] for one in made.steps if one.id.startswith("unmount")] == [
        Run(argv=("umount", "/srv/tank"), timeout_seconds=600)
    ]


def test_what_names_it_in_mdadm_conf_goes_as_it_stands_there() -> None:
    commented = ConfiguredArray(text=CONF, file="/etc/mdadm/mdadm.conf", lines=(f"{CONF} # mine",))
    by_name = ConfiguredArray(
        text="ARRAY /dev/md/tank name=nas:tank",
        file="/etc/mdadm/mdadm.conf.d/tank.conf",
        lines=("ARRAY /dev/md/tank name=nas:tank",),
    )
    another = ConfiguredArray(
        text="ARRAY /dev/md/tank UUID=1:2:3:4", file="/etc/mdadm/mdadm.conf", lines=("ARRAY …",)
    )
    made = teardown(with_array(mdadm_conf_entries=(commented, by_name, another)))
    assert step(made, "conf").actions == (
        DropLine(path="/etc/mdadm/mdadm.conf", line=f"{CONF} # mine"),
        DropLine(path="/etc/mdadm/mdadm.conf.d/tank.conf", line="ARRAY /dev/md/tank name=nas:tank"),
    )


def test_an_entry_of_mdadm_conf_over_several_lines_stops_the_plan_before_it_begins() -> None:
    spread = ConfiguredArray(text=CONF, file="/etc/mdadm.conf", lines=("ARRAY /dev/md/tank", "  UUID=…"))
    with pytest.raises(
        Refused, match="spans 2 lines, which cannot be removed separately; join them into one line"
    ):
        teardown(with_array(mdadm_conf_entries=(spread,)))


def test_a_member_that_is_no_disk_stops_the_plan_or_it_would_bring_a_degraded_array_back() -> None:
    mapped = Member(path="/dev/dm-0", slot=2, state=("in_sync",))
    found = array(members=(*array().members[:2], mapped))
    with pytest.raises(Refused, match="/dev/dm-0, a member of tank, is neither a disk nor a partition"):
        teardown(with_array(found))


def nested() -> Machine:
    """A stripe, top, over two arrays on disks."""
    low = array(name="low", mountpoints=(), signatures=())
    raid = tuple(
        Signature(device=node, offset=4096, type="linux_raid_member", uuid="2" * 32, label="nas:top")
        for node in ("/dev/md127", "/dev/md126")
    )
    lows = (
        msgspec.structs.replace(low, signatures=raid[:1]),
        msgspec.structs.replace(
            low,
            name="other",
            node="/dev/md126",
            path="/dev/md/other",
            uuid="1" * 32,
            members=(Member(path="/dev/sdd1", disk="S-0004", slot=0, state=("in_sync",)),),
            signatures=raid[1:],
        ),
    )
    top = array(
        name="top",
        node="/dev/md125",
        path="/dev/md/top",
        uuid="2" * 32,
        level="raid0",
        members=tuple(Member(path=one.node, slot=slot, state=("in_sync",)) for slot, one in enumerate(lows)),
    )
    disks = (*(member_disk(n) for n in (1, 2, 3)), member_disk(4, "1" * 32))
    return machine(*disks, arrays=(*lows, top))


def test_the_disks_of_an_array_of_arrays_are_those_of_all() -> None:
    here = nested()
    under = {unit.name: [disk.identity for disk in disks_of(unit, here)] for unit in units_of(here)}
    every = ["S-0001", "S-0002", "S-0003", "S-0004"]
    assert under == {"low": every[:3], "other": every[3:], "top": every}
    assert set(units_on(["S-0004"], here)) == {"1" * 32, "2" * 32}
    assert ids(make_teardown("1" * 32, here, seed=SEED, also=["2" * 32])) == ids(teardown(here, "top"))


def test_an_array_is_not_removed_while_a_clone_of_a_member_is_here() -> None:
    """It may be somebody's copy: the other backends refuse too."""
    machine = load_machine(str(Path(__file__).resolve().parents[1] / "machines" / "raid1-clone.json"))
    with pytest.raises(Refused, match="have the same superblock of tank: disconnect the one that does not"):
        teardown(machine)


SECOND = f"ARRAY /dev/md/second metadata=1.2 UUID={md_spelling('3' * 32)}"


def sharing() -> Machine:
    """Two arrays, tank and second, each on a partition of disks 1 to 3; mdadm.conf names both."""
    disks = []
    for number in (1, 2, 3):
        one = member_disk(number)
        (part,) = one.partitions
        path = f"{one.path}2"
        claim = Claim(what=ClaimKind.ARRAY, device=path, weight=Weight.BUSY, detail="second", how_to_free="")
        held = msgspec.structs.replace(part.signatures[0], device=path, uuid="3" * 32, label="nas:second")
        other = msgspec.structs.replace(part, name=path[5:], path=path, number=2, signatures=(held,))
        disks.append(msgspec.structs.replace(one, partitions=(part, other), taken_by=(claim,)))
    second = array(
        name="second",
        node="/dev/md126",
        path="/dev/md/second",
        uuid="3" * 32,
        signatures=(),
        mountpoints=(),
        members=tuple(
            Member(path=f"{one.path}2", disk=one.identity, slot=slot, state=("in_sync",))
            for slot, one in enumerate(disks)
        ),
    )
    return machine(*disks, arrays=(array(), second), mdadm_conf_arrays=(CONF, SECOND))


@pytest.mark.parametrize("word", ["top", "low", "other"])
def test_an_array_of_arrays_goes_with_those_in_one_plan_by_any_of_their_names(word: str) -> None:
    made = teardown(nested(), word)
    assert ids(made) == [
        "unmount",
        "clear",
        "stop",
        "zero",
        "stop-2",
        "zero-2",
        "stop-3",
        "zero-3",
        "table",
        "settle",
        "mountpoint",
    ]
    assert made.spec.name == "top"
    assert {disk.serial for disk in made.disks} == {"S-0001", "S-0002", "S-0003", "S-0004"}
    by_id = "/dev/disk/by-id/md-uuid-"
    assert [argv[-1] for argv in commands(step(made, "zero"))][::2] == [
        f"{by_id}{md_spelling(ARRAY_UUID)}",
        f"{by_id}{md_spelling('1' * 32)}",
    ]
    assert {check.subject for check in step(made, "settle").after if check.kind == ARRAY_GONE.kind} >= {
        "2" * 32,
        "1" * 32,
    }
    assert set(made.marks) == {"2" * 32, ARRAY_UUID, "1" * 32}


def test_the_superblock_of_an_upper_array_that_shows_on_a_member_of_a_lower_one_is_not_a_former_member() -> (
    None
):
    where = nested()
    upper = Signature(device="/dev/sdd1", offset=4096, type="linux_raid_member", uuid="2" * 32)
    part = msgspec.structs.replace(where.disks[3].partitions[0], signatures=(upper,))
    shown = msgspec.structs.replace(where.disks[3], partitions=(part,))
    disks = tuple(shown if one is where.disks[3] else one for one in where.disks)
    made = teardown(msgspec.structs.replace(where, disks=disks), "top")
    assert not any("former" in text for one in made.steps for text in one.destroys)


def test_several_units_on_the_same_disks_go_in_one_plan_and_a_table_is_erased_once() -> None:
    where = sharing()
    made = make_teardown("tank", where, seed=SEED, also=("second",))
    assert ids(made) == [
        "unmount",
        "clear",
        "stop",
        "zero",
        "clear-2",
        "stop-2",
        "zero-2",
        "table",
        "settle",
        "mountpoint",
        "conf",
    ]
    assert [one.spec.name for one in made.units] == ["tank", "second"]
    assert made.called == "tank and second"
    assert [disk.serial for disk in made.disks] == ["S-0001", "S-0002", "S-0003"]
    assert not any(disk.shares for disk in made.disks)
    assert step(made, "conf").actions == (
        DropLine(path="/etc/mdadm/mdadm.conf", line=CONF),
        DropLine(path="/etc/mdadm/mdadm.conf", line=SECOND),
    )
    assert {CONF, SECOND} <= {check.expect for check in step(made, "conf").after}
    assert step(made, "conf").undo[1:] == (EnsureLine(path="/etc/mdadm/mdadm.conf", line=SECOND),)
    assert [argv[-1] for argv in commands(step(made, "table")) if argv[0] == "wipefs"] == [
        disk.path for disk in made.disks
    ]


@pytest.mark.parametrize(
    ("line", "node", "ours"),
    [
        ("vault UUID=aaaa-bbbb none luks", "", True),
        ("vault /dev/md/tank /etc/key luks", "", True),
        ("vault /dev/disk/by-uuid/aaaa-bbbb", "/dev/md127", True),
        (f"vault {LINK} none luks", "", True),
        ("vault UUID=cccc-dddd none luks", "", False),
        ("vault /dev/sdz1", "/dev/sdz1", False),
    ],
)
def test_the_lines_of_crypttab_and_what_mounts_through_them_go_and_come_back(
    line: str, node: str, ours: bool
) -> None:
    fstab = ("/dev/mapper/vault /srv/vault ext4 nofail 0 2", "/dev/mapper/other /srv/other ext4 nofail 0 2")
    luks = Signature(device="/dev/md127", offset=0, type="crypto_LUKS", uuid="aaaa-bbbb")
    made = teardown(
        with_array(
            array(signatures=(luks,), mountpoints=()), crypttab=(line,), crypttab_nodes=(node,), fstab=fstab
        )
    )
    assert ("crypttab" in ids(made)) == ours
    assert ("fstab" in ids(made)) == ours
    if ours:
        drop, back = DropLine(path="/etc/crypttab", line=line), EnsureLine(path="/etc/crypttab", line=line)
        assert (step(made, "crypttab").actions, step(made, "crypttab").undo) == ((drop,), (back,))
        assert step(made, "fstab").actions == (DropLine(path="/etc/fstab", line=fstab[0]),)
        assert ids(made).index("crypttab") < ids(made).index("clear")


def test_the_script_of_several_units_names_each() -> None:
    text = as_script(make_teardown("tank", sharing(), seed=SEED, also=("second",)))
    assert "# Removes the RAID5 array tank, " in text
    assert "# Removes the RAID5 array second, " in text
    assert "tank and second are removed" in text


def test_one_of_several_units_leaves_the_tables_and_the_others() -> None:
    made = teardown(sharing())
    assert "table" not in ids(made)
    assert {disk.shares for disk in made.disks} == {(2,)}


def test_a_unit_is_named_once_however_often_it_is_meant() -> None:
    assert make_teardown("tank", sharing(), seed=SEED, also=("/dev/md127", ARRAY_UUID)) == teardown(sharing())
    assert make_teardown("low", nested(), seed=SEED, also=("top", "other")) == teardown(nested(), "top")


def test_every_unit_on_a_disk_is_found_by_the_disk() -> None:
    assert units_on(["S-0001", "S-0002"], sharing()) == [ARRAY_UUID, "3" * 32]
    with pytest.raises(BadInput, match="not a single-disk build"):
        units_on(["S-0004"], machine())


def test_an_array_whose_contents_cannot_be_read_may_be_on_other_disks_too() -> None:
    with pytest.raises(Refused, match="what is on tank cannot be read"):
        teardown(with_array(array(unread="wipefs did not end within 20 s", signatures=())))
    assert teardown(with_array(array(unread="Input/output error", state="broken"))).steps


def test_of_two_arrays_with_one_name_neither_is_meant() -> None:
    other = array(node="/dev/md126", path="/dev/md/tank_0", uuid="1" * 32, members=())
    where = with_array()
    both = msgspec.structs.replace(where, arrays=(*where.arrays, other))
    with pytest.raises(BadInput, match=r"several arrays are called 'tank': /dev/md127 \(UUID .*/dev/md126"):
        teardown(both)
    assert teardown(both, "/dev/md127").array_uuid == ARRAY_UUID


def test_what_was_mounted_by_hand_and_twice_is_unmounted_twice_and_comes_back_the_same_way() -> None:
    by_hand = Mount(source="/dev/md127", target="/mnt", type="ext4", options="ro,relatime")
    where = msgspec.structs.replace(with_array(array(mountpoints=())), mounts=(by_hand, by_hand))
    unmount = step(teardown(where), "unmount")
    assert commands(unmount) == [("umount", "/mnt"), ("umount", "/mnt")]
    assert unmount.undo == (
        Run(argv=("mount", "-t", "ext4", "-o", "ro", LINK, "/mnt")),
        Run(argv=("mount", "--bind", "/mnt", "/mnt")),
    )


def test_what_fstab_mounts_comes_back_as_fstab_says() -> None:
    mounted = Mount(source="/dev/md127", target="/srv/tank", type="ext4", options="rw,relatime")
    where = with_array(fstab=("UUID=aaaa-bbbb /srv/tank ext4 defaults 0 2",))
    unmount = step(teardown(msgspec.structs.replace(where, mounts=(mounted,))), "unmount")
    assert unmount.undo == (Run(argv=("mount", "/srv/tank")),)


def test_what_fstab_mounts_where_a_blank_is_comes_back_as_fstab_says() -> None:
    mounted = Mount(source="/dev/md127", target="/srv/my disk", type="ext4", options="rw,relatime")
    where = with_array(array(mountpoints=()), fstab=(r"UUID=aaaa-bbbb /srv/my\040disk ext4 noauto 0 2",))
    unmount = step(teardown(msgspec.structs.replace(where, mounts=(mounted,))), "unmount")
    assert unmount.undo == (Run(argv=("mount", "/srv/my disk")),)


def test_what_is_on_a_disk_that_left_the_array_is_told_before_it_is_erased() -> None:
    raid = Signature(device="/dev/sdf", offset=9, type="linux_raid_member", uuid=ARRAY_UUID, label="nas:tank")
    photos = Signature(device="/dev/sdf", offset=1080, type="ext4", uuid="cccc", label="photos")
    made = teardown(with_array(None, disk(6, signatures=(photos, raid))))
    assert (
        step(made, "zero").destroys[-1]
        == "S-0006: the old copy of a former member of the array tank, and ext4 'photos'"
    )
    assert step(made, "zero").destroys[0] == "S-0001: its part of the array tank"
    assert step(made, "zero").title == "Erase the superblocks of 3 members and 1 former member"
    assert [(one.identity, one.role) for one in made.disks][2:] == [
        ("S-0003", "member"),
        ("S-0006", "former member"),
    ]
    assert made.spec.members == ("S-0001", "S-0002", "S-0003"), "the array has three"


def test_an_array_that_is_read_only_is_made_writable_so_that_its_filesystem_goes_too() -> None:
    made = teardown(with_array(array(state="readonly")))
    assert commands(step(made, "clear")) == [("mdadm", "--readwrite", LINK), ("wipefs", "--all", LINK)]


def on_tank(kind: str, uuid: str = "aaaa-bbbb") -> Array:
    files = Signature(device="/dev/md127", offset=65600, type=kind, uuid=uuid)
    return array(signatures=(files,), mountpoints=())


@pytest.mark.parametrize("kind", ["btrfs", "bcachefs", "zfs_member"])
def test_what_is_on_other_disks_too_is_not_erased_by_taking_the_array_away(kind: str) -> None:
    other = Signature(device="/dev/sdf", offset=65600, type=kind, uuid="AAAA-BBBB")
    with pytest.raises(Refused, match=r"on tank is also on S-0006 \(/dev/sdf\).* erase the other part"):
        teardown(with_array(on_tank(kind), disk(6, signatures=(other,))))
    other_one = msgspec.structs.replace(other, uuid="cccc")
    assert teardown(with_array(on_tank(kind), disk(6, signatures=(other_one,))))


def test_what_is_on_another_array_too_is_not_erased_either() -> None:
    files = Signature(device="/dev/md126", offset=65600, type="btrfs", uuid="aaaa-bbbb")
    pond = array(
        name="pond", node="/dev/md126", path="/dev/md/pond", uuid="1" * 32, members=(), signatures=(files,)
    )
    where = with_array(on_tank("btrfs"))
    with pytest.raises(
        Refused, match=r"the Btrfs filesystem on tank is also on the array pond \(/dev/md126\)"
    ):
        teardown(msgspec.structs.replace(where, arrays=(*where.arrays, pond)))


def test_a_volume_group_is_taken_off_an_array_by_its_own_tools_first() -> None:
    with pytest.raises(
        Refused,
        match=r"LVM volume group is on tank.*raidtui teardown with the name of the group.*pvmove\(8\), vgreduce\(8\)",
    ):
        teardown(with_array(on_tank("LVM2_member")))


def test_a_member_that_shows_what_is_on_its_array_is_no_other_device() -> None:
    mirror = member_disk(1)
    (part,) = mirror.partitions
    through = Signature(device=part.path, offset=65600, type="btrfs", uuid="aaaa-bbbb")
    part = msgspec.structs.replace(part, signatures=(*part.signatures, through))
    assert teardown(with_array(on_tank("btrfs"), msgspec.structs.replace(mirror, partitions=(part,)))).disks


FOREIGN = "7f1d9b0e-3d5a-4c2b-9a58-0d7c1e2f3a4b"


def two_tanks(*, path: str = "/dev/md/ftank", running: bool = True, **system: Any) -> Machine:
    """The array tank of this computer beside one of that name from another, on disks 4 and 5."""
    disks = []
    for number in (4, 5):
        node = f"/dev/sd{'abcdef'[number - 1]}"
        raid = Signature(device=node, offset=4096, type="linux_raid_member", uuid=FOREIGN, label="other:tank")
        disks.append(disk(number, signatures=(raid,)))
    foreign = array(
        node="/dev/md126",
        path=path,
        uuid=FOREIGN,
        level="raid1",
        members=(
            Member(path="/dev/sdd", disk="S-0004", slot=0),
            Member(path="/dev/sde", disk="S-0005", slot=1),
        ),
        signatures=(),
        mountpoints=(),
    )
    where = with_array(None, *disks, **system)
    return msgspec.structs.replace(where, arrays=(*where.arrays, *([foreign] if running else [])))


@pytest.mark.parametrize(
    "line",
    [
        "/dev/disk/by-id/md-name-nas:tank /srv/tank ext4 defaults 0 2",
        "/dev/md/tank /srv/tank ext4 defaults 0 2",
    ],
)
@pytest.mark.parametrize(
    "entry",
    ["ARRAY /dev/md/tank name=nas:tank", "ARRAY /dev/md/tank", "ARRAY tank", "ARRAY <ignore> name=tank"],
)
def test_another_computers_array_of_the_same_name_does_not_take_the_lines_of_this_ones(
    line: str, entry: str
) -> None:
    where = two_tanks(fstab=(line,), mdadm_conf_arrays=(entry,))
    assert not {"fstab", "conf"} & set(ids(teardown(where, FOREIGN)))
    made = ids(teardown(where, ARRAY_UUID))
    assert "fstab" in made
    assert ("conf" in made) is ("name=tank" not in entry), "whose it is, a bare name does not say"


def test_it_takes_the_lines_that_name_it_with_the_other_computer() -> None:
    line = "/dev/disk/by-id/md-name-other:tank-part1 /srv/b ext4 defaults 0 2"
    entry = "ARRAY /dev/md/tank name=other:tank"
    where = two_tanks(fstab=(line,), mdadm_conf_arrays=(entry,))
    assert {"fstab", "conf"} < set(ids(teardown(where, FOREIGN)))
    assert not {"fstab", "conf"} & set(ids(teardown(where, ARRAY_UUID)))


def test_an_array_that_is_not_running_keeps_the_lines_that_may_be_its_own() -> None:
    where = two_tanks(
        running=False, mdadm_conf_arrays=("ARRAY <ignore> name=tank", "ARRAY /dev/md/other:tank")
    )
    assert "conf" not in ids(teardown(where))


def test_a_disk_whose_name_another_one_has_too_is_not_taken_away() -> None:
    twin = msgspec.structs.replace(disk(6), serial="S-0002")
    with pytest.raises(Refused, match="/dev/sdb is called S-0002, and so is /dev/sdf"):
        teardown(with_array(None, twin))
    nameless = msgspec.structs.replace(member_disk(1), serial="", wwn="", by_id=())
    with pytest.raises(Refused, match="/dev/sda has no serial number, WWN or by-id name"):
        teardown(with_array(None, nameless))


def on_a_partition(*others: str, fstab: tuple[str, ...] = ()) -> Machine:
    """An array, top, on a disk and on the partition of an array, low; ``others``: further partitions of low."""
    nodes = ("/dev/md127p1", *others)
    low = array(
        name="low",
        mountpoints=(),
        signatures=tuple(
            Signature(device=node, offset=4096, type="linux_raid_member", uuid="2" * 32) for node in nodes
        ),
    )
    top = array(
        name="top",
        node="/dev/md125",
        path="/dev/md/top",
        uuid="2" * 32,
        level="raid1",
        below=(low.node,),
        members=(
            Member(path="/dev/md127p1", slot=0, state=("in_sync",)),
            Member(path="/dev/sdd1", disk="S-0004", slot=1, state=("in_sync",)),
        ),
    )
    disks = (*(member_disk(n) for n in (1, 2, 3)), member_disk(4, "2" * 32))
    return machine(*disks, arrays=(low, top), fstab=fstab)


@pytest.mark.parametrize("word", ["top", "low"])
def test_an_array_on_a_partition_of_an_array_goes_with_that_in_one_plan(word: str) -> None:
    made = teardown(on_a_partition(), word)
    steps = [step for step in made.steps if step.id.startswith(("clear", "stop", "zero"))]
    assert [step.id for step in steps] == ["clear", "stop", "zero", "clear-2", "stop-2", "zero-2"]
    assert {disk.identity for disk in made.disks} == {"S-0001", "S-0002", "S-0003", "S-0004"}
    part = f"/dev/disk/by-id/md-uuid-{md_spelling(ARRAY_UUID)}-part1"
    assert ("wipefs", "--all", part) in [run.argv for run in steps[2].actions if isinstance(run, Run)]
    assert "the array low: its part of the array top" in steps[2].destroys
    assert not [step for step in steps[3:] if "array top" in step.title]


def test_an_array_on_one_of_several_partitions_of_an_array_is_refused() -> None:
    with pytest.raises(Refused, match=r"which has others too: /dev/md127p2\. Remove what is on these"):
        teardown(on_a_partition("/dev/md127p2"), "top")


def test_an_array_under_another_is_in_use_by_it_when_its_own_lines_go() -> None:
    made = teardown(on_a_partition(fstab=("/dev/md127 /srv/low ext4 noauto 0 0",)), "top")
    (lines,) = [step for step in made.steps if step.id == "fstab"]
    assert lines.actions[0] == DropLine(path="/etc/fstab", line="/dev/md127 /srv/low ext4 noauto 0 0")
    assert lines.before == ()
