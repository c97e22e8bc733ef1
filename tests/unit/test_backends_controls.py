"""What each backend lets a person order of its units, how, and when raidtui puts limits back by itself."""

from collections.abc import Sequence

import msgspec
import pytest

from raidtui.backends.control import Control, PutBack, Write
from raidtui.backends.controls import controls_of
from raidtui.backends.md.units import unit_of
from raidtui.backends.pace import NORMAL, PACES, limit_words, next_pace, pace_of
from raidtui.backends.units_now import seconds_to_wait
from raidtui.model.machine import Array, Sync
from raidtui.model.plan import Run
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Health, Limits, Unit, UnitMember
from tests.unit.lvm_machines import status

USUAL = (1_024_000, 204_800_000)
FAST = Array(
    name="tank",
    node="/dev/md127",
    uuid="a:b",
    level="raid5",
    raid_disks=3,
    sync_speed_min=50_000_000,
    sync_speed_max=204_800_000,
)
RUNS = Sync(action="resync", done_bytes=1, total_bytes=2, bytes_per_second=3)
CHECKS = msgspec.structs.replace(RUNS, action="check")
MD = "/sys/block/md127/md"


def of(array: Array) -> set[Control]:
    return set(controls_of(unit_of(array, USUAL), ()))


def changed(**about: object) -> Array:
    return msgspec.structs.replace(FAST, **about)


@pytest.mark.parametrize(
    ("array", "due"),
    [
        (FAST, True),
        (changed(sync=RUNS, sync_action="resync"), False),
        (changed(sync_action="frozen"), False),
        (changed(sync_speed_min=1_024_000), False),
        (changed(sync_speed_min=None), False),
    ],
    ids=["ended", "runs", "paused", "the system's", "no sync at all"],
)
def test_limits_are_given_back_once_the_sync_has_ended(array: Array, due: bool) -> None:
    assert (Control.RESTORE in of(array)) is due


def test_where_the_system_is_not_known_nothing_is_changed() -> None:
    assert unit_of(FAST).limits is None
    assert Control.RESTORE not in controls_of(unit_of(FAST), ())


@pytest.mark.parametrize(
    ("array", "takes"),
    [
        (changed(sync_speed_min=1_024_000), {Control.SCRUB}),
        (changed(sync=RUNS, sync_action="resync"), {Control.PAUSE, Control.FASTER, Control.SLOWER}),
        (changed(sync=CHECKS, sync_action="check"), {Control.STOP, Control.FASTER, Control.SLOWER}),
        (changed(sync_action="frozen"), {Control.RESUME}),
        (changed(sync=RUNS, sync_action="frozen"), {Control.RESUME}),
        (changed(state="inactive"), set()),
        (changed(level="raid0", sync_speed_min=None), set()),
        (changed(state="readonly", sync_speed_min=1_024_000), set()),
        (changed(degraded=1, sync_speed_min=1_024_000), set()),
    ],
    ids=["idle", "resync", "check", "frozen", "paused", "inactive", "raid0", "read-only", "degraded"],
)
def test_an_array_takes_what_md_can_do_now(array: Array, takes: set[Control]) -> None:
    assert of(array) == takes


def test_md_is_ordered_through_its_files() -> None:
    idle, runs = controls_of(unit_of(FAST, USUAL), ()), controls_of(unit_of(changed(sync=RUNS), USUAL), ())
    assert idle[Control.SCRUB].actions == (
        Write(path=f"{MD}/sync_min", text="0"),
        Write(path=f"{MD}/sync_max", text="max"),
        Write(path=f"{MD}/sync_action", text="check"),
    )
    assert idle[Control.RESTORE].actions == (PutBack(paths=(f"{MD}/sync_speed_max", f"{MD}/sync_speed_min")),)
    assert runs[Control.PAUSE].actions == (Write(path=f"{MD}/sync_action", text="frozen"),)
    assert runs[Control.SLOWER].actions == (
        Write(path=f"{MD}/sync_speed_max", text="48828", keep=True),
        Write(path=f"{MD}/sync_speed_min", text="1000", keep=True),
    )


def test_what_the_last_check_of_an_array_found_is_told() -> None:
    assert unit_of(changed(mismatch_sectors=128)).scrubbed == "last check: mismatches in 128 sectors"
    assert unit_of(changed(mismatch_sectors=0)).scrubbed == ""
    assert unit_of(changed(mismatch_sectors=128, sync=CHECKS)).scrubbed == ""
    clean = changed(mismatch_sectors=0, checked=True)
    assert unit_of(clean).scrubbed == "last check: no mismatches found"


def unit(backend: Backend, level: str, **about: object) -> Unit:
    base = Unit(
        backend=backend,
        name="tank",
        uuid="1-2",
        marks=("1-2",),
        level=level,
        size_bytes=1,
        path={Backend.LVM: "/dev/ta-nk/data"}.get(backend, "tank"),
        node="/dev/dm-0",
        health=Health.OK,
        state="in sync",
    )
    return msgspec.structs.replace(base, **about)


def commands(one: Unit, control: Control, others: Sequence[Unit] = ()) -> list[str]:
    actions = controls_of(one, (one, *others))[control].actions
    return [" ".join(action.argv) for action in actions if isinstance(action, Run)]


def doing(what: str, *, paused: bool = False) -> Activity:
    return Activity(what=what, fraction=0.5, paused=paused)


def test_a_raid_volume_is_checked_stopped_and_paced_by_lvm() -> None:
    idle = unit(Backend.LVM, "raid5", limits=Limits())
    checks = msgspec.structs.replace(idle, activity=doing("check"), health=Health.SYNCING)
    assert commands(idle, Control.SCRUB) == ["lvchange --syncaction check ta-nk/data"]
    kernel = msgspec.structs.replace(checks, reading=status(name="ta--nk-data-real"))  # it has a snapshot
    assert commands(kernel, Control.STOP) == ["dmsetup message ta--nk-data-real 0 idle"]
    assert commands(checks, Control.SLOWER) == [
        "lvchange --minrecoveryrate 1000k --maxrecoveryrate 48828k ta-nk/data"
    ]
    slow = Limits(least=PACES[2].minimum, most=PACES[2].maximum, own=True)
    assert commands(msgspec.structs.replace(checks, limits=slow), Control.FASTER) == [
        "lvchange --minrecoveryrate 0k --maxrecoveryrate 0k ta-nk/data"
    ]
    assert Control.PAUSE not in controls_of(checks, ())


def test_lvm_keeps_limits_with_the_volume_so_that_those_of_others_stay() -> None:
    ours = Limits(least=PACES[0].minimum, most=PACES[0].maximum, own=True)
    theirs = Limits(least=7_000_000, most=9_000_000, own=True)
    assert Control.RESTORE in controls_of(unit(Backend.LVM, "raid5", limits=ours), ())
    assert Control.RESTORE not in controls_of(unit(Backend.LVM, "raid5", limits=theirs), ())


@pytest.mark.parametrize("level", ["linear", "striped", "thin-pool"])
def test_a_volume_without_redundancy_takes_nothing(level: str) -> None:
    assert controls_of(unit(Backend.LVM, level), ()) == {}


def test_a_pool_is_scrubbed_paused_and_stopped_and_its_resilver_left_alone() -> None:
    idle = unit(Backend.ZFS, "raidz1")
    runs = msgspec.structs.replace(idle, activity=doing("scrub"))
    paused = msgspec.structs.replace(idle, activity=doing("scrub", paused=True))
    assert commands(idle, Control.SCRUB) == ["zpool scrub tank"]
    assert commands(runs, Control.PAUSE) == ["zpool scrub -p tank"]
    assert commands(runs, Control.STOP) == ["zpool scrub -s tank"]
    assert commands(paused, Control.RESUME) == ["zpool scrub tank"]
    assert Control.PAUSE not in controls_of(paused, ())
    assert controls_of(msgspec.structs.replace(idle, activity=doing("resilver")), ()) == {}


def test_btrfs_is_scrubbed_where_it_is_mounted_and_goes_on_where_it_was_stopped() -> None:
    members = (UnitMember(path="/dev/sda1", slot=1), UnitMember(path="", slot=2, state="missing"))
    idle = unit(
        Backend.BTRFS, "raid1", mountpoints=("/srv/tank",), members=members, limits=Limits(most_alone=True)
    )
    runs = msgspec.structs.replace(idle, activity=doing("scrub"))
    assert commands(idle, Control.SCRUB) == ["btrfs scrub start /srv/tank"]
    assert Control.RESUME not in controls_of(idle, ())
    assert commands(msgspec.structs.replace(idle, resumable="scrub"), Control.RESUME) == [
        "btrfs scrub resume /srv/tank"
    ]
    assert commands(runs, Control.STOP) == ["btrfs scrub cancel /srv/tank"]
    assert controls_of(runs, ())[Control.SLOWER].actions == (
        Write(path="/sys/fs/btrfs/1-2/devinfo/1/scrub_speed_max", text=str(PACES[2].maximum)),
    )
    assert Control.FASTER not in controls_of(runs, ()), "the system's is the fastest"
    assert controls_of(msgspec.structs.replace(runs, activity=doing("balance")), ()) == {}
    assert controls_of(msgspec.structs.replace(idle, mountpoints=()), ()) == {}


def test_a_group_on_arrays_is_controlled_through_them() -> None:
    one = unit_of(changed(sync=RUNS, sync_action="resync"), USUAL)
    other = unit_of(changed(uuid="c:d", node="/dev/md126", sync=RUNS, sync_action="resync"), USUAL)
    group = unit(Backend.LVM_ON_MD, "linear", below=("a:b", "c:d"), activity=doing("resync"))
    every = (one, other, group)
    assert set(controls_of(group, every)) == {Control.PAUSE, Control.FASTER, Control.SLOWER}
    assert controls_of(group, every)[Control.PAUSE].actions == (
        Write(path=f"{MD}/sync_action", text="frozen"),
        Write(path="/sys/block/md126/md/sync_action", text="frozen"),
    )
    assert controls_of(group, (group,)) == {}


@pytest.mark.parametrize(("step", "words"), [(1, "at least 50 MB/s"), (-1, "at most 50 MB/s")])
def test_from_the_systems_limits_one_step_leads_up_and_one_down(step: int, words: str) -> None:
    wanted = next_pace(Limits(least=USUAL[0], most=USUAL[1]), step)
    assert wanted is not None
    assert words in wanted.words


@pytest.mark.parametrize(("most", "slower"), [(60, 2), (50, 1), (8, 0), (5, None)])
def test_slower_is_never_faster_than_the_systems_own_limit(most: int, slower: int | None) -> None:
    """Somebody has set /proc/sys/dev/raid/speed_limit_max to less than the gentlest steps."""
    limits = Limits(least=1_000_000, most=most * 10**6 // 1024 * 1024)
    assert next_pace(limits, -1) == (None if slower is None else PACES[slower])


@pytest.mark.parametrize(("most", "faster"), [(60, 1), (50, 1), (20, NORMAL), (1, NORMAL)])
def test_faster_is_never_slower_than_the_gentle_step_before(most: int, faster: int) -> None:
    """The system's own limit, which nothing but the step hides, is lower than the other gentle steps."""
    gentlest = PACES[0]
    usual = most * 10**6 // 1024 * 1024
    limits = Limits(least=gentlest.minimum, most=gentlest.maximum, own=True, usual_most=usual)
    assert next_pace(limits, 1) == PACES[faster]


def test_every_pace_is_recognised_from_what_the_kernel_reports_and_the_ladder_has_two_ends() -> None:
    for number, one in enumerate(PACES):
        if number == NORMAL:
            continue
        limits = Limits(least=one.minimum, most=one.maximum, own=True)
        assert pace_of(limits) == number
        assert next_pace(limits, 1) == (None if number == len(PACES) - 1 else PACES[number + 1])
        assert next_pace(limits, -1) == (None if number == 0 else PACES[number - 1])


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (
            Limits(least=USUAL[0], most=USUAL[1]),
            "Speed limits: system default, 1.0 MB/s to 204.8 MB/s",
        ),
        (Limits(), "Speed limits: system default"),
        (Limits(least=7_000_000, most=9_000_000, own=True), "Speed limits: 7.0 MB/s to 9.0 MB/s"),
        (Limits(most=9_000_000, own=True, most_alone=True), "Speed limits: at most 9.0 MB/s"),
    ],
)
def test_limits_in_words(limits: Limits, words: str) -> None:
    assert limit_words(limits) == words


def test_a_backend_says_how_long_to_wait_until_the_next_look() -> None:
    idle, busy = unit(Backend.ZFS, "raidz1"), unit(Backend.ZFS, "raidz1", activity=doing("scrub"))
    btrfs = unit(Backend.BTRFS, "raid1", activity=doing("scrub"))
    assert seconds_to_wait([unit_of(FAST)]) is None, "the kernel reports what happens to an array"
    assert seconds_to_wait([unit_of(FAST), busy]) == 2
    assert seconds_to_wait([busy, btrfs]) == 1
    assert seconds_to_wait([idle]) == 30
    assert seconds_to_wait([]) is None
