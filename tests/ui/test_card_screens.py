"""A computer with a RAID card on the screens: the card and its hazards, its virtual drive, its drives in slots."""

import json

import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.commands.text.status import Seen, Status, describe
from raidtui.model.journal import Outcome
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.unit import Health
from raidtui.plan.build import make_plan
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import JOB, job, journal, open_at, request
from tests.ui.pictures import LOOKS, SEED, SnapCompare, answers, in_app, open_app, picture, press, shown
from tests.unit.card_machines import nine_two_seventy, recorded, with_card
from tests.unit.test_backends_megaraid_build import SERIALS, free
from tests.unit.test_backends_megaraid_see import changed


def with_bad_battery() -> Machine:
    """The 9270 with a capacitor that failed under a cache that writes back."""
    failed = recorded("9270-c0.json").replace('"State": "Optimal"', '"State": "Failed"')
    with pytest.MonkeyPatch.context() as patch:
        return with_card(patch, nine_two_seventy() | {"/c0 show all": failed})


def all_free() -> Machine:
    """The same card with free drives only."""
    with pytest.MonkeyPatch.context() as patch:
        return free(patch)


@LOOKS
def test_a_card_and_what_is_wrong_with_it(snap_compare: SnapCompare, look: str) -> None:
    world = BusyWorld(with_bad_battery())
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


def test_next_and_status_follow_the_worst_hazard_of_a_card() -> None:
    """Also while the card checks its parity: a benchmark is not what comes next."""
    machine = with_bad_battery()
    app = open_at(BusyWorld(machine), "overview")
    worst = "optimal, but a power cut loses its cached writes"

    async def walk(pilot: Pilot[int]) -> None:
        text = " ".join(shown(app).split())
        assert "> c0v0: let it write through until its cache is safe (CacheVault Failed)" in text
        assert "benchmark it" not in text

    in_app(app, walk)
    (unit,) = units_of(machine)
    lines = describe(Status((Seen(unit, None, None, ()),), ()))
    assert f"  {worst}, consistency check 36.0 %" in lines
    assert unit.health is Health.ERRORS


def with_media_errors() -> Machine:
    """The same, whose cache writes through for now; one of its drives has counted errors."""
    sick = json.loads(recorded("9270-sall.json"))
    state = sick["Controllers"][0]["Response Data"]["Drive /c0/e252/s2 - Detailed Information"]
    state["Drive /c0/e252/s2 State"] |= {"Media Error Count": 7, "Predictive Failure Count": 1}
    answers = nine_two_seventy() | {
        "/c0 show all": recorded("9270-c0.json").replace('"State": "Optimal"', '"State": "Failed"'),
        "/c0/vall show all": changed("9270-vall.json", Cache="RWTD", Active_Operations="None"),
        "/c0/eall/sall show all": json.dumps(sick),
    }
    with pytest.MonkeyPatch.context() as patch:
        return with_card(patch, answers)


@LOOKS
def test_a_virtual_drive_in_detail(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(with_media_errors()), "overview", console=look == "console")
    assert picture(snap_compare, app, look, ["v"])


@LOOKS
def test_drives_behind_a_card(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(with_bad_battery()), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["down", "down", "space"])


def test_a_card_that_is_not_read_is_not_taken_for_one_without_drives() -> None:
    with pytest.MonkeyPatch.context() as patch:
        without_tool = with_card(patch, {}, tool="")
    for machine, said in ((without_tool, True), (all_free(), False)):
        app = open_at(BusyWorld(machine), "disks")

        async def walk(pilot: Pilot[int], said: bool = said, app: RaidtuiApp = app) -> None:
            assert ("Drives behind a RAID card are not listed; the overview says why." in shown(app)) is said

        in_app(app, walk)


def test_where_there_are_no_disks_no_filter_is_blamed() -> None:
    with pytest.MonkeyPatch.context() as patch:
        app = open_at(BusyWorld(with_card(patch, {}, tool="", disks=())), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        assert "The kernel reports no disks." in shown(app)
        assert "matches" not in shown(app)

    in_app(app, walk)


def test_every_drive_in_a_slot_has_a_row_of_its_own() -> None:
    app = open_at(BusyWorld(with_bad_battery()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        text = shown(app)
        for slot in range(8):
            assert f"252:{slot}" in text
        await press(pilot, "end")
        assert "slot 252:7" in shown(app)
        assert "WD-WM00000008" in shown(app)

    in_app(app, walk, size=(100, 40))


def test_the_column_of_what_is_on_a_drive_says_it_in_its_first_words() -> None:
    app = open_at(BusyWorld(with_bad_battery()), "disks")

    async def chosen(pilot: Pilot[int]) -> None:
        assert "in c0v0" in shown(app)

    in_app(app, chosen)
    app = open_at(BusyWorld(all_free()), "disks")

    async def free(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "space")
        assert "unknown contents\n" in shown(app)
        assert "ERASE: unknown contents\n" in shown(app)

    in_app(app, free)


def test_a_on_a_free_drive_behind_a_card_chooses_the_others_of_its_size() -> None:
    app = open_at(BusyWorld(all_free()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "a")
        assert app.draft.spec.members == SERIALS

    in_app(app, walk)


def test_free_drives_behind_a_card_lead_to_the_levels_of_their_card() -> None:
    app = open_at(BusyWorld(all_free()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "space", "up", "space", "enter")
        assert app.place.name == "level"
        await press(pilot, "enter")
        assert app.place.name == "options"
        spec = app.draft.spec
        assert (spec.backend, spec.level, spec.partition) == (Backend.MEGARAID, "raid1", None)
        assert not app.query("#partition, #reserve")

    in_app(app, walk, size=(100, 40))


def test_a_drive_behind_a_card_and_a_disk_of_the_kernel_are_refused_where_they_are_chosen() -> None:
    app = open_app(all_free(), "overview", "disks", draft=answers(SERIALS[0], "S-0001"))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "disks"
        assert "is behind a RAID card and S-0001 (/dev/sda) is not" in " ".join(shown(app).split())

    in_app(app, walk)


def test_level_says_why_it_has_nothing_to_show() -> None:
    """The disks were chosen elsewhere: the other keys say nothing else."""
    app = open_app(all_free(), "overview", "disks", "level", draft=answers(SERIALS[0], "S-0001"))

    async def walk(pilot: Pilot[int]) -> None:
        for keys in ((), ("b",), ("a",), ("s",), ("d",)):
            await press(pilot, *keys)
            assert "is behind a RAID card and S-0001 (/dev/sda) is not" in " ".join(shown(app).split())
            assert "Reading the disks" not in shown(app)
            assert "only mdadm takes" not in shown(app)

    in_app(app, walk)


def test_a_level_that_these_drives_cannot_have_shows_the_strip_of_their_card() -> None:
    app = open_app(all_free(), "level", draft=answers(*SERIALS[:4]))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end")
        assert "RAID60 takes at least 8 drives" in shown(app)
        assert "strip ←→ 256KiB" in shown(app)

    in_app(app, walk)


def test_the_detail_of_a_level_names_no_reason_where_all_of_a_drive_is_used() -> None:
    app = open_app(all_free(), "level", draft=answers(*SERIALS[:3], level="raid5", backend=Backend.MEGARAID))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "d")
        assert "Of each disk" in shown(app)
        assert "not used:" not in shown(app)

    in_app(app, walk, size=(100, 60))


@LOOKS
def test_levels_of_drives_behind_a_card(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(all_free(), "level", console=look == "console", draft=answers(*SERIALS[:5]))
    assert picture(snap_compare, app, look)


@LOOKS
def test_options_of_a_virtual_drive(snap_compare: SnapCompare, look: str) -> None:
    draft = answers(*SERIALS[:5], backend=Backend.MEGARAID, level="raid6")
    app = open_app(all_free(), "options", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look, ["tab", "tab", "tab", "tab", "space"])


@LOOKS
def test_a_virtual_drive_in_the_review_says_that_nothing_can_be_undone(
    snap_compare: SnapCompare, look: str
) -> None:
    draft = answers(*SERIALS[:3], backend=Backend.MEGARAID, level="raid5", spares=SERIALS[3:4])
    app = open_app(all_free(), "review", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look, ["down"])


@LOOKS
def test_each_drive_behind_a_card_is_confirmed_by_slot_and_serial(
    snap_compare: SnapCompare, look: str
) -> None:
    draft = answers(*SERIALS[:2], backend=Backend.MEGARAID, level="raid1")
    app = open_app(all_free(), "review", "confirm", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look)


def rebuilding() -> Machine:
    """The 9270 with a drive that is rebuilt."""
    rows = [
        {
            "Drive-ID": "/c0/e252/s0",
            "Progress%": 38,
            "Status": "In progress",
            "Estimated Time Left": "3 Hours",
        }
    ]
    answers = nine_two_seventy() | {
        "/c0/vall show all": changed("9270-vall.json", Active_Operations="None").replace("Optl", "Dgrd"),
        "/c0/eall/sall show all": recorded("9270-sall.json").replace('"State": "Onln"', '"State": "Rbld"', 1),
        "/c0/eall/sall show rebuild": json.dumps(
            {"Controllers": [{"Command Status": {"Status": "Success"}, "Response Data": rows}]}
        ),
    }
    with pytest.MonkeyPatch.context() as patch:
        return with_card(patch, answers)


@LOOKS
def test_a_virtual_drive_that_is_rebuilt(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(rebuilding()), "overview", console=look == "console")
    assert picture(snap_compare, app, look)


@LOOKS
def test_the_build_of_a_virtual_drive(snap_compare: SnapCompare, look: str) -> None:
    there = all_free()
    draft = answers(*SERIALS[:3], backend=Backend.MEGARAID, level="raid5", options={"initialization": "full"})
    plan = make_plan(draft.spec, there, seed=SEED)
    at = [step.id for step in plan.steps].index("initialize")
    running = job(Outcome.RUNNING, request=request(spec=plan.spec, title="Build megaraid raid5 data"))
    world = BusyWorld(there, jobs=[running], plans={JOB: plan}, journals={JOB: journal(plan, done=at)})
    assert picture(snap_compare, open_at(world, "build", console=look == "console", job=JOB), look)
