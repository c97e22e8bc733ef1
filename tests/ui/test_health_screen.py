"""Health: every disk in one line, the verdict first, what became of it drawn beside; Enter shows its history."""

import random

from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.model.history import History, SmartRow
from raidtui.model.machine import Machine
from raidtui.model.smart import Smart
from raidtui.ui.care.health_screen import spark
from tests.ui import machines
from tests.ui.pictures import WITH_WIDE, SnapCompare, in_app, open_app, picture, press, shown
from tests.ui.recorded import recorded

WELL = Smart(
    passed=True,
    temperature_celsius=34,
    power_on_hours=21_000,
    reallocated_sectors=0,
    self_tests_logged=8,
    long_test_hours=20_500,
)


def rows(disk: str, days: int, reallocated: int = 0) -> list[SmartRow]:
    """A warm month; with ``reallocated`` that many sectors more a day from the twentieth on."""
    chance = random.Random(disk)
    return [
        SmartRow(
            subject=disk,
            at=f"2026-11-{day:02}T04:00:00+00:00",
            passed=True,
            temperature_celsius=30 + day // 4 + chance.randrange(3),
            reallocated_sectors=max(0, day - 20) * reallocated,
        )
        for day in range(1, days + 1)
    ]


def computer(disks: int = 6) -> Machine:
    """One disk that fails, one that becomes worse, one that says nothing; the others are well."""
    machine = machines.four_disks() if disks <= 6 else recorded("disks-24")
    found = [replace(one, smart=WELL) for one in machine.disks]
    grown = {found[1].identity: 8}
    found[1] = replace(found[1], smart=replace(WELL, reallocated_sectors=64))
    found[2] = replace(found[2], smart=replace(WELL, passed=False, power_on_hours=61_000))
    found[-1] = replace(found[-1], smart=None)
    kept = [row for one in found[:-1] for row in rows(one.identity, 28, grown.get(one.identity, 0))]
    history = History(smart=tuple(kept))
    return replace(machine, read_at="2026-11-28T05:00:00Z", disks=tuple(found), history=history)


@WITH_WIDE
def test_what_fails_and_what_becomes_worse(snap_compare: SnapCompare, look: str) -> None:
    assert picture(
        snap_compare, open_app(computer(), "health", console=look == "console"), look, keys=["down"]
    )


@WITH_WIDE
def test_twenty_four_disks(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_app(computer(24), "health", console=look == "console"), look)


@WITH_WIDE
def test_disks_that_say_nothing(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_app(recorded("raid5-clean"), "health", console=look == "console"), look)


def test_the_head_counts_what_needs_attention_and_the_history_is_one_key_away() -> None:
    app = open_app(computer(), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "h")
        assert app.place.name == "health"
        text = shown(app)
        assert f"2 disks of {len(computer().disks)} need attention" in text
        assert "REPLACE" in text
        assert "UNKNOWN" in text
        assert text.index("REPLACE") < text.index("WATCH") < text.index(" OK "), "not out of sight"
        await press(pilot, "down")
        assert "reallocated sectors 0 → 64 since 1 Nov" in " ".join(shown(app).split())
        await press(pilot, "enter")
        assert "2026-11-02" in shown(app)
        await press(pilot, "end")
        assert "2026-11-28" in shown(app)
        await press(pilot, "escape")
        assert app.place.name == "health"

    in_app(app, walk)


def test_a_curve_needs_a_difference() -> None:
    assert spark([]) == spark([30]) == spark([30, None, 30]) == ""
    assert spark([30, 35, 40]) == "_=#"
    assert len(spark(list(range(365)))) == 10
