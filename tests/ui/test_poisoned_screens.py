"""Every screen on documents in which every text is poisoned: it is drawn as text, and the terminal obeys none of it."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.bench.live import Live
from raidtui.model.journal import Outcome
from raidtui.model.machine import Machine
from raidtui.model.problem import Problem
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.places import PLACES
from tests.ui import made_jobs, made_results
from tests.ui.busy_worlds import BusyWorld
from tests.ui.pictures import answers, in_app, press, settle
from tests.ui.recorded import MACHINES, recorded
from tests.unit.poison import COLOR, poisoned

pytestmark = pytest.mark.slow

# Short, as most of a long text is cut; the color first, so that what follows has it if markup is obeyed.
POISON = f"[on {COLOR}]\x1b[2J\u202e\n[@click=app.quit][link='https://poison.example']x"
KEPT = frozenset(
    [
        "level",
        "layout",
        "state",
        "path",
        "node",
        "device",
        "device_number",
        "type",
        "id",
        "uuid",
        "action",
        "what",
        "waiting",
        "sync_action",
    ]
)
ABOUT = {
    "build": {"job": made_jobs.JOB},
    "benchmark": {"job": made_results.BENCH},
    "compare": {"picked": "000000000001,000000000002"},
    "sweep": {"study": "levels"},
}


def world(machine: Machine) -> BusyWorld:
    """A busy computer; every text of it is poisoned."""
    plan, results = made_jobs.raid5_plan(), [made_results.result(1, "one"), made_results.result(2, "two")]
    build = made_jobs.job(Outcome.FAILED, sentence="no", step=plan.steps[2].id)
    jobs = [poisoned(one, POISON, but=KEPT) for one in (build, made_results.bench_job(Outcome.RUNNING))]
    problem = Problem(what="disks", text="no")
    machine = msgspec.structs.replace(machine, problems=(*machine.problems, problem))
    return BusyWorld(
        poisoned(machine, POISON, but=KEPT),
        jobs=jobs,
        plans={made_jobs.JOB: poisoned(plan, POISON, but=KEPT)},
        journals={
            made_jobs.JOB: [
                poisoned(e, POISON, but=KEPT | {"step"})
                for e in made_jobs.journal(plan, done=2, failed="no", ended=Outcome.FAILED)
            ]
        },
        live={
            made_results.BENCH: poisoned(
                Live(cell="SEQ1M", direction="read", phase="filling", runs=3, run=1), POISON
            )
        },
        results=[poisoned(one, POISON, but=KEPT) for one in results],
    )


def way(place: str, about: dict[str, str]) -> list[Place]:
    return [Place("overview"), *([] if place == "overview" else [Place(place, about)])]


def look(app: RaidtuiApp) -> bool:
    """Check what is drawn; return whether any of the poison is seen."""
    seen = False
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            assert segment.text.isprintable(), segment
            style = segment.style
            assert style is None or style.link is None, segment
            assert style is None or "#123456" not in str(style), segment
            assert style is None or "app.quit" not in str(style.meta.get("@click", "")), segment
        seen |= "[on #1" in strip.text
    return seen


def walk_through(app: RaidtuiApp, *, press_keys: bool = True) -> None:
    """Press every key that the screen offers, and look after each."""
    seen = []

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        seen.append(look(app))
        first = type(app.screen)
        for key in [
            key for key, one in app.screen.active_bindings.items() if one.binding.show and key != "q"
        ]:
            await press(pilot, key)
            seen.append(look(app))
            for _ in range(3):
                if type(app.screen) is first:
                    break
                await press(pilot, "escape")
                look(app)

    in_app(app, walk, size=(120, 40))
    assert any(seen), "none of the poison was drawn: the test sees nothing"


@pytest.mark.parametrize("place", PLACES)
def test_every_screen_and_what_its_keys_lead_to(place: str) -> None:
    here = world(made_jobs.nas(made_jobs.built_array(made_jobs.raid5_plan())))
    unit = here.reported()[0]
    about = ABOUT | {"unit": {"unit": unit.uuid}, "teardown": {"array": unit.uuid}}
    members = [disk.serial for disk in here.machine().disks]
    spec = {"name": f"data{POISON}"} if place in {"options", "level"} else {}
    app = RaidtuiApp(
        here,
        False,
        places=way(place, about.get(place, {})),
        draft=answers(*members, level="raid5", **spec),
    )
    walk_through(app)


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "name", ["taken", "zfs-stripe", *sorted(path.stem for path in MACHINES.glob("*.json"))]
)
@pytest.mark.parametrize("place", ["overview", "disks", "unit", "teardown"])
def test_every_recorded_machine(name: str, place: str) -> None:
    here = BusyWorld(poisoned(recorded(name), POISON, but=KEPT))
    units = (*here.reported(), *here.polled())
    if place in {"unit", "teardown"} and not units:
        return
    about = (
        {"unit": {"unit": units[0].uuid}, "teardown": {"array": units[0].uuid}}.get(place, {})
        if units
        else {}
    )
    walk_through(
        RaidtuiApp(here, False, places=way(place, about), draft=answers()),
        press_keys=False,
    )
