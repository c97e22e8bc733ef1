"""Units in Overview: each health has its mark, and those that need attention come first."""

import pytest
from msgspec.structs import replace

from raidtui.model.lost import LostMember
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Health, Unit, UnitMember
from raidtui.ui.care.overview_units import unit_blocks


def unit(health: Health) -> Unit:
    """A filesystem of that health."""
    return Unit(
        backend=Backend.BTRFS,
        name=health.value,
        uuid=health.value,
        marks=(),
        level="raid1",
        size_bytes=0,
        path="",
        node="",
        health=health,
        state="as it is",
    )


@pytest.mark.parametrize("health", list(Health))
def test_a_unit_of_any_health_has_its_mark(health: Health) -> None:
    marks = {Health.SYNCING: "SYNC"}
    (head, *_) = unit_blocks([unit(health)], {}, None, width=78)
    assert head.plain.startswith(f" {marks.get(health, health.value.upper())} ")


def test_a_card_tells_how_long_a_rebuild_takes_and_no_rate() -> None:
    doing = Activity(what="rebuild", fraction=0.38, done_bytes=38, total_bytes=100, seconds_left=3 * 3600)
    lines = unit_blocks([replace(unit(Health.DEGRADED), activity=doing)], {}, None, width=78)
    assert [line.plain.endswith(" 3 h left") for line in lines][1]


def test_a_unit_with_errors_stands_between_a_degraded_one_and_a_good_one() -> None:
    blocks = unit_blocks([unit(Health.OK), unit(Health.ERRORS), unit(Health.DEGRADED)], {}, None, width=78)
    heads = [line.plain.split()[0] for line in blocks if line.plain.startswith(" ") and line.plain[1] != " "]
    assert heads == ["DEGRADED", "ERRORS", "OK"]


def test_of_a_member_that_is_gone_either_its_name_is_shown_or_that_it_is_missing() -> None:
    lost = LostMember(path="/dev/sdb1", disk="SERIAL", slot=1)
    members = (
        UnitMember(path="/dev/sda1", slot=0, state="in sync"),
        UnitMember(path="", slot=1, state="missing"),
    )
    known = replace(unit(Health.DEGRADED), members=members, lost=(lost,))
    lines = [line.plain.strip() for line in unit_blocks([known], {}, None, width=78)]
    assert lines[-2:] == ["lost: SERIAL, last seen as sdb1, slot 1", "a acknowledges it"]
    assert not any("MISSING" in line for line in lines)
    removed = replace(lost, slot=None, state=("faulty",))  # by mdadm --remove
    lines = [
        line.plain.strip() for line in unit_blocks([replace(known, lost=(removed,))], {}, None, width=78)
    ]
    assert not any("MISSING" in line for line in lines)
    lines = [line.plain.strip() for line in unit_blocks([replace(known, lost=())], {}, None, width=78)]
    assert lines[1] == "0 sda1 ok   1 MISSING"
    failed = UnitMember(path="/dev/sdb1", slot=None, state="faulty, write error", disk="SERIAL")
    faulty = replace(known, members=(*members, failed), lost=())
    lines = [line.plain.strip() for line in unit_blocks([faulty], {}, None, width=78)]
    assert lines[1] == "0 sda1 ok   - sdb1 SERIAL FAULTY, WRITE ERROR"  # and none that is not connected
    assert not any("MISSING" in line for line in lines)
