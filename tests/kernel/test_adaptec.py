"""An Adaptec card in the lab: a simulated arcconf over real block devices, from bare drives to a degraded array and back."""

import time
from collections.abc import Iterator
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.lab.guest import Guest
from raidtui.model.units import MIB
from tests.kernel.card_guest import DRIVES, SIZE, Family, change, put, state_of, volume, with_card
from tests.kernel.driving import (
    apply,
    inspect,
    killed,
    prepare_build,
    raidtui,
    read_something,
    spec_text,
    teardown,
    write_something,
)

ADAPTEC: Final = Family(
    backend="adaptec",
    driver="aacraid",
    vendor="0x9005",
    device="0x028c",
    board="0x028c",
    tool="arcconf",
    simulator="tests.kernel.arcconf",
    # The driver gives the disk of a virtual drive the serial number that the card has of it.
    names='ENV{ID_SCSI_SERIAL}="%c", ENV{ID_MODEL}="SIMULATED_LD", SYMLINK+="disk/by-id/scsi-SASR7805_%c"',
    enclosure="0",
    free="Ready",
    well="Ready",
    foreign={"stale": True},
    first=0,
)
# Only the model tells which disk of the kernel a virtual drive is: aacraid shows the name there.
WITHOUT_IDENTITY: Final = replace(ADAPTEC, names='ENV{ID_MODEL}="%c"')


@pytest.fixture
def card(guest: Guest) -> Iterator[Guest]:
    """The guest with four of its disks behind a card."""
    with with_card(guest, ADAPTEC) as card:
        yield card


@pytest.mark.first(0)
def test_a_virtual_drive_is_built_watched_degraded_and_deleted(card: Guest) -> None:
    before = inspect(card)
    assert [one["slot"] for one in before["disks"] if not one["path"]] == [f"0:{n}" for n in range(4)]
    spec = spec_text("raid5", DRIVES[:3], backend="adaptec", partition=False, spares=DRIVES[3:])
    built = apply(card, spec, DRIVES)
    assert built.code == 0, built.stderr
    state = state_of(card)
    assert [one["state"] for one in state["drives"].values()] == ["Online"] * 3 + ["Dedicated Hot-Spare"]

    state["volumes"]["0"]["built"] = 37
    put(card, state)
    found = volume(card, ADAPTEC)
    assert found is not None
    assert (found["level"], found["health"], found["mountpoints"]) == ("raid5", "building", ["/srv/tank"])
    assert (found["activity"]["what"], found["activity"]["fraction"]) == ("initialization", 0.37)
    assert found["size_bytes"] == 2 * SIZE - MIB  # the card keeps a little
    assert sorted(one["disk"] for one in found["members"]) == DRIVES
    written = write_something(card)

    state["volumes"]["0"]["built"] = 100
    state["drives"]["0:1"]["state"] = "Failed"
    put(card, state | {"seconds": 1_000_000})  # for the rebuild onto the hot spare
    found = volume(card, ADAPTEC)
    assert found is not None
    assert (found["health"], found["state"]) == (
        "degraded",
        "degraded, not redundant: 1 of 3 drives not online, rebuild 0 %",
    )
    assert read_something(card) == written
    state["drives"]["0:1"]["state"] = "Online"
    put(card, state)

    assert teardown(card, "tank", DRIVES[:3]).code != 0  # the spare is a drive of it too
    removed = teardown(card, "tank", DRIVES)
    assert removed.code == 0, removed.stderr
    assert volume(card, ADAPTEC) is None
    state = state_of(card)
    assert state["volumes"] == {}
    assert {one["state"] for one in state["drives"].values()} == {"Ready"}


@pytest.mark.first(0)
def test_a_clear_is_waited_for_though_the_job_is_killed(card: Guest) -> None:
    state = state_of(card)
    state["drives"]["0:1"]["cache"] = "Enabled (write-back)"
    put(card, state | {"seconds": 1000})
    options = {"initialization": "full", "drive_cache": "off"}
    spec = spec_text("raid5", DRIVES[:3], backend="adaptec", partition=False, **options)
    job = prepare_build(card, spec, DRIVES[:3])
    assert killed(card, "step", "initialize", "job", "run", job["folder"])
    state = state_of(card)
    (one,) = state["volumes"].values()
    put(card, state | {"seconds": time.time() - one["clearing"] + 8})  # the guest has this computer's clock
    done = raidtui(card, "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    (one,) = state_of(card)["volumes"].values()  # the same one: the card was not told to begin again
    assert (one["method"], one["clearing"], one["built"]) == ("CLEAR", None, 100)
    assert state_of(card)["next"] == 1
    assert state_of(card)["drives"]["0:1"]["cache"] == "Disabled (write-through)"
    found = volume(card, ADAPTEC)
    assert found is not None
    assert (found["health"], found["mountpoints"]) == ("ok", ["/srv/tank"])


@pytest.mark.first(0)
def test_without_identity_a_virtual_drive_is_found_by_its_name_and_left_alone_if_unknown(
    guest: Guest,
) -> None:
    with with_card(guest, WITHOUT_IDENTITY) as card:
        change(card, identity=False)
        spec = spec_text("raid1", DRIVES[:2], backend="adaptec", partition=False)
        built = apply(card, spec, DRIVES[:2])
        assert built.code == 0, built.stderr
        found = volume(card, WITHOUT_IDENTITY)
        assert found is not None
        assert (found["mountpoints"], found["node"]) == (
            ["/srv/tank"],
            card.shell("realpath /dev/mapper/card-*").stdout.strip(),
        )
        written = write_something(card)

        # Renamed with another tool: the kernel still has the old name, so its disk is unknown.
        before = state_of(card)
        name = before["volumes"]["0"]["name"]
        before["volumes"]["0"] |= {"name": "Photos", "built": 100}
        put(card, before)
        found = volume(card, WITHOUT_IDENTITY)
        assert found is not None
        assert (found["node"], found["state"]) == ("", "optimal, but its tool does not say which disk it is")
        kept = teardown(card, "Photos", DRIVES[:2])
        assert kept.code == 3, kept.stderr
        assert "its tool does not say which disk it is" in kept.stderr
        second = apply(
            card, spec_text("raid1", DRIVES[2:], name="two", backend="adaptec", partition=False), DRIVES[2:]
        )
        assert second.code == 3, second.stderr
        assert "does not say which disks its virtual drives are" in second.stderr
        assert state_of(card) == before
        assert read_something(card) == written

        before["volumes"]["0"]["name"] = name
        put(card, before)
        removed = teardown(card, "tank", DRIVES[:2])
        assert removed.code == 0, removed.stderr
        assert state_of(card)["volumes"] == {}
