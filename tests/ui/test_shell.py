"""The shell round every screen: keys that work everywhere, small terminals, help, and what is never lost."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

import raidtui.ui
from raidtui.model.errors import Refused
from raidtui.model.journal import JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.results.summary import summarise
from raidtui.ui.shell.help import HelpScreen, help_text
from raidtui.ui.shell.modal import Over
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.places import PLACES
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.dialog import AskText, Reader
from raidtui.ui.widgets.keys import Keys
from raidtui.ui.widgets.rail import BUILD
from tests.ui import machines, made_results
from tests.ui.made_jobs import job
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

WIZARD = ("disks", "level", "options", "review", "confirm")
ANSWERS = answers(*(machines.disk(number).serial for number in range(1, 5)), level="raid5")


@LOOKS
def test_help(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["f1"])


@LOOKS
def test_everything_by_name(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["ctrl+p"])


@pytest.mark.parametrize("size", [(20, 5), (79, 24), (80, 23), (1, 1)])
@pytest.mark.parametrize("place", WIZARD)
def test_below_80x24_there_is_one_message_and_no_crash(place: str, size: tuple[int, int]) -> None:
    app = open_app(machines.four_disks(), place, draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.resize_terminal(*size)
        await settle(pilot)
        if size[0] >= 20:
            assert "raidtui needs 80x24" in shown(app)
            assert "WD-WCC7K0012" not in shown(app)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "needs 80x24" not in shown(app)

    in_app(app, walk)


@pytest.mark.slow
@pytest.mark.parametrize("place", WIZARD)
def test_after_the_terminal_was_too_small_the_keys_go_where_they_went_before(place: str) -> None:
    app = open_app(machines.four_disks(), place, draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        before = app.focused
        await pilot.resize_terminal(60, 15)
        await settle(pilot)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert before is not None
        assert app.focused is before

    in_app(app, walk)


def test_below_80x24_no_key_acts_on_the_page_that_is_not_seen() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.resize_terminal(60, 15)
        await press(pilot, "a", "enter", "ctrl+p")
        assert app.place.name == "disks"
        assert app.draft.spec.members == ()
        assert isinstance(app.screen, Page)
        await press(pilot, "f1")
        assert isinstance(app.screen, HelpScreen)

    in_app(app, walk)


def test_below_80x24_q_leaves_even_from_a_field_and_types_nothing() -> None:
    app = open_app(machines.four_disks(), "options", draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        assert isinstance(app.focused, Input)
        await pilot.resize_terminal(60, 15)
        await settle(pilot)
        await pilot.press("q")

    in_app(app, walk)
    assert app.return_code == 0
    assert app.draft.spec.name == ANSWERS.spec.name


@pytest.mark.parametrize("place", PLACES)
def test_f1_explains_every_screen_and_escape_leads_back_to_it(place: str) -> None:
    app = open_app(machines.four_disks(), place, draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "f1")
        assert isinstance(app.screen, HelpScreen)
        assert app.screen.page.TITLE
        assert len(app.screen.page.HELP.split()) > 20
        keys = [line.split()[0] for line in help_text(app.screen.page).plain.split("Keys\n")[1].splitlines()]
        assert len(keys) == len(set(keys))  # each key once
        await press(pilot, "escape")
        assert app.place.name == place

    in_app(app, walk)


def test_keys_that_the_footer_shows_together_are_one_line_of_the_help() -> None:
    app = open_app(machines.four_disks(), "level", draft=ANSWERS)

    async def walk(_: Pilot[int]) -> None:
        assert isinstance(app.screen, Page)
        keys = help_text(app.screen).plain.split("Keys\n")[1]
        assert "  ←→      Smaller or larger chunk\n" in keys
        assert "  +-      One hot spare more or fewer\n" in keys
        assert "Larger chunk" not in keys

    in_app(app, walk)


def dialogs() -> list[type[Over[Any]]]:
    """Every dialog of raidtui but the help itself, which F1 closes."""
    folder = Path(raidtui.ui.__file__).parent
    for file in folder.rglob("*.py"):
        if "(Over[" in file.read_text():
            import_module(".".join(("raidtui.ui", *file.relative_to(folder).with_suffix("").parts)))
    found = [*Over.__subclasses__()]
    return [one for one in found if one.__module__.startswith("raidtui.") and one is not HelpScreen]


@pytest.mark.parametrize("dialog", dialogs(), ids=lambda one: one.__name__)
def test_f1_in_a_dialog_explains_that_dialog(dialog: type[Over[Any]]) -> None:
    assert len(dialog.HELP.split()) > 15


@LOOKS
@pytest.mark.parametrize(
    ("place", "key", "title"), [("level", "w", "What if"), ("benchmark", "o", "How to measure")]
)
def test_the_help_of_a_dialog_bears_its_name(
    snap_compare: SnapCompare, look: str, place: str, key: str, title: str
) -> None:
    app = open_app(machines.four_disks(), place, draft=ANSWERS, console=look == "console")
    assert picture(snap_compare, app, look, [key, "f1"])


@pytest.mark.parametrize("place", [*BUILD, "sweep"])
def test_the_rail_marks_the_step_without_colour(place: str) -> None:
    app = open_app(machines.four_disks(), place, draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        assert f"[{place.capitalize()}]" in shown(app).splitlines()[0]

    in_app(app, walk)


@pytest.mark.parametrize("width", [80, 120])
def test_the_first_line_names_the_computer_and_shows_the_steps_that_fit(width: int) -> None:
    long = msgspec.structs.replace(machines.SYSTEM, hostname="storage-node-0017.rack-4.example.net")
    machine = msgspec.structs.replace(machines.four_disks(), system=long)
    app = open_app(machine, "review", draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        first = shown(app).splitlines()[0]
        assert first.startswith(" storage-node-0017.rack-4.exampl… · root ")
        assert "[Review] → Confirm" in first
        assert ("Disks →" in first) == (width > 80)
        assert len(first) <= width

    in_app(app, walk, size=(width, 24))


@pytest.mark.parametrize("place", sorted(PLACES))
def test_every_screen_and_dialog_names_the_computer(place: str) -> None:
    app = open_app(machines.four_disks(), place, draft=ANSWERS, console=True)

    async def walk(pilot: Pilot[int]) -> None:
        assert shown(app).startswith(" nas · root")
        await press(pilot, "f1")
        assert shown(app).startswith(" nas · root"), "a console hides the page below a dialog"
        app.push_screen(Reader("A text", Content("text\n" * 99)))
        await settle(pilot)
        assert shown(app).startswith(" nas · root")

    in_app(app, walk)


def test_over_ssh_the_first_line_says_so() -> None:
    class Far(PretendWorld):
        over_ssh = True

    app = open_app(Far(machines.four_disks()), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert shown(app).startswith(" nas · root · ssh")

    in_app(app, walk)


def test_escape_walks_back_through_the_wizard_and_nothing_is_lost() -> None:
    app = open_app(machines.four_disks(), *WIZARD, draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        for place in reversed(WIZARD[:-1]):
            await press(pilot, "escape")
            assert app.place.name == place
        await press(pilot, "escape")
        assert app.place.name == "disks"  # the first place has none before it

    in_app(app, walk)
    assert app.draft.spec.members == ANSWERS.spec.members
    assert app.draft.spec.level == "raid5"


def test_q_leaves_with_success_and_gives_no_order() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space")
        await pilot.press("q")

    in_app(app, walk)
    assert world.orders == []
    assert app.return_code == 0


def test_a_machine_that_cannot_be_read_is_a_sentence_on_the_screen() -> None:
    class Broken(PretendWorld):
        def machine(self) -> Machine:
            raise Refused("the disks cannot be read: /sys is not mounted")

    app = open_app(Broken(machines.no_disks()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        assert "/sys is not mounted" in shown(app)

    in_app(app, walk)


def test_a_recorded_machine_and_a_missing_root_are_told_in_words() -> None:
    from raidtui.ui.shell.recorded_world import RecordedWorld

    still = open_app(RecordedWorld(machines.four_disks()), "disks")
    user = open_app(PretendWorld(machines.four_disks(), access=Access.USER), "disks")

    async def recorded_walk(pilot: Pilot[int]) -> None:
        assert "nas · recording" in shown(still).splitlines()[0]

    async def user_walk(pilot: Pilot[int]) -> None:
        assert "nas · not root: F2" in shown(user).splitlines()[0]

    in_app(still, recorded_walk)
    in_app(user, user_walk)


@pytest.mark.parametrize(
    ("name", "keys"),
    [("benchmark", ()), ("sweep", ()), ("burnin", ()), ("alerts", ()), ("care", ("enter",))],
)
def test_a_recording_says_at_once_that_nothing_can_be_started(name: str, keys: tuple[str, ...]) -> None:
    from raidtui.ui.shell.recorded_world import RecordedWorld

    app = open_app(RecordedWorld(recorded("states/md-two-failed")), name)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *keys)
        assert "A recording: nothing can be started here." in shown(app)

    in_app(app, walk)


def test_the_jobs_of_a_recording_are_not_to_be_started_either() -> None:
    from raidtui.ui.shell.recorded_world import RecordedWorld

    app = open_app(RecordedWorld(recorded("raid5-clean")), "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        assert "A recording has no jobs." in shown(app)

    in_app(app, walk)


def test_a_recorded_machine_answers_everything_itself_and_takes_no_order() -> None:
    from raidtui.ui.shell.recorded_world import RecordedWorld
    from raidtui.ui.shell.world import World

    open_to_screens = {name for name in vars(World) if not name.startswith("_")}
    assert open_to_screens <= vars(RecordedWorld).keys(), "the rest would reach the real computer"
    with pytest.raises(Refused, match="a recorded machine cannot be changed"):
        RecordedWorld(machines.four_disks()).cancel("20261122-050000-tank")


def test_a_new_array_gets_a_name_that_no_array_here_has() -> None:
    from raidtui.ui.shell.app import RaidtuiApp

    taken = machines.machine(machines.four_disks().disks, [machines.running_array(name="tank")])
    world = PretendWorld(taken)
    app = RaidtuiApp(world, False, places=[Place("disks")])

    async def walk(pilot: Pilot[int]) -> None:
        assert app.draft.spec.name == "tank2"
        world.become(machines.machine(taken.disks, [machines.running_array(name="tank2")]))
        await settle(pilot)
        await settle(pilot)
        assert app.draft.spec.name == "tank"
        world.become(taken)
        await settle(pilot)
        await settle(pilot)
        assert app.draft.spec.name == "tank2"

    in_app(app, walk)


def test_markup_and_control_characters_from_a_disk_are_shown_as_they_are() -> None:
    nasty = machines.disk(1, model="[red]x[/red]\x1b[2J", serial="S\u202e[/]")
    app = open_app(machines.machine([nasty]), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        assert "[red]x[/red]?[2J" in shown(app)
        assert "\x1b" not in shown(app)

    in_app(app, walk, size=(120, 40))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("status=none  (0.4 s, exit code 1)", "(0.4 s,"),
        ("500,107,862,016 bytes = 500 GB (466 GiB), sata", "(466 GiB),"),
        ("took 3 d at 99.7 % of it", "99.7 %"),
        ("lost since 2026-12-01 02:30, at 30 to 40 % of it", "2026-12-01 02:30,"),
        ("lost since 2026-12-01 02:30, at 30 to 40 % of it", "30 to 40 %"),
    ],
)
def test_no_screen_wraps_between_a_number_and_its_unit(text: str, kept: str) -> None:
    open_app(machines.four_disks(), "disks")
    for width in range(len(kept), len(text) + 1):
        lines = [line.plain for line in Content(text).wrap(width)]
        assert any(kept in line for line in lines), lines
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_every_picture_belongs_to_a_test() -> None:
    """Tests run side by side, so none of those processes can tell by itself that a picture is no longer used."""
    root = Path(__file__).parents[2]
    argv = [sys.executable, "-m", "pytest", "-p", "no:xdist", "--collect-only", "-q", "tests/ui"]
    told = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout
    tests = {
        (Path(module).stem, name) for module, _, name in (line.partition("::") for line in told.splitlines())
    }
    pictures = {(path.parent.name, path.stem) for path in (root / "snapshots").rglob("*.*")}
    assert pictures
    assert pictures - tests == set()


def test_every_test_module_has_a_name_of_its_own() -> None:
    """Two modules of one name would share a folder of pictures."""
    names = [module.name for module in Path(__file__).parents[1].rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_a_click_on_a_key_of_the_footer_presses_it() -> None:
    app = open_app(machines.four_disks(), "disks", draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        footer = shown(app).splitlines()[-1]
        await pilot.click(offset=(footer.index("Filter"), 23))
        await settle(pilot)
        assert isinstance(app.focused, Input), "the line to filter by is open"
        await pilot.click(offset=(79, 23))  # beside every key
        await settle(pilot)
        assert isinstance(app.focused, Input)

    in_app(app, walk)


def test_the_footer_of_a_user_without_root_has_room_for_every_key() -> None:
    """F2, which only such a user has, is told beside the title: the footer of 80 columns is full."""
    user = PretendWorld(machines.four_disks(), access=Access.USER)
    app = open_app(user, "overview", draft=ANSWERS)

    async def walk(pilot: Pilot[int]) -> None:
        for name in (
            "overview",
            "disks",
            "level",
            "options",
            "review",
            "benchmark",
            "sweep",
            "compare",
            "jobs",
        ):
            app.go(name)
            await settle(pilot)
            text = shown(app)
            assert "not root: F2" in text
            # In a field, q is a letter.
            assert re.search(r"\bF1 Help( Esc Back)?( q Quit| F10 Quit)$", text.rstrip()), name

    in_app(app, walk)


def test_ctrl_c_ends_nothing_and_says_what_does() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "ctrl+c")
        assert "q leaves raidtui" in shown(app)
        assert "Do you want to quit?" not in shown(app)

    in_app(app, walk)


class Lab(PretendWorld):
    """The lab, with a job or none, and with arrays and results or none."""

    in_lab = True

    def __init__(self, *jobs: JobState, machine: Machine | None = None, results: int = 0) -> None:
        super().__init__(machine or machines.four_disks())
        self._jobs = jobs
        self._summaries = tuple(summarise(made_results.result(n, "data")) for n in range(results))


def test_in_the_lab_q_names_the_units_of_every_backend() -> None:
    world = Lab(machine=machines.machine(machines.four_disks().disks, [machines.running_array(name="data")]))
    world.groups = (machines.volume_group(name="tank"),)
    app = open_app(world, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "q")
        assert "2 units and the data on them: data, tank" in shown(app)

    in_app(app, walk)


def test_in_the_lab_q_names_what_is_lost_and_a_second_q_does_not_lose_it() -> None:
    built = machines.machine(machines.four_disks().disks, [machines.running_array(name="data")])
    app = open_app(Lab(job(Outcome.RUNNING), machine=built, results=2), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "q")
        text = shown(app)
        assert "Leave the lab?" in text
        assert "the running job" in text
        assert "1 array and the data on it: data" in text
        assert "2 benchmark results" in text
        assert "> Cancel <" in text
        await press(pilot, "q", "ctrl+q", "f10")
        assert app.return_code is None
        await press(pilot, "enter")
        assert "Leave the lab?" not in shown(app)
        await press(pilot, "ctrl+c")
        assert "jobs end with the lab" in shown(app)
        await press(pilot, "q", "right")
        await pilot.press("enter")

    in_app(app, walk)
    assert app.return_code == 0


def test_in_the_lab_q_leaves_at_once_when_nothing_is_lost() -> None:
    app = open_app(Lab(job(Outcome.DONE)), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "q")

    in_app(app, walk)
    assert app.return_code == 0


def test_f1_in_a_dialog_explains_it_and_closes_its_own_help() -> None:
    app = open_app(Lab(job(Outcome.RUNNING)), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "q")
        question = app.screen
        await press(pilot, "f1")
        assert isinstance(app.screen, HelpScreen)
        assert "separate virtual machine" in shown(app)
        assert isinstance(app.screen, HelpScreen)
        keys = help_text(app.screen.page).plain.split("Keys\n")[1]
        assert "Esc" in keys
        assert "q " not in keys, "a dialog takes it"
        await press(pilot, "f1")
        assert app.screen is question
        await press(pilot, "escape")
        app.push_screen(AskText("Where to", "A file", ""))
        await settle(pilot)
        await press(pilot, "f1")
        assert isinstance(app.screen, HelpScreen)
        assert len(help_text(app.screen.page).plain.split()) > 20
        await press(pilot, "escape", "escape", "ctrl+p", "f1")
        assert isinstance(app.screen, HelpScreen)

    in_app(app, walk)


def test_before_its_widgets_are_there_a_screen_shows_the_keys_that_always_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[bool, list[str]]] = []
    changed = Keys._bindings_changed

    def heard(keys: Keys, screen: Screen[object]) -> None:
        changed(keys, screen)
        if type(keys.screen).__name__ == "JobsScreen":
            told.append((keys.screen.is_mounted, [one.key for one in keys._shown]))

    monkeypatch.setattr(Keys, "_bindings_changed", heard)
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        app.go("jobs")
        await settle(pilot)
        assert told[0] == (False, ["f1", "escape", "q"])
        assert told[-1][0]
        assert len(told[-1][1]) > 3

    in_app(app, walk)
