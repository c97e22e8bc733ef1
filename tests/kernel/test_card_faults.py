"""Faults of cards and their tools, for each family: raidtui reports them, and nothing is lost."""

from collections.abc import Iterator
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.card_guest import DRIVES, Family, change, state_of, volume, with_card
from tests.kernel.driving import (
    apply,
    inspect,
    prepare_build,
    raidtui,
    read_something,
    spec_text,
    write_something,
)
from tests.kernel.test_adaptec import ADAPTEC
from tests.kernel.test_card import MEGARAID

FAMILIES = [ADAPTEC, MEGARAID]
HTML = "<html><body>It works!</body></html>"


@pytest.fixture(params=FAMILIES, ids=[one.backend for one in FAMILIES])
def family(request: pytest.FixtureRequest) -> Family:
    """Each family of cards in turn."""
    found = request.param
    assert isinstance(found, Family)
    return found


@pytest.fixture
def card(guest: Guest, family: Family) -> Iterator[Guest]:
    """The guest with four of its disks behind a card."""
    with with_card(guest, family) as card:
        yield card


def spec(family: Family, level: str, drives: list[str], **options: Any) -> str:
    return spec_text(level, drives, backend=family.backend, partition=False, **options)


@pytest.mark.first(1)  # a tool that hangs is waited for
@pytest.mark.parametrize(
    ("fault", "said"),
    [({"prints": HTML}, "not an answer of"), ({"hangs": 1000}, "did not end within 60 s")],
    ids=["HTML", "hangs"],
)
def test_a_tool_that_does_not_answer_is_quoted(
    card: Guest, family: Family, fault: dict[str, Any], said: str
) -> None:
    change(card, **fault)
    shown = card.run(["raidtui", "inspect"], check=True).stdout
    assert family.tool in shown
    assert said in " ".join(shown.split())
    refused = apply(card, spec(family, "raid1", DRIVES[:2]), DRIVES[:2])
    assert refused.code != 0
    assert state_of(card)["volumes"] == {}


def test_a_foreign_configuration_stops_everything(card: Guest, family: Family) -> None:
    state = state_of(card)
    list(state["drives"].values())[3] |= family.foreign
    change(card, **state)
    refused = apply(card, spec(family, "raid1", DRIVES[:2]), DRIVES[:2])
    assert refused.code == 3
    assert "foreign configuration" in refused.stderr
    assert state_of(card)["volumes"] == {}


@pytest.mark.first(0)
def test_a_busy_card_is_asked_again_by_resume(card: Guest, family: Family) -> None:
    change(card, busy=1)
    job = prepare_build(card, spec(family, "raid1", DRIVES[:2]), DRIVES[:2])
    assert raidtui(card, "job", "run", job["folder"]).code == 4
    assert "try again when it is idle" in card.shell(f"cat {job['folder']}/journal*").stdout
    assert state_of(card)["volumes"] == {}
    done = raidtui(card, "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    assert len(state_of(card)["volumes"]) == 1


@pytest.mark.first(0)
@pytest.mark.parametrize("killed", ["after", "before"])
def test_a_tool_that_is_killed_half_way_leaves_one_virtual_drive(
    card: Guest, family: Family, killed: str
) -> None:
    """``after``: the card created the virtual drive, but its tool did not report it."""
    change(card, killed=killed)
    job = prepare_build(card, spec(family, "raid1", DRIVES[:2]), DRIVES[:2])
    assert raidtui(card, "job", "run", job["folder"]).code == 4
    done = raidtui(card, "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    assert len(state_of(card)["volumes"]) == 1
    assert inspect(card)["units"][0]["mountpoints"] == ["/srv/tank"]


@pytest.mark.first(0)
def test_a_failed_drive_and_its_hot_spare_are_told(card: Guest, family: Family) -> None:
    built = apply(card, spec(family, "raid5", DRIVES[:3], spares=DRIVES[3:]), DRIVES)
    assert built.code == 0, built.stderr
    for one in (state := state_of(card))["volumes"].values():
        one |= {"built": 100}
    slots = list(state["drives"])
    state["drives"][slots[1]]["state"] = "Failed"
    change(card, **state, seconds=10_000)
    change(card, battery="Failed")
    found = volume(card, family)
    assert found is not None
    assert (found["health"], found["activity"]["what"]) == ("degraded", "rebuild")
    assert (slots[3], "rebuilding") in [(one["path"], one["state"]) for one in found["members"]]
    said = " ".join(card.run(["raidtui", "inspect"], check=True).stdout.split())
    assert f"{found['name']} is degraded" in said
    assert "write-through now" in said
    change(card, seconds=0.001)
    volume(card, family)  # the card makes progress between two calls of its tool
    found = volume(card, family)
    assert found is not None
    assert (found["health"], found["activity"]) == ("ok", None)


@pytest.mark.first(0)
def test_a_failed_drive_is_replaced_by_a_free_one_of_the_card_whose_light_blinks(
    card: Guest, family: Family
) -> None:
    built = apply(card, spec(family, "raid5", DRIVES[:3]), DRIVES[:3])
    assert built.code == 0, built.stderr
    written = write_something(card)
    for one in (state := state_of(card))["volumes"].values():
        one |= {"built": 100}
    slots = list(state["drives"])
    state["drives"][slots[1]]["state"] = "Failed"
    change(card, **state, seconds=6)
    found = card.run(["raidtui", "locate", DRIVES[3], "--seconds", "3"], check=True)
    assert "Its locate light blinks" in found.stdout
    assert "does not blink" not in found.stdout
    assert state_of(card)["drives"][slots[3]]["blinks"] is False  # it was on, and is off again

    refused = raidtui(card, "care", "1")
    assert refused.code == 3
    assert DRIVES[3] in refused.stderr
    done = raidtui(card, "care", "1", "--erase", DRIVES[3])
    assert done.code == 0, done.stderr
    found_now = volume(card, family)
    assert found_now is not None
    assert found_now["health"] == "ok"
    assert DRIVES[3] in {one["disk"] for one in found_now["members"]}
    assert read_something(card) == written
    assert raidtui(card, "care", "--json").report["findings"] == []
