"""An Adaptec card in the lab: a simulated arcconf over real block devices, from bare drives to a degraded array and back."""

from collections.abc import Iterator
from typing import Final

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.units import MIB
from tests.kernel.card_guest import DRIVES, SIZE, Family, put, state_of, volume, with_card
from tests.kernel.driving import apply, inspect, read_something, spec_text, teardown, write_something

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
    first=0,
)


@pytest.fixture
def card(guest: Guest) -> Iterator[Guest]:
    """The guest with four of its disks behind a card."""
    yield from with_card(guest, ADAPTEC)


def test_a_virtual_drive_is_built_watched_degraded_and_deleted(card: Guest) -> None:
    before = inspect(card)
    assert [one["slot"] for one in before["disks"] if not one["path"]] == [f"0:{n}" for n in range(4)]
    spec = spec_text("raid5", DRIVES[:3], backend="adaptec", partition=False, spares=DRIVES[3:])
    built = apply(card, spec, DRIVES)
    assert built.code == 0, built.said
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
    put(card, state)
    found = volume(card, ADAPTEC)
    assert found is not None
    assert (found["health"], found["state"]) == (
        "degraded",
        "degraded, not redundant: 1 of 3 drives not online",
    )
    assert read_something(card) == written
    state["drives"]["0:1"]["state"] = "Online"
    put(card, state)

    assert teardown(card, "tank", DRIVES[:3]).code != 0  # the spare is a drive of it too
    removed = teardown(card, "tank", DRIVES)
    assert removed.code == 0, removed.said
    assert volume(card, ADAPTEC) is None
    state = state_of(card)
    assert state["volumes"] == {}
    assert {one["state"] for one in state["drives"].values()} == {"Ready"}
