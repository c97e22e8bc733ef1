"""The review: hazards to be acknowledged, steps in words, exact commands, and files to keep."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from raidtui.model.plan import Severity
from raidtui.plan.build import make_plan
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.rows import Rows
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.review_words import first_sentence
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
from tests.ui.worlds import PretendWorld

SERIALS = [machines.disk(number).serial for number in range(1, 5)]


def raid5() -> Draft:
    return answers(*SERIALS, level="raid5")


def raid0_with_photos() -> Draft:
    return answers("Z1E0PHOTO", machines.disk(7).serial, level="raid0")


@WITH_WIDE
def test_the_plan_of_a_raid5(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "review", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look)


@LOOKS
def test_a_step_that_destroys(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.taken_disks(), "review", console=look == "console", draft=raid0_with_photos())
    assert picture(snap_compare, app, look, ["end", *["up"] * 11])


@LOOKS
def test_the_exact_commands(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "review", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["c"])


@LOOKS
def test_a_failing_disk_stops_the_plan(snap_compare: SnapCompare, look: str) -> None:
    draft = answers(machines.disk(7).serial, machines.disk(8).serial, level="raid1")
    app = open_app(machines.taken_disks(), "review", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look, ["enter"])


@LOOKS
def test_a_disk_that_became_busy_leaves_no_plan(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.taken_disks(), "review", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look)


def test_the_first_line_says_what_is_erased_and_each_hazard_is_readable_in_its_row() -> None:
    app = open_app(machines.taken_disks(), "review", draft=raid0_with_photos())
    other = open_app(machines.four_disks(), "review", draft=raid5())

    async def with_data(pilot: Pilot[int]) -> None:
        assert shown(app).splitlines()[2].strip().startswith("ERASES 2 disks: sdg holds ext4 'photos'")

    async def readable(pilot: Pilot[int]) -> None:
        table = other.screen.query_one(Rows)
        for row in table.rows:
            assert "…" not in row.cells[-1]
        assert "ERASES 4 disks, all apparently blank" in shown(other)
        head = shown(other).split("step 1")[0]
        for hazard in make_plan(raid5().spec, machines.four_disks(), seed=raid5().seed).hazards:
            assert first_sentence(hazard.meaning) in " ".join(head.split())

    in_app(app, with_data)
    in_app(other, readable, size=(80, 50))


def test_high_hazards_are_accepted_one_by_one_before_the_confirmation() -> None:
    worn = [machines.disk(n, smart=machines.disk(n).smart, rotational=True) for n in (1, 2)]
    pending = machines.disk(3).smart
    assert pending is not None
    sick = machines.disk(3, smart=type(pending)(passed=True, pending_sectors=3))
    machine = machines.machine([machines.system_disk(0), *worn, sick])
    draft = answers(*(d.serial for d in (*worn, sick)), level="raid5")
    high = {
        h.id for h in make_plan(draft.spec, machine, seed=draft.seed).hazards if h.severity is Severity.HIGH
    }
    assert high
    app = open_app(machine, "review", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "review"
        assert "HIGH hazard" in shown(app)
        for _ in high:
            await press(pilot, "space", "enter")
        assert app.place.name == "confirm"
        assert set(app.draft.accepted) == high

    in_app(app, walk)


def test_changing_an_answer_takes_the_acknowledgements_back() -> None:
    draft = raid5().accept("a-hazard", yes=True)
    assert draft.with_spec(level="raid6").accepted == ()


def test_the_spec_is_saved_and_makes_the_same_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from raidtui.backends.specfile import read_spec

    monkeypatch.chdir(tmp_path)
    app = open_app(machines.four_disks(), "review", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s", "enter")
        assert "Saved as" in shown(app)

    in_app(app, walk)
    text = (tmp_path / "data.toml").read_text()
    machine, draft = machines.four_disks(), raid5()
    again = make_plan(read_spec(text, origin="data.toml"), machine, seed=draft.seed)
    assert again == make_plan(draft.spec, machine, seed=draft.seed)


def test_a_file_that_exists_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.sh").write_text("mine")
    app = open_app(machines.four_disks(), "review", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "p", "enter")
        assert "was not touched" in shown(app)

    in_app(app, walk)
    assert (tmp_path / "data.sh").read_text() == "mine"


def test_without_root_it_asks_once_and_leaves_with_the_answers() -> None:
    app = open_app(PretendWorld(machines.four_disks(), access=Access.USER), "review", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert "This needs root" in shown(app)
        await press(pilot, "enter")  # Cancel has the focus
        assert app.place.name == "review"
        assert app.run_as_root is None
        await press(pilot, "enter", "right", "enter")

    in_app(app, walk)
    assert app.run_as_root is not None
    assert (app.run_as_root.draft, app.run_as_root.places[-1]) == (raid5(), "review")


def test_f_adds_the_fixes_to_the_plan_and_removes_them_again() -> None:
    app = open_app(machines.four_disks(), "review", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "f")
        assert app.draft.spec.fixes == ("mail",)
        assert "Added 1 step at the end" in shown(app)
        await press(pilot, "end")
        assert "Send mail to root when a disk fails" in shown(app)
        await press(pilot, "f")
        assert not app.draft.spec.fixes

    in_app(app, walk)


def test_the_footer_names_only_keys_that_do_something() -> None:
    """Nothing to accept on a plain step, and nothing to show or save where there is no plan."""
    machine = machines.four_disks()
    app = open_app(machine, "review", draft=raid5())
    without = open_app(machine, "review", draft=raid5().with_spec(members=("GONE-1", "GONE-2", "GONE-3")))

    async def planned(pilot: Pilot[int]) -> None:
        await press(pilot, "end")
        assert "c Commands r Rehearse s Save spec p Save script" in shown(app)
        assert "Accept" not in shown(app)

    async def unplanned(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "Cannot build" in shown(without)
        assert not {"Commands", "Save"} & set(shown(without).splitlines()[-1].split())

    in_app(app, planned)
    in_app(without, unplanned)
