"""What an array needs the administrator to do: which disk replaces a lost one, and how it starts."""

from collections.abc import Sequence

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.replacements import remedies_of
from raidtui.backends.md.units import unit_of
from raidtui.backends.units import units_of
from raidtui.model.device import Device, DeviceKind
from raidtui.model.finding import Remedy
from raidtui.model.history import BurnIn, History, SlowPart
from raidtui.model.lost import LostMember
from raidtui.model.machine import Array, Disk, Machine, Member, Mount, Partition, Signature, Sync
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Severity
from raidtui.model.procedure import ReAdd, Recover, Replace
from raidtui.model.smart import Smart
from raidtui.model.superblock import Superblock
from raidtui.model.unit import Health, Unit
from raidtui.plan.care import make_care
from raidtui.plan.replace import make_replace
from raidtui.steps.partitions import LINUX_RAID
from tests.ui import machines
from tests.ui.machines import disk, running_array, superblock, with_superblock
from tests.unit.plan_machines import SEED
from tests.unit.remedies import does

PENDING = Sync(action="recover", done_bytes=0, total_bytes=0, bytes_per_second=0, waiting="pending")


FSTAB = "UUID=aaaa-bbbb /srv/tank ext4 defaults,nofail 0 2"
FILES = (Signature(device="/dev/md127", offset=1080, type="ext4", uuid="aaaa-bbbb"),)


def part(made: Disk, **changes: object) -> Disk:
    """``made`` with the one partition of a member."""
    partition = Partition(
        name=f"{made.name}1",
        path=f"{made.path}1",
        number=1,
        start_bytes=1024**2,
        size_bytes=made.size_bytes - 200 * 1024**2,
    )
    return msgspec.structs.replace(made, partitions=(partition,), free=False, **changes)


def nas(array: Array, *more: Disk, fstab: tuple[str, ...] = (), mounts: tuple[Mount, ...] = ()) -> Machine:
    """Three disks with members of ``array`` (the fourth is gone) and some more."""
    machine = machines.machine([*(part(disk(n)) for n in (1, 2, 3)), *more], [array], mounts)
    return msgspec.structs.replace(machine, system=msgspec.structs.replace(machine.system, fstab=fstab))


def degraded(**changes: object) -> Array:
    made = running_array()
    about: dict[str, object] = {"degraded": 1, "members": made.members[:3]} | changes
    return msgspec.structs.replace(made, **about)


def care_for(array: Array, machine: Machine) -> tuple[Remedy, ...]:
    """What one array needs."""
    (found,) = remedies_of([unit_of(array)], machine)
    return found


def said(array: Array, machine: Machine) -> tuple[list[str], list[str]]:
    """The sentences and all commands."""
    found = care_for(array, machine)
    return [one.text for one in found], [line for one in found for line in does(one)]


def test_a_whole_array_needs_nothing() -> None:
    assert care_for(running_array(), nas(running_array())) == ()


def test_a_free_disk_is_partitioned_as_its_new_siblings_and_added() -> None:
    texts, commands = said(degraded(), nas(degraded(), disk(5)))
    assert texts == [f"replace the missing member with the free disk {disk(5).serial} (sdf), 4.00 TB"]
    assert commands == [f"replace with {disk(5).serial}"]


def test_members_that_are_whole_disks_are_replaced_by_a_whole_disk() -> None:
    members = tuple(
        msgspec.structs.replace(m, path=m.path.rstrip("1"), offset_bytes=1024**2) for m in degraded().members
    )
    array = degraded(members=members)
    machine = machines.machine([disk(1), disk(2), disk(3), disk(5)], [array])
    taken = [msgspec.structs.replace(d, free=False) for d in machine.disks[:3]]
    machine = msgspec.structs.replace(machine, disks=(*taken, machine.disks[3]))
    assert said(array, machine)[1] == [f"replace with {disk(5).serial}"]


def test_the_free_disk_most_like_the_lost_one_is_named_with_its_hazards() -> None:
    small, large = disk(5, size_bytes=10**12), disk(6, size_bytes=18 * 10**12)
    usb, right = disk(7, transport="usb"), disk(8)
    flash = disk(9, rotational=False, transport="nvme")
    assert disk(8).serial in said(degraded(), nas(degraded(), small, large, usb, flash, right))[0][0]
    assert disk(6).serial in said(degraded(), nas(degraded(), small, large, usb, flash))[0][0]
    (only_usb,) = care_for(degraded(), nas(degraded(), usb))
    assert disk(7).serial in only_usb.text
    assert any(one.startswith("HIGH usb:") and "on USB" in one for one in only_usb.warnings)
    (mixed,) = care_for(degraded(), nas(degraded(), flash))
    assert any("slowest member" in one for one in mixed.warnings)


def test_a_disk_with_larger_sectors_is_never_named() -> None:
    """The array would turn to them while it is mounted, and its XFS no longer mount."""
    large = disk(5, logical_sector_bytes=4096)
    texts, commands = said(degraded(), nas(degraded(), large))
    assert "4096-byte sectors, the others 512" in texts[0]
    assert commands == []


def test_a_disk_that_reports_that_it_fails_is_never_named() -> None:
    bad = disk(5, smart=msgspec.structs.replace(disk(5).smart or Smart(), passed=False))
    texts, commands = said(degraded(), nas(degraded(), bad))
    assert "reports that it is failing" in texts[0]
    assert commands == []


def test_a_shingled_disk_is_named_last_and_its_hazard_told() -> None:
    shingled = disk(5, zoned="host-aware")
    assert (
        disk(6).serial in said(degraded(), nas(degraded(), shingled, disk(6, size_bytes=18 * 10**12)))[0][0]
    )
    (care,) = care_for(degraded(), nas(degraded(), shingled))
    assert any("shingled" in one for one in care.warnings)


@pytest.mark.parametrize(
    ("found", "warning"),
    [
        (
            {"bad": ((80, 87),)},
            "HIGH burn-in-errors: WD-WCC7K0016: 2026-11-20: cannot be read: 8 sectors, 80-87.",
        ),
        (
            {"slow": (SlowPart(begin_bytes=0, end_bytes=10**9, share=0.5),)},
            "WARN burn-in-slow: WD-WCC7K0016: 2026-11-20: slow: 50 % of its neighbors' speed everywhere.",
        ),
    ],
)
def test_a_disk_that_did_badly_in_its_burn_in_is_named_last(found: dict[str, object], warning: str) -> None:
    result = BurnIn(
        subject=disk(5).serial,
        at="2026-11-20T10:00:00+00:00",
        begun="",
        size_bytes=10**9,
        zone_bytes=10**9,
        **found,  # type: ignore[arg-type]
    )
    history = History(burn_ins=(result,))
    both = msgspec.structs.replace(nas(degraded(), disk(5), disk(6)), history=history)
    assert disk(6).serial in care_for(degraded(), both)[0].text
    alone = msgspec.structs.replace(nas(degraded(), disk(5)), history=history)
    (care,) = care_for(degraded(), alone)
    assert disk(5).serial in care.text
    assert any(one.startswith(warning) for one in care.warnings), care.warnings


def test_where_no_disk_is_free_the_size_to_connect_is_said() -> None:
    texts, commands = said(degraded(), nas(degraded(), disk(5, size_bytes=10**12)))
    assert texts == ["replace the missing member: connect a disk of 4.00 TB or more; none is free here"]
    assert commands == []


def test_without_root_nobody_can_see_which_disk_is_free() -> None:
    unread = msgspec.structs.replace(nas(degraded(), disk(5)), complete=False)
    texts, commands = said(degraded(), unread)
    assert texts[0].startswith("run raidtui as root")
    assert commands == []


def with_former(array: Array, *more: Disk, **own: object) -> Machine:
    """`nas` with the disk of slot 3 back."""
    machine = nas(array, with_superblock(disk(4), array), *more)
    known = (*(superblock(slot, active=(0, 1, 2)) for slot in range(3)), superblock(3, **own))
    return msgspec.structs.replace(machine, superblocks=known)


def test_a_former_member_that_is_back_goes_before_a_free_disk() -> None:
    texts, commands = said(degraded(), with_former(degraded(), disk(5), events=25))
    assert texts == [f"re-add the former member {disk(4).serial} (sde), then check the array"]
    assert commands == [f"re-add {disk(4).serial}"]


@pytest.mark.parametrize(
    "own",
    [{"reshaping": True}, {"raid_disks": 3}, {"layout": 1}, {"chunk_bytes": 4096}, {"component_bytes": 4096}],
)
def test_a_member_that_left_before_the_array_was_reshaped_is_not_re_added(own: dict[str, object]) -> None:
    _, commands = said(degraded(), with_former(degraded(), disk(5), events=25, **own))
    assert commands == [f"replace with {disk(5).serial}"]


FAULTY = LostMember(path="/dev/sde1", disk=disk(4).serial, model=disk(4).model, state=("faulty",))


def test_a_former_member_that_failed_is_not_named_while_a_blank_disk_is_free() -> None:
    array = degraded(lost=(FAULTY,))
    texts, commands = said(array, with_former(array, disk(5), events=25))
    assert disk(5).serial in texts[0]
    assert not any("sde" in command or disk(4).serial in command for command in commands)
    texts, commands = said(array, with_former(array, events=25))
    assert texts[0].startswith("connect a blank disk of 4.00 TB or more")
    assert f"{disk(4).serial} (sde) failed before" in texts[0]
    assert texts[1] == f"if it was no fault of its own: re-add {disk(4).serial} (sde), then check the array"
    assert commands == [f"re-add {disk(4).serial}"]


def test_a_former_member_that_failed_is_re_added_only_if_a_person_names_that_and_accepts_it() -> None:
    array = degraded(lost=(FAULTY,))
    machine = with_former(array, events=25)
    (finding,) = [one for one in diagnose(units_of(machine), machine) if one.unit == array.uuid]
    assert finding.first is None, "'care tank' alone does not do it"
    (chosen,) = [one.procedure for one in finding.remedies if one.procedure is not None]
    assert chosen == ReAdd(unit=array.uuid, disk=disk(4).serial, failed=True)
    plan = make_care(chosen, machine, seed=SEED)
    assert [(one.id, one.severity) for one in plan.hazards] == [("failed-before", Severity.HIGH)]
    usual = make_care(ReAdd(unit=array.uuid, disk=disk(4).serial), machine, seed=SEED)
    assert [step.actions for step in plan.steps] == [step.actions for step in usual.steps]


GONE = LostMember(path="/dev/sde1", disk=disk(4).serial, model=disk(4).model)


def test_a_disk_that_lost_what_was_on_it_comes_after_other_blank_ones_and_with_a_warning() -> None:
    array = degraded(lost=(GONE,))
    _, commands = said(array, nas(array, disk(4), disk(5)))
    assert commands == [f"replace with {disk(5).serial}"]
    machine = nas(array, disk(4))
    (remedy,) = care_for(array, machine)
    assert any("was a member and is blank now" in one for one in remedy.warnings)
    assert isinstance(remedy.procedure, Replace)
    assert remedy.procedure.new == disk(4).serial


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"events": 19}, "keep it as it is"),  # the bitmap has forgotten what was written since
        (
            {"events": 25, "bitmap_cleared": None, "active": (3,)},
            "Erase neither",
        ),  # it ran without the others
        ({"events": 31}, "keep it as it is"),  # it is newer than the array
    ],
)
def test_no_superblock_is_zeroed_while_the_array_has_no_redundancy(
    own: dict[str, object], words: str
) -> None:
    """The stale member may be the only other copy."""
    texts, commands = said(degraded(), with_former(degraded(), **own))
    assert words in texts[0]
    assert commands == []
    texts, commands = said(degraded(), with_former(degraded(), disk(5), **own))
    assert any(disk(5).serial in text for text in texts)
    assert commands == [f"replace with {disk(5).serial}"]


def test_with_redundancy_left_a_stale_member_is_erased_and_added() -> None:
    array = degraded(level="raid6")
    texts, commands = said(array, with_former(array, level="raid6", events=19))
    assert texts == [f"erase the former member {disk(4).serial} (sde) and add it"]
    assert commands == [f"replace with {disk(4).serial}"]


def test_while_a_clone_of_a_member_is_connected_nothing_is_changed() -> None:
    texts, commands = said(degraded(), with_former(degraded(), disk(5), device="0"))
    assert "a clone, or a second path" in texts[0]
    assert commands == []


def test_an_array_without_redundancy_is_mounted_and_backed_up_before_anything_else() -> None:
    array = degraded(mountpoints=(), signatures=FILES)
    texts, commands = said(array, nas(array, disk(5), fstab=(FSTAB,)))
    assert texts[0] == "mount it and back up its data: /srv/tank is in fstab and not mounted"
    assert commands[0] == "mount /srv/tank"
    texts, _ = said(array, with_former(array, events=25))
    assert texts[0] == "mount it read-only and back up its data: the next failure loses it"
    assert texts[1].startswith("re-add")


def test_while_a_spare_is_rebuilt_nothing_is_asked_of_anybody() -> None:
    rebuilt = Member(path="/dev/sdf1", disk=disk(5).serial, slot=3, state=("spare",))
    array = degraded(sync_action="recover", sync=msgspec.structs.replace(PENDING, waiting=""))
    array = msgspec.structs.replace(array, members=(*array.members, rebuilt))
    assert care_for(array, nas(array, disk(6))) == ()


def test_a_failed_member_is_removed_so_that_its_disk_can_be_replaced() -> None:
    """Also where a spare has taken its place, and nothing is missing."""
    failed = Member(path="/dev/sde1", disk=disk(4).serial, slot=None, state=("faulty", "write_error"))
    spare = Member(path="/dev/sdf1", disk=disk(5).serial, slot=3, state=("in_sync",))
    array = running_array(members=(*degraded().members, spare, failed))
    texts, commands = said(array, nas(array))
    assert texts == [
        f"remove {disk(4).serial} (sde1) from the array, as it has failed; its disk can then be pulled and replaced"
    ]
    assert commands == ["remove-failed"]
    without = degraded(members=(*degraded().members, failed))
    texts, _ = said(without, nas(without, disk(6)))
    assert [text.split()[0] for text in texts] == ["replace", "remove"]


def test_a_failed_array_is_assembled_again_with_the_members_that_it_lost_last() -> None:
    """No advice to erase or rebuild one: without them the data is lost."""
    array = degraded(state="broken", degraded=2, mountpoints=("/srv/tank",))
    failed = Member(path="/dev/sdd1", disk=disk(3).serial, slot=None, state=("faulty",))
    array = msgspec.structs.replace(array, members=(*array.members[:2], failed))
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    paths = tuple(stable_paths(one)[f"{one.path}1"] for one in there[:3])
    again = msgspec.structs.replace(array, newest=paths)

    def machine(array: Array) -> Machine:
        return machines.machine([*there, disk(5)], [array])

    assert said(array, machine(again)) == (
        [
            f"assemble it again with {disk(3).serial} (sdd), without {disk(4).serial} (sde), whose data is out of date, "
            "then back up its data"
        ],
        ["start-forced"],
    )
    assert said(array, machine(array)) == (["connect the missing disks: RAID5 cannot run without them"], [])
    as_user = msgspec.structs.replace(machine(array), complete=False)
    assert said(array, as_user)[0][0].startswith("run raidtui as root")


def test_an_array_that_was_not_mounted_at_boot_is_mounted_which_starts_its_rebuild() -> None:
    array = running_array(state="read-auto", sync_action="recover", sync=PENDING, signatures=FILES)
    texts, commands = said(array, nas(array, fstab=(FSTAB,)))
    assert texts == ["mount it: /srv/tank is in fstab and not mounted, and its rebuild waits until then"]
    assert commands == ["mount /srv/tank"]
    quiet = running_array(state="read-auto", signatures=FILES)
    assert said(quiet, nas(quiet, fstab=(FSTAB,)))[0] == ["mount it: /srv/tank is in fstab and not mounted"]


@pytest.mark.parametrize(
    ("fstab", "mountpoints"),
    [
        ((), ()),
        ((FSTAB.replace("defaults", "noauto"),), ()),
        (("UUID=cccc /srv/other ext4 defaults 0 2",), ()),
        ((FSTAB,), ("/srv/tank",)),
    ],
)
def test_what_fstab_does_not_mount_at_boot_is_not_asked_for(
    fstab: tuple[str, ...], mountpoints: tuple[str, ...]
) -> None:
    array = running_array(signatures=FILES, mountpoints=mountpoints)
    assert care_for(array, nas(array, fstab=fstab)) == ()


def test_a_filesystem_of_several_arrays_that_names_another_of_them_is_mounted() -> None:
    pool = Signature(device="/dev/md127", offset=65600, type="btrfs", uuid="aaaa-bbbb")
    array = running_array(signatures=(pool,))
    mount = Mount(
        source="/dev/md5", target="/srv/tank", type="btrfs", device="/dev/md5", device_number="0:40"
    )
    where = nas(array, fstab=(FSTAB,), mounts=(mount,))
    own = Device(name="md127", kind=DeviceKind.ARRAY, type="btrfs", uuid="aaaa-bbbb")
    other = msgspec.structs.replace(own, name="md5")
    assert care_for(array, msgspec.structs.replace(where, devices=(own, other))) == ()
    alone = msgspec.structs.replace(where, devices=(own, msgspec.structs.replace(other, uuid="cccc")))
    assert [one.text for one in care_for(array, alone)] == ["mount it: /srv/tank is in fstab and not mounted"]


def test_a_sync_that_waits_for_the_first_write_is_started_by_readwrite() -> None:
    array = running_array(
        state="read-auto", sync_action="resync", sync=msgspec.structs.replace(PENDING, action="resync")
    )
    assert said(array, nas(array)) == (
        ["its resync waits for the first write; start it"],
        ["let-sync"],
    )
    paused = msgspec.structs.replace(array, sync_action="frozen")
    texts, commands = said(paused, nas(paused))
    assert texts[0].startswith("let its syncs run to the end: they are paused")
    assert commands == ["let-sync"]


def inactive(
    present: Sequence[int], *known: Superblock, level: str = "raid5", **changes: object
) -> list[str]:
    """The first sentence and its commands for an array that md holds the members ``present`` of, of all ``known``.

    A trial on overlays, which writes to no disk, is passed over.
    """
    array = running_array(state="inactive", level=level, degraded=None, mountpoints=(), **changes)
    array = msgspec.structs.replace(array, members=tuple(array.members[slot] for slot in present))
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    machine = msgspec.structs.replace(machines.machine(there, [array]), superblocks=known)
    first, *rest = care_for(array, machine)
    if isinstance(first, Remedy) and isinstance(first.procedure, Recover):
        first = rest[0]
    return [first.text, *does(first)]


def of_level(level: str, *slots: int, **changes: object) -> tuple[Superblock, ...]:
    return tuple(superblock(slot, level=level, **changes) for slot in slots)


WHOLE = of_level("raid5", 0, 1, 2, 3)
BY_ID = [stable_paths(part(disk(number)))[f"{disk(number).path}1"] for number in (1, 2, 3, 4)]


@pytest.mark.parametrize("present", [(0,), (0, 1), (1, 2, 3)])
def test_members_that_are_here_and_not_in_an_inactive_array_are_added_to_it(present: tuple[int, ...]) -> None:
    """It is not started degraded: the good member outside would then be a former one."""
    text, *commands = inactive(present, *WHOLE)
    assert text.startswith("start it: add ")
    assert "here and up to date" in text
    assert commands == ["start"]


def test_a_mirror_with_one_half_inside_gets_the_other() -> None:
    halves = of_level("raid1", 0, 1, raid_disks=2, active=(0, 1))
    text, *commands = inactive((0,), *halves, level="raid1", raid_disks=2)
    assert text.startswith("start it: add ")
    assert commands == ["start"]


@pytest.mark.parametrize(
    ("present", "level", "text", "command"),
    [
        ((0, 1, 2, 3), "raid5", "start it", "start"),
        ((0, 1, 2), "raid5", "connect the missing disk, or start it degraded", "start-degraded"),
        ((0, 1), "raid5", "connect the missing disks: RAID5 cannot start without them", ""),
        ((0, 1, 2), "raid0", "connect the missing disk: RAID0 cannot start without it", ""),
    ],
)
def test_an_inactive_array_says_how_it_starts(
    present: tuple[int, ...], level: str, text: str, command: str
) -> None:
    """Its other members are not here."""
    assert inactive(present, *of_level(level, *present), level=level) == [
        text,
        *([command] if command else []),
    ]


def test_an_array_that_failed_before_a_reboot_is_assembled_from_those_that_left_last() -> None:
    """All its members are here, but md refuses those that are behind."""
    known = (*of_level("raid5", 0, 1), superblock(2, events=26), superblock(3, events=11))
    text, *commands = inactive((0, 1, 2, 3), *known)
    assert text == (
        f"assemble it again with 3 members, without {disk(4).serial} (sde), whose data is out of date, then back up its data"
    )
    assert commands == ["start-forced"]


@pytest.mark.parametrize(
    ("known", "place"),
    [
        ((*of_level("raid5", 0, 1), superblock(2, events=26), superblock(3, events=11)), 0),
        ((*WHOLE[:3], superblock(3, reshaping=True)), 0),
        ((superblock(0, active=(0, 1)), *of_level("raid5", 2, 3, active=(2, 3))), 0),
        (of_level("raid5", 0, 1, 2, clean=False), 1),  # a disk is not connected: it may have newer data
        ((*WHOLE[:3], superblock(3, device="0")), None),  # a clone: which of the two is tried?
        (of_level("raid5", 0, 1), None),  # too few for any file
        (WHOLE, None),  # it starts without force
    ],
)
def test_a_trial_is_the_first_step_where_only_force_would_start_it(
    known: tuple[Superblock, ...], place: int | None
) -> None:
    array = running_array(state="inactive", degraded=None, mountpoints=())
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    machine = msgspec.structs.replace(machines.machine(there, [array]), superblocks=known)
    found = [
        number
        for number, one in enumerate(care_for(array, machine))
        if isinstance(one, Remedy) and one.procedure == Recover(unit=array.uuid)
    ]
    assert found == ([] if place is None else [place])


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ((*WHOLE[:3], superblock(3, device="0")), "have the same superblock"),
        ((superblock(0, active=(0, 1)), *of_level("raid5", 2, 3, active=(2, 3))), "used without each other"),
        ((*WHOLE[:3], superblock(3, reshaping=True)), "its reshape was interrupted"),
        (of_level("raid5", 0, 1, 2, clean=False), "it was being written to when it stopped"),
        ((), "its superblocks cannot be read"),
    ],
)
def test_where_no_command_is_certain_a_sentence_stands_alone(
    known: tuple[Superblock, ...], words: str
) -> None:
    text, *commands = inactive((0, 1, 2), *known)
    assert words in text
    assert commands == []


def test_a_stopped_array_is_a_unit_that_says_how_it_starts() -> None:
    array = running_array()
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    machine = msgspec.structs.replace(machines.machine(there), superblocks=WHOLE)
    (unit,) = units_of(machine)
    assert (unit.name, unit.state, unit.node) == ("tank", "stopped, not assembled", "")
    ((care,),) = remedies_of([unit], machine)
    assert care.text == "start it: all 4 members are here and up to date"
    assert does(care) == ["start"]
    torn = msgspec.structs.replace(machine, disks=machine.disks[:3], superblocks=WHOLE[:3])
    (unit,) = units_of(torn)
    assert unit.state == "stopped, not assembled: 1 of 4 members not here"
    ((care,),) = remedies_of([unit], torn)
    assert (
        care.text
        == "connect the missing disk, or start it degraded with the 3 members here, which are up to date"
    )
    assert does(care) == ["start-degraded"]
    as_user = msgspec.structs.replace(machine, superblocks=(), complete=False)
    ((care,),) = remedies_of(units_of(as_user), as_user)
    assert care.text.startswith("run raidtui as root")


def test_a_firmware_container_is_healthy_while_its_volumes_run() -> None:
    container = Array(
        name="imsm", node="/dev/md127", metadata="external:imsm", state="inactive", level="container"
    )
    healthy = msgspec.structs.replace(container, volumes=("/dev/md126",))
    assert (unit_of(healthy).health, unit_of(healthy).state) == (
        Health.OK,
        "firmware RAID, its disks hold md126",
    )
    assert care_for(healthy, machines.machine()) == ()
    assert said(container, machines.machine()) == (
        ["start its volumes"],
        ["start"],
    )


def four_on_two(
    *lost: str, blank: int = 1, levels: Sequence[str] = ("raid1",) * 4
) -> tuple[list[Unit], Machine]:
    """Arrays md0 to md3 on four partitions of sdb; the disk with their other members is gone."""
    first = disk(1)
    parts = tuple(
        Partition(
            name=f"sdb{number}",
            path=f"/dev/sdb{number}",
            number=number,
            start_bytes=number * 2**30,
            size_bytes=2**30,
            type=LINUX_RAID,
        )
        for number in range(1, 5)
    )
    first = msgspec.structs.replace(first, partitions=parts, free=False)
    arrays = [
        running_array(
            name=f"m{number}",
            node=f"/dev/md{number}",
            path="",
            uuid=f"{number}" * 8,
            level=level,
            raid_disks=4 if level == "raid6" else 2,
            degraded=1,
            members=tuple(
                Member(
                    path=f"/dev/sdb{number + 1}" if slot == 0 else f"/dev/sdx{slot}",
                    slot=slot,
                    state=("in_sync",),
                )
                for slot in range(3 if level == "raid6" else 1)
            ),
        )
        for number, level in enumerate(levels)
    ]
    machine = machines.machine([first, *(disk(5 + n) for n in range(blank))], arrays)
    return [unit_of(array) for array in arrays], machine


def test_one_disk_replaces_the_members_of_several_arrays_with_a_copy_of_the_table() -> None:
    units, machine = four_on_two()
    first, *others = remedies_of(units, machine)
    assert "also gets the members of array m1, array m2 and array m3" in first[0].text
    assert first[0].procedure == Replace(
        old="", new=disk(5).serial, missing_from=tuple(unit.uuid for unit in units)
    )
    plan = make_replace(first[0].procedure, machine, seed="5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11")
    assert [step.id for step in plan.steps if step.id.startswith("add")] == ["add", "add-2", "add-3", "add-4"]
    for care in others:
        assert care[0].procedure == first[0].procedure
        assert care[0].text.endswith("together with that of array m0")


def test_a_table_is_not_copied_to_a_disk_with_other_sectors() -> None:
    """sfdisk counts in them."""
    units, machine = four_on_two()
    pattern = msgspec.structs.replace(machine.disks[0], logical_sector_bytes=4096)
    machine = msgspec.structs.replace(machine, disks=(pattern, *machine.disks[1:]))
    assert all(does(one) == [] for some in remedies_of(units, machine) for one in some)


def test_the_array_without_redundancy_comes_first_and_gets_the_only_disk() -> None:
    units, machine = four_on_two(levels=("raid6", "raid1", "raid6", "raid1"))
    care = remedies_of(units, machine)
    order = [units[number].uuid for number in (1, 3, 0, 2)]
    assert [some[0].procedure for some in care] == [
        Replace(old="", new=disk(5).serial, missing_from=tuple(order))
    ] * 4
    assert "also gets" in care[1][0].text


def test_two_arrays_that_lost_different_disks_do_not_get_the_same_one() -> None:
    one, two = degraded(), degraded(name="other", uuid="1" * 8, node="/dev/md1")
    lost = (msgspec.structs.replace(FAULTY, state=()),)
    one = msgspec.structs.replace(one, lost=lost)
    two = msgspec.structs.replace(two, lost=(msgspec.structs.replace(lost[0], disk="other"),))
    machine = nas(one, disk(5), disk(6))
    first, second = remedies_of([unit_of(one), unit_of(two)], machine)
    assert disk(5).serial in first[0].text
    assert disk(6).serial in second[0].text
    machine = nas(one, disk(5))
    _, second = remedies_of([unit_of(one), unit_of(two)], machine)
    assert "goes to array tank first" in second[0].text
    assert does(second[0]) == []
