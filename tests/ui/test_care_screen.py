"""Care: what is wrong, which disk it is, and the way from a finding to the job that does something about it."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.journal import JobRequest
from raidtui.model.lost import LostMember
from raidtui.model.machine import Array, Machine, Member
from raidtui.model.procedure import ReAdd, Start
from raidtui.ui.care import care_screen
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from tests.ui import machines
from tests.ui.pictures import (
    LOOKS,
    WITH_WIDE,
    SnapCompare,
    answers,
    in_app,
    open_app,
    picture,
    press,
    settle,
    shown,
)
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

DEGRADED, STOPPED = recorded("raid5-degraded"), recorded("raid5-stopped")


def lost(number: int, slot: int) -> LostMember:
    disk = machines.disk(number)
    return LostMember(
        path=f"{disk.path}1",
        disk=disk.serial,
        model=disk.model,
        place=f"ata{number}",
        slot=slot,
        noticed="2026-11-20T22:14:00+00:00",
    )


def array(number: int, *, first: int, gone: int = 0, **changes: object) -> Array:
    """A RAID5 of four disks from disk ``first``, of which the last ``gone`` are missing."""
    members = tuple(
        Member(
            path=f"{machines.disk(first + slot).path}1",
            disk=machines.disk(first + slot).serial,
            slot=slot,
            state=("in_sync",),
        )
        for slot in range(4 - gone)
    )
    about: dict[str, object] = {
        "name": f"tank{number}",
        "node": f"/dev/md{number}",
        "path": f"/dev/md/tank{number}",
        "uuid": f"{number:08x}-0000-4000-8000-000000000000",
        "members": members,
        "degraded": gone,
        "lost": tuple(lost(first + 3 - slot, 3 - slot) for slot in range(gone)),
    }
    return machines.running_array(**(about | changes))


def sick(count: int) -> Machine:
    """A computer with this number of findings, of several kinds."""
    arrays = [
        array(1, first=1, gone=1, mountpoints=("/srv/photos",)),
        array(2, first=5, gone=2, state="broken"),
        array(3, first=9, gone=1, level="raid6"),
    ][: min(count, 3)]
    arrays += [array(number, first=4 * number - 3, gone=1) for number in range(4, 4 + max(0, count - 6))]
    many = max(0, min(count, 6) - 3)
    lines = tuple(f"UUID=000{number} /srv/films{number} ext4 defaults,nofail 0 2" for number in range(many))
    disks = [
        machines.with_superblock(machines.disk(n), one)
        for one in arrays
        for n in range(1, 60)
        if machines.disk(n).serial in {member.disk for member in one.members}
    ]
    made = machines.machine([machines.system_disk(0), *disks, machines.disk(60)], arrays)
    system = msgspec.structs.replace(made.system, fstab=lines, fstab_nodes=("",) * many)
    return msgspec.structs.replace(made, system=system)


def at_care(machine: Machine, *, console: bool = False) -> RaidtuiApp:
    return open_app(machines.in_use(machine), "overview", "care", console=console)


@pytest.mark.parametrize("count", [1, 4, 12])
@WITH_WIDE
def test_findings(snap_compare: SnapCompare, look: str, count: int) -> None:
    assert picture(snap_compare, at_care(sick(count), console=look == "console"), look)


@WITH_WIDE
def test_nothing_is_wrong(snap_compare: SnapCompare, look: str) -> None:
    calm = machines.machine([machines.disk(n) for n in range(1, 9)], [array(1, first=1), array(2, first=5)])
    assert picture(snap_compare, at_care(calm, console=look == "console"), look)


@pytest.mark.parametrize(
    ("level", "survived"),
    [
        ("raid5", "any one failed disk"),
        ("raid6", "any 2 failed disks"),
        ("raid1", "at least one failed disk"),
    ],
)
def test_a_unit_that_is_well_says_how_many_failed_disks_it_survives(level: str, survived: str) -> None:
    app = at_care(machines.machine([machines.disk(n) for n in range(1, 5)], [array(1, first=1, level=level)]))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert f"; survives {survived}" in shown(app)

    in_app(app, walk)


@LOOKS
def test_the_page_of_a_finding(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_care(sick(1), console=look == "console"), look, keys=("f1",))


@LOOKS
def test_disks_out_of_a_nas_are_one_finding(snap_compare: SnapCompare, look: str) -> None:
    app = at_care(recorded("states/synology-shr-three-of-four"), console=look == "console")
    assert picture(snap_compare, app, look)


@LOOKS
def test_a_choice_says_first_what_it_costs(snap_compare: SnapCompare, look: str) -> None:
    app = at_care(lacking_one(), console=look == "console")
    assert picture(snap_compare, app, look, keys=("enter",))


@LOOKS
def test_a_plan_that_erases_nothing_asks_for_a_clear_yes(snap_compare: SnapCompare, look: str) -> None:
    app = at_care(STOPPED, console=look == "console")
    assert picture(snap_compare, app, look, keys=("enter", "enter"))


def lacking_one() -> Machine:
    """An array that is stopped; one of its three members is not here."""
    known = tuple(one for one in STOPPED.superblocks if one.slot != 2)
    gone = {one.path for one in STOPPED.superblocks} - {one.path for one in known}
    disks = tuple(disk for disk in STOPPED.disks if not gone & set(disk.every_path))
    return msgspec.structs.replace(STOPPED, superblocks=known, disks=disks)


def test_twelve_are_twelve_and_the_worst_is_first() -> None:
    app = at_care(sick(12))

    async def walk(_: Pilot[int]) -> None:
        lines = shown(app).splitlines()
        assert "Care: 12 findings" in lines[1]
        assert "DANGER" in lines[2]
        assert "tank2 HAS FAILED" in lines[2]

    in_app(app, walk)


def test_from_overview_to_the_job_without_a_serial_number_where_nothing_is_erased() -> None:
    app = open_app(STOPPED, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "care"
        assert "IS NOT STARTED; NOTHING IS LOST BY WAITING" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "procedure"
        assert "Erases no disk" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "confirm"
        assert "No disk is erased" in shown(app)
        await press(pilot, "enter")  # Cancel has the focus: a clear yes is another key
        assert app.place.name == "procedure"
        await press(pilot, "enter", "right", "enter")
        assert app.place.name == "build"
        assert "[Run]" in shown(app)

    in_app(app, walk)
    ((kind, request),) = orders(app)
    assert kind == "start"
    assert isinstance(request, JobRequest)
    assert request.procedure == Start(unit=units_of(STOPPED)[0].uuid)
    assert request.erase == ()


def test_a_disk_that_is_erased_is_named() -> None:
    app = at_care(DEGRADED)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert "ERASES 1 disk" in shown(app)
        await press(pilot, "enter", *"0005", "enter", "enter")
        assert app.place.name == "build"

    in_app(app, walk)
    ((_, request),) = orders(app)
    assert isinstance(request, JobRequest)
    assert request.erase == ("LAB-0005",)


def test_a_choice_is_made_only_after_reading_what_it_costs() -> None:
    app = at_care(lacking_one())

    async def walk(pilot: Pilot[int]) -> None:
        assert "choice" in shown(app)
        await press(pilot, "enter")
        text = " ".join(shown(app).split())
        assert "This is your choice" in text
        assert "the missing member is out of date" in text
        await press(pilot, "enter")  # Cancel
        assert app.place.name == "care"
        await press(pilot, "enter", "right", "enter")
        assert app.place.name == "procedure"

    in_app(app, walk)


def test_f1_is_about_the_finding_that_is_chosen() -> None:
    app = at_care(sick(4))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "f1")
        assert "tank2 HAS FAILED" in shown(app)
        await press(pilot, "escape", "end", "f1")
        assert "WHAT BELONGS AT /srv/films0 IS NOT HERE" in shown(app)

    in_app(app, walk)


def test_the_same_words_on_overview_on_the_page_of_the_unit_and_on_care() -> None:
    app = open_app(DEGRADED, "overview")
    words = (
        "remove LAB-0002 (ubdb) from the array, as it has failed; its disk can then be pulled and replaced"
    )

    async def walk(pilot: Pilot[int]) -> None:
        assert words in " ".join(shown(app).split())
        await press(pilot, "down", "enter")
        assert words in " ".join(shown(app).split())
        assert "raidtui care tank --do remove-failed" in shown(app)  # that one is highlighted
        await press(pilot, "u")
        assert app.place.name == "unit"
        assert words in " ".join(shown(app).split())
        await press(pilot, "r")
        assert app.place.name == "care"

    in_app(app, walk)


def test_what_is_by_hand_shows_its_commands_and_copies_them(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Remedy(text="mount it", commands=("mount /srv/tank", "df /srv/tank"))
    found = Finding(name="tank", kind=Kind.WAITING, what="array tank: not mounted", remedies=(hand,))
    monkeypatch.setattr(care_screen, "findings_of", lambda *_: (found,))
    app = at_care(sick(1))
    sent: list[str] = []
    monkeypatch.setattr(app, "copy_to_clipboard", sent.append)

    async def walk(pilot: Pilot[int]) -> None:
        assert "by hand" in shown(app)
        assert "mount /srv/tank" in shown(app)
        assert "See the plan" not in shown(app)
        await press(pilot, "enter", "y")
        assert app.place.name == "care"

    in_app(app, walk)
    assert sent == ["mount /srv/tank\ndf /srv/tank\n"]


def test_a_finding_that_is_over_leaves_the_list() -> None:
    app = at_care(DEGRADED)
    world = app.world
    assert isinstance(world, PretendWorld)

    async def walk(pilot: Pilot[int]) -> None:
        assert "ONE MORE FAILURE LOSES tank" in shown(app)
        world.become(recorded("raid5-clean"))
        await settle(pilot)
        await settle(pilot)
        assert "Nothing is wrong that can be seen here" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "unit"

    in_app(app, walk)


def test_a_re_add_leads_from_care_to_its_plan() -> None:
    machine = recorded("raid5-degraded")
    order = ReAdd(unit=units_of(machine)[0].uuid, disk="LAB-0002")
    from raidtui.ui.wizard.procedure import procedure_of, words_of

    assert procedure_of(words_of(order)["order"]) == order
    app = RaidtuiApp(
        PretendWorld(machine),
        False,
        places=[Place("overview"), Place("care"), Place("procedure", words_of(order))],
        draft=answers(),
    )

    async def walk(pilot: Pilot[int]) -> None:
        assert "This cannot be done now" in shown(app)  # it failed, so it is not re-added
        await press(pilot, "escape")
        assert app.place.name == "care"

    in_app(app, walk)


def test_the_plan_of_a_re_add_says_what_it_copies_and_that_nothing_is_lost() -> None:
    from raidtui.ui.wizard.procedure import words_of

    machine = recorded("states/md-failed-and-removed")
    order = ReAdd(unit=units_of(machine)[0].uuid, disk="LAB-0002")
    app = RaidtuiApp(
        PretendWorld(machine),
        False,
        places=[Place("overview"), Place("care"), Place("procedure", words_of(order))],
        draft=answers(),
    )

    async def walk(pilot: Pilot[int]) -> None:
        text = " ".join(shown(app).split())
        while "md copies to LAB-0002" not in text:
            await press(pilot, "down")
            text = " ".join(shown(app).split())
        assert "tank stays in use" in text
        assert "no data of tank is lost" in text
        assert "CANNOT BE UNDONE" not in text

    in_app(app, walk)


def test_without_root_it_does_not_say_that_all_is_well() -> None:
    app = at_care(msgspec.structs.replace(recorded("raid5-clean"), complete=False))

    async def walk(_: Pilot[int]) -> None:
        assert "without root not everything can be read" in shown(app)

    in_app(app, walk)


def orders(app: RaidtuiApp) -> list[tuple[str, object]]:
    assert isinstance(app.world, PretendWorld)
    return app.world.orders
