"""Every key that a footer shows does something in the state in which it is shown."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, cast

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.widgets.keys import Keys
from tests.ui import machines
from tests.ui.own_process import PretendedProcess
from tests.ui.pictures import answers, in_app, open_app, press, shown
from tests.ui.recorded import recorded
from tests.ui.scenes import Scene, every_scene

pytestmark = pytest.mark.slow

# They move, or end the program.
MOVES: Final = frozenset({"up", "down", "left", "right", "left,right", "tab", "q", "f10"})
# Its trial runs only while its own test holds it.
OWN_TEST: Final = "test_recover_screen.test_while_it_tries"
IN_TURN: Final = 27  # one of each file; the others repeat most of their keys, and run in 'long'


def in_turn(scenes: Sequence[Scene]) -> list[Scene]:
    """One scene of each file, then a second one of each, and so on."""
    seen: Counter[str] = Counter()
    rounds: dict[str, int] = {}
    for one in scenes:
        file = one.name.partition(".")[0]
        rounds[one.name] = seen[file]
        seen[file] += 1
    return sorted(scenes, key=lambda one: rounds[one.name])


SCENES: Final = in_turn([one for one in every_scene() if not one.name.startswith(OWN_TEST)])


def around(app: RaidtuiApp) -> object:
    """What a key can change but the text on the screen: which screen it is, the focus, orders, the clipboard."""
    return (
        [type(one).__name__ for one in app.screen_stack],
        len(getattr(app.world, "orders", ())),
        app.clipboard,
        id(app.screen.focused),
    )


def text(app: RaidtuiApp) -> object:
    """Everything on the screen. To draw it takes as long as the effect of a key."""
    strips = app.screen._compositor.render_strips()
    return [tuple((part.text, str(part.style)) for part in strip) for strip in strips]


def offered(app: RaidtuiApp) -> list[str]:
    """The keys that the footer shows."""
    return [one.key for footer in app.screen.query(Keys) for one in footer._wanted() if one.key not in MOVES]


class Tried:
    """Presses the keys of a scene's footer; a new app is opened if Escape does not undo what a key did."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.left: list[str] | None = None
        self.dead: list[str] = []

    def run(self) -> list[str]:
        """Press each, and return the keys that did nothing."""
        while self.left is None or self.left:
            app, self.begin = self.scene.open()
            in_app(app, self.walk)
        return self.dead

    async def walk(self, pilot: Pilot[int]) -> None:
        """Press the keys that are left, as long as the scene is what it was."""
        app = cast("RaidtuiApp", pilot.app)
        await self.begin(pilot)
        self.left = offered(app) if self.left is None else self.left
        before, drawn = around(app), text(app)
        while self.left:
            key = self.left.pop(0)
            await press(pilot, key)
            if not app.is_running:
                return
            if around(app) == before and text(app) == drawn:
                self.dead.append(key)
                continue
            if not self.left:
                return
            await press(pilot, "escape")
            if not app.is_running or around(app) != before or text(app) != drawn:
                return


@pytest.mark.first(IN_TURN)
@pytest.mark.parametrize("scene", SCENES, ids=[one.name for one in SCENES])
def test_every_key_that_the_footer_shows_does_something(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        PretendedProcess, "LONGEST", 0.5
    )  # nobody lets a trial end that a key has started here
    assert Tried(scene).run() == []


def footer(app: RaidtuiApp) -> str:
    """The last line of the screen."""
    return shown(app).splitlines()[-1]


def test_where_every_disk_is_in_use_enter_does_not_ask_to_choose_two() -> None:
    machine = recorded("raid5-clean")
    used = tuple(one for one in machine.disks if not one.free)
    app = open_app(replace(machine, disks=used), "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert "no disk here can be chosen" in shown(app)

    in_app(app, walk)


def test_a_key_that_is_not_shown_still_says_why() -> None:
    app = open_app(machines.four_disks(), "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        assert "Next" not in footer(app), "no disk is chosen"
        await press(pilot, "enter")
        assert "choose at least two disks" in shown(app)
        await press(pilot, "up")  # the system's disk
        assert "Choose" not in footer(app)
        await press(pilot, "space")
        assert "cannot be chosen" in shown(app)
        await press(pilot, "down", "a")
        assert "Next" in footer(app)
        assert "All free" not in footer(app), "all are chosen"

    in_app(app, walk)
