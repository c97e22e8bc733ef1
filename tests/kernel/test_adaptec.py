"""An Adaptec card in the lab: a simulated arcconf over real block devices, from bare drives to a degraded array and back."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.units import MIB
from tests.kernel.driving import apply, inspect, read_something, spec_text, teardown, write_something

REPOSITORY = Path(__file__).parents[2]
SIZE = 96 * MIB
DRIVES = [f"CARD-000{number}" for number in range(1, 5)]
NODES = [f"/dev/ubd{letter}" for letter in "abcd"]

# The card's place on the PCI bus, and for the disks of its virtual drives the serial number that the driver gives them.
SET_UP = f"""
mount -t tmpfs card /sys/bus
card=/sys/bus/pci/drivers/aacraid/0000:01:00.0
mkdir -p $card/host0
echo 0x010400 >$card/class
echo 0x9005 | tee $card/vendor >$card/subsystem_vendor
echo 0x028c | tee $card/device >$card/subsystem_device
printf '#!/bin/sh\\ncd {REPOSITORY} && exec {sys.executable} -S -m tests.kernel.arcconf "$@"\\n' >/usr/local/sbin/arcconf
chmod +x /usr/local/sbin/arcconf
cat >/run/udev/rules.d/59-card.rules <<'RULES'
KERNEL=="ubd[a-d]", ENV{{RAIDTUI_LAB_INTERNAL}}="1"
KERNEL=="dm-*", ATTR{{dm/name}}=="card-*", ENV{{RAIDTUI_LAB_DISK}}="1", PROGRAM="/bin/sh -c 'cut -d- -f2 /sys/block/%k/dm/name'", ENV{{ID_SCSI_SERIAL}}="%c", ENV{{ID_MODEL}}="SIMULATED_LD", SYMLINK+="disk/by-id/scsi-SASR7805_%c"
RULES
udevadm control --reload
udevadm trigger --subsystem-match=block --action=change
udevadm settle
"""
TAKE_DOWN = """
umount /srv/tank /sys/bus
dmsetup remove_all --force
rm -rf /dev/raidtui /run/card.* /usr/local/sbin/arcconf /run/udev/rules.d/59-card.rules
udevadm control --reload
udevadm trigger --subsystem-match=block --action=change
udevadm settle
"""


def put(guest: Guest, state: dict[str, Any]) -> None:
    guest.run(["sh", "-c", "cat >/run/card.json"], stdin=json.dumps(state), check=True)


def state_of(guest: Guest) -> dict[str, Any]:
    """What the card has."""
    found = json.loads(guest.run(["cat", "/run/card.json"], check=True).stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def card(guest: Guest) -> Iterator[Guest]:
    """The guest with four of its disks behind a card."""
    drives = {
        f"0:{number}": {"serial": serial, "node": node, "size": SIZE, "state": "Ready", "dg": "-"}
        for number, (serial, node) in enumerate(zip(DRIVES, NODES, strict=True))
    }
    guest.shell(SET_UP)
    put(guest, {"drives": drives, "volumes": {}, "next": 0, "battery": "Ready"})
    yield guest
    guest.shell(TAKE_DOWN, check=False)


def volume(guest: Guest) -> dict[str, Any] | None:
    """The one virtual drive as raidtui shows it."""
    found = [one for one in inspect(guest)["units"] if one["backend"] == "adaptec"]
    return found[0] if found else None


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
    found = volume(card)
    assert found is not None
    assert (found["level"], found["health"], found["mountpoints"]) == ("raid5", "building", ["/srv/tank"])
    assert (found["activity"]["what"], found["activity"]["fraction"]) == ("initialization", 0.37)
    assert found["size_bytes"] == 2 * SIZE - MIB  # the card keeps a little
    assert sorted(one["disk"] for one in found["members"]) == DRIVES
    written = write_something(card)

    state["volumes"]["0"]["built"] = 100
    state["drives"]["0:1"]["state"] = "Failed"
    put(card, state)
    found = volume(card)
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
    assert volume(card) is None
    state = state_of(card)
    assert state["volumes"] == {}
    assert {one["state"] for one in state["drives"].values()} == {"Ready"}
