"""Care of a virtual drive in the lab, with the simulated tools of both families: copyback, hot spares, rebuilds, proof."""

from collections.abc import Iterator
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel import card_guest
from tests.kernel.card_guest import DRIVES, Family, change, put, state_of, with_card
from tests.kernel.driving import (
    JOBS,
    apply,
    kill_everywhere,
    killed,
    prepare,
    raidtui,
    read_something,
    spec_text,
    write_something,
)
from tests.kernel.test_adaptec import ADAPTEC
from tests.kernel.test_card import MEGARAID

FIRST, OLD, THIRD, NEW = DRIVES


def build(card: Guest, family: Family = MEGARAID) -> str:
    """A mounted RAID5 of the first three drives, with a file; returns the file's checksum. One drive is free."""
    done = apply(card, spec_text("raid5", DRIVES[:3], backend=family.backend, partition=False), DRIVES[:3])
    assert done.code == 0, done.stderr
    card.shell(f"rm -rf {JOBS}/*")
    return write_something(card)


def read_again(card: Guest) -> str:
    card.shell("sync; echo 3 >/proc/sys/vm/drop_caches")
    return read_something(card)


def states(card: Guest) -> list[str]:
    return [one["state"] for one in state_of(card)["drives"].values()]


def fail(card: Guest, slot: str, word: str = "Failed") -> None:
    state = state_of(card)
    state["drives"][slot]["state"] = word
    put(card, state)


def unit(card: Guest, family: Family = MEGARAID) -> dict[str, Any]:
    found = card_guest.volume(card, family)
    assert found is not None
    return found


@pytest.fixture
def card(guest: Guest) -> Iterator[Guest]:
    """The guest with four of its disks behind a MegaRAID card."""
    with with_card(guest, MEGARAID) as card:
        yield card


@pytest.mark.first(0)
def test_a_drive_that_works_is_copied_and_redundancy_never_drops(card: Guest) -> None:
    written = build(card)
    change(card, seconds=8)
    done = card.run(["raidtui", "replace", OLD, NEW, "--erase", NEW], timeout=300)
    assert done.returncode == 0, done.stderr
    assert f"{OLD} is in no array any more and may leave the computer" in done.stdout
    (one,) = state_of(card)["volumes"].values()
    assert (one["slots"], one["seen"]) == (["252:0", "252:3", "252:2"], ["Optl"])
    assert states(card) == ["Onln", "UGood", "Onln", "Onln"]
    assert read_again(card) == written
    assert (unit(card)["health"], {m["disk"] for m in unit(card)["members"]}) == ("ok", {FIRST, NEW, THIRD})


@pytest.mark.first(0)
def test_a_copyback_is_resumed_though_the_job_is_killed_at_every_step(card: Guest) -> None:
    written = build(card)
    change(card, seconds=3)
    kill_everywhere(card, prepare(card, "replace", OLD, NEW, "--erase", NEW))
    assert states(card) == ["Onln", "UGood", "Onln", "Onln"]
    assert read_again(card) == written


@pytest.mark.first(0)
def test_a_copyback_that_the_card_gives_up_fails_and_is_not_called_done(card: Guest) -> None:
    build(card)
    change(card, seconds=1000)
    job = prepare(card, "replace", OLD, NEW, "--erase", NEW)
    assert killed(card, "step", "wait", "job", "run", job["folder"])
    assert (unit(card)["health"], unit(card)["activity"]["what"]) == ("ok", "copyback")
    fail(card, "252:2")  # a rebuild would come first: the card ends the copy
    done = raidtui(card, "resume", job["request"]["id"], "--json")
    assert done.code == 4, done.stderr
    assert states(card)[3] == "UGood"
    finding = raidtui(card, "status", "--json").report["findings"][0]
    assert finding["kind"] == "no-redundancy"


@pytest.mark.first(0)
@pytest.mark.parametrize("family", [MEGARAID, ADAPTEC], ids=["megaraid", "adaptec"])
def test_a_failed_drive_is_rebuilt_onto_a_new_one_with_progress_and_proof(
    guest: Guest, family: Family
) -> None:
    with with_card(guest, family) as card:
        written = build(card, family)
        change(card, seconds=1000)
        if family is ADAPTEC:
            state = state_of(card)
            state["volumes"]["0"]["built"] = 100
            put(card, state)
        fail(card, f"{family.enclosure}:1")
        finding = raidtui(card, "status", "--json").report["findings"][0]
        assert finding["kind"] == "no-redundancy"
        name = finding["name"]
        job = prepare(card, "care", name, "--erase", NEW)
        assert killed(card, "step", "wait", "job", "run", job["folder"])
        shown = unit(card, family)
        assert (shown["health"], shown["activity"]["what"]) == ("degraded", "rebuild")
        change(card, seconds=1)
        done = raidtui(card, "resume", job["request"]["id"], "--json")
        assert done.code == 0, done.stderr
        assert unit(card, family)["health"] == "ok"
        assert {m["disk"] for m in unit(card, family)["members"]} == {FIRST, NEW, THIRD}
        assert read_again(card) == written
        # Done once more, by the serial numbers, onto the drive that failed: it is not a free one.
        refused = raidtui(card, "replace", FIRST, OLD, "--erase", OLD)
        assert refused.code == 3, refused.stderr


@pytest.mark.first(0)
@pytest.mark.parametrize("family", [MEGARAID, ADAPTEC], ids=["megaraid", "adaptec"])
def test_hot_spares_are_added_and_freed_dedicated_and_global(guest: Guest, family: Family) -> None:
    with with_card(guest, family) as card:
        build(card, family)
        name = unit(card, family)["name"]
        for word, said in (
            ("add-spare", {"DHS", "Dedicated Hot-Spare"}),
            ("add-global-spare", {"GHS", "Global Hot-Spare"}),
        ):
            done = card.run(["raidtui", "care", name, "--do", word, "--erase", NEW], timeout=300)
            assert done.returncode == 0, done.stderr
            assert states(card)[3] in said
            done = card.run(["raidtui", "care", name, "--do", "remove-spare", "--with", NEW], timeout=300)
            assert done.returncode == 0, done.stderr
            assert states(card)[3] == family.free


@pytest.mark.first(0)
def test_an_offline_drive_is_rebuilt_in_its_place_and_a_foreign_one_stops_the_proof(card: Guest) -> None:
    written = build(card)
    change(card, seconds=3)
    fail(card, "252:1", "Offln")
    finding = raidtui(card, "status", "--json").report["findings"][0]
    job = prepare(card, "care", finding["name"])
    assert killed(card, "step", "prove", "job", "run", job["folder"])
    state = state_of(card)
    state["drives"]["252:3"]["dg"] = "F"
    put(card, state)
    refused = raidtui(card, "resume", job["request"]["id"], "--json")
    assert refused.code == 4, refused.stderr
    assert "foreign configuration" in refused.stderr + str(refused.report)
    state["drives"]["252:3"]["dg"] = "-"
    put(card, state)
    assert raidtui(card, "resume", job["request"]["id"], "--json").code == 0
    assert states(card) == ["Onln", "Onln", "Onln", "UGood"]
    assert read_again(card) == written
