"""Alerts: where they go, the plan, a test and the code that proves it; from Build's last page in six keys."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
from textual.pilot import Pilot

from raidtui.jobs.sending.proof import Tried
from raidtui.model.alerts import AlertsHere
from raidtui.model.errors import BadInput
from raidtui.model.history import AlertProven, History
from raidtui.model.journal import Entry, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.procedure import Procedure, SetAlerts
from raidtui.model.system import System
from raidtui.ui.alerts.alerts_screen import FIELDS
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.widgets.field import Field
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import JOB, built_array, job, journal, nas, open_at, raid5_plan
from tests.ui.pictures import WITH_WIDE, SnapCompare, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded

CLEAN: Final = recorded("raid5-clean")
TRIED: Final = (
    Tried(way="mail to admin@example.org", code="K7QM", sent=True),
    Tried(way="mdadm's monitor", sent=False, text="mail to root needs sendmail, which is not here"),
    Tried(way="smartd", text="it is not installed"),
)


def _started(system: System) -> System:
    return msgspec.structs.replace(system, program=("/usr/bin/raidtui",))


def machine(alerts: AlertsHere | None, *proofs: AlertProven) -> Machine:
    return msgspec.structs.replace(
        CLEAN, system=_started(CLEAN.system), alerts=alerts, history=History(alert_proofs=proofs)
    )


SET: Final = AlertsHere(
    exists=True,
    ways=("mail to admin@example.org", "https://example.org/…"),
    quiet="22:00-07:00",
    timer="active",
    monitor="active",
    sendmail=True,
)
PROVEN: Final = AlertProven(subject="mail to admin@example.org", at="2026-11-03T10:00:00+00:00")


class AlertWorld(BusyWorld):
    """Records what is ordered."""

    def __init__(self, machine: Machine, tried: Sequence[Tried] = TRIED, **more: Any) -> None:
        super().__init__(machine, **more)
        self.ordered: list[tuple[str, str, bool]] = []
        self.confirmed: list[str] = []
        self.tests = 0
        self._tried = tuple(tried)

    def order_alerts(self, to: str, quiet: str, *, monthly: bool) -> Procedure:
        if not to:
            raise BadInput("alerts need a way: --mail ADDRESS, --program PATH or --urls FILE")
        self.ordered.append((to, quiet, monthly))
        return SetAlerts(staged="/var/lib/raidtui/alerts/new.toml", mark="# written by raidtui x", address=to)

    def test_alerts(self, machine: Machine) -> tuple[Tried, ...]:
        self.tests += 1
        self.orders.append(("test", ""))
        return self._tried

    def confirm_alerts(self, code: str) -> tuple[str, ...]:
        if code != "K7QM":
            raise BadInput(f"no test of the last 7 days has the code {code!r}")
        self.confirmed.append(code)
        return ("mail to admin@example.org",)


def opened(world: AlertWorld, *places: str, look: str = "80x24") -> RaidtuiApp:
    return open_app(world, *(places or ("alerts",)), console=look == "console")


@WITH_WIDE
def test_nothing_is_set(snap_compare: SnapCompare, look: str) -> None:
    app = opened(AlertWorld(machine(AlertsHere(ways=(), sendmail=True))), look=look)
    assert picture(snap_compare, app, look)


@WITH_WIDE
def test_one_way_is_proven_and_a_test_was_sent(snap_compare: SnapCompare, look: str) -> None:
    app = opened(AlertWorld(machine(SET, PROVEN)), look=look)
    assert picture(snap_compare, app, look, ["f2"])


def test_on_the_console_no_help_looks_like_a_cut_address() -> None:
    """There an ellipsis is drawn as ~."""
    assert [text for _, text in FIELDS.values() if "…" in text] == []


def test_an_address_becomes_a_plan_and_a_url_is_not_shown() -> None:
    world = AlertWorld(machine(AlertsHere(ways=(), sendmail=True)))
    app = opened(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert "! alerts need a way" in shown(app)
        await press(pilot, *"https", "colon", "slash", "slash", "x", "slash", *"hunter2")
        assert "hunter2" not in shown(app)
        app.screen.query_one("#to", Field).value = "admin@example.org"
        await press(pilot, "down", "down", "right", "enter")
        assert world.ordered == [("admin@example.org", "", True)]
        assert app.place.name == "procedure"
        assert "Set alerts" in shown(app)

    in_app(app, walk)


def test_a_code_is_confirmed_and_a_wrong_one_is_refused() -> None:
    world = AlertWorld(machine(SET))
    app = opened(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert app.screen.focused is not None
        assert app.screen.focused.id == "code"
        assert "NOT PROVEN" in shown(app)
        await press(pilot, "enter")
        assert world.tests == 1
        assert "sent       mail to admin@example.org" in shown(app)
        assert "NOT SENT   mdadm's monitor" in shown(app)
        await press(pilot, *"XXXX", "enter")
        assert "! no test of the last 7 days" in shown(app)
        await press(pilot, *["backspace"] * 4, *"K7QM", "enter")
        assert world.confirmed == ["K7QM"]
        assert "Proven: mail to admin@example.org." in shown(app)

    in_app(app, walk)


def test_no_code_is_asked_for_if_none_was_sent() -> None:
    lost = (Tried(way="https://example.org/…", code="K7QM", sent=False, text="Network is unreachable"),)
    app = opened(AlertWorld(machine(SET), lost))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "f2")
        assert "NOT SENT   https://example.org/…: Network is unreachable" in shown(app)
        assert "Enter the code that arrives." not in shown(app)
        assert "! no test with a code was sent; see above" in shown(app)

    in_app(app, walk)


def test_what_is_not_known_is_said_and_a_recording_sends_nothing() -> None:
    app = opened(AlertWorld(machine(None)))

    async def walk(pilot: Pilot[int]) -> None:
        assert "is not known" in shown(app)

    in_app(app, walk)
    from raidtui.ui.shell.recorded_world import RecordedWorld

    still = open_app(RecordedWorld(machine(SET)), "alerts")

    async def try_it(pilot: Pilot[int]) -> None:
        await press(pilot, "f2")
        assert "a recorded machine sends no alerts" in shown(still)

    in_app(still, try_it)


def test_the_overview_shows_the_last_proof_and_m_opens_the_form() -> None:
    one = msgspec.structs.replace(SET, ways=SET.ways[:1] if SET.ways else ())
    app = opened(AlertWorld(machine(one, PROVEN)), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "alerts proven 3 Nov 2026 (m)" in shown(app)
        await press(pilot, "m")
        assert app.place.name == "alerts"

    in_app(app, walk)


class BuiltWorld(AlertWorld):
    """A world in which a build is done, and a job ends as soon as it is followed."""

    def __init__(self, alerts: AlertsHere | None) -> None:
        plan = raid5_plan()
        entries = journal(plan, done=len(plan.steps), ended=Outcome.DONE)
        here = msgspec.structs.replace(nas(built_array(plan)), alerts=alerts, history=History())
        super().__init__(
            msgspec.structs.replace(here, system=_started(here.system)),
            jobs=[job(Outcome.DONE)],
            plans={JOB: plan},
            journals={JOB: entries},
        )

    def follow(self, state: JobState, stop: Callable[[], bool]) -> Iterator[Entry]:
        self._jobs = tuple(msgspec.structs.replace(one, outcome=Outcome.DONE) for one in self._jobs)
        return super().follow(state, stop)


def test_from_the_last_page_of_a_build_to_a_proven_alert_in_six_keys() -> None:
    world = BuiltWorld(AlertsHere(ways=(), sendmail=True))
    app = open_at(world, "build", job=JOB)
    keys: list[str] = []

    async def key(pilot: Pilot[int], name: str) -> None:
        keys.append(name)
        await press(pilot, name)
        await settle(pilot)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "m: set alerts, for when a disk fails." in shown(app)
        await key(pilot, "m")
        await press(pilot, *"admin")  # what is typed is no key that has to be known
        await key(pilot, "enter")
        assert app.place.name == "procedure"
        await key(pilot, "enter")
        assert app.place.name == "confirm"
        await key(pilot, "right")
        await key(pilot, "enter")
        assert [name for name, _ in world.orders] == ["set-alerts", "test"]
        assert app.place.name == "alerts", "the job has ended, and a test is sent"
        assert world.tests == 1
        await press(pilot, *"K7QM")
        await key(pilot, "enter")
        assert world.confirmed == ["K7QM"]
        assert len(keys) <= 6

    in_app(app, walk)


def test_alerts_are_not_offered_where_they_are_not_known() -> None:
    unknown = open_at(BuiltWorld(None), "build", job=JOB)

    async def look(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "Alerts" not in shown(unknown).splitlines()[-1]
        assert "set alerts" not in shown(unknown)

    in_app(unknown, look)


def test_the_form_opened_after_it_was_set_sends_a_test_at_once() -> None:
    world = AlertWorld(machine(SET))
    app = RaidtuiApp(world, False, places=[Place("alerts", {"test": "yes"})])

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert world.tests == 1

    in_app(app, walk)
