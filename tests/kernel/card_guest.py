"""A guest with a RAID card: its PCI device, a simulated tool, drives behind it, and udev names for its disks."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from raidtui.lab.guest import Guest
from raidtui.model.struct import Record
from raidtui.model.units import MIB
from tests.kernel.driving import inspect

SIZE: Final = 96 * MIB
DRIVES: Final = [f"CARD-000{number}" for number in range(1, 5)]
_LETTERS: Final = "abcdefgh"
_REPOSITORY: Final = Path(__file__).parents[2]


class Family(Record, frozen=True, kw_only=True):
    """The properties of a family of cards."""

    backend: str
    driver: str  # in the kernel
    vendor: str  # PCI vendor of chip and board
    device: str
    board: str
    tool: str  # name of the program
    simulator: str  # module that simulates the tool
    names: str  # udev properties and links of the disk of virtual drive %c, as its simulator calls it
    enclosure: str  # of its slots
    free: str  # its word for a free drive
    well: str  # its word for a good battery
    foreign: dict[str, Any]  # how its simulator marks a drive with a foreign configuration
    first: int  # number of its virtual drives


@contextmanager
def with_card(
    guest: Guest, family: Family, *, size: int = SIZE, serials: Sequence[str] = DRIVES
) -> Iterator[Guest]:
    """Put the first disks of ``guest``, of this size, behind a card of ``family``; undo that afterwards."""
    guest.shell(_set_up(family, len(serials)))
    drives = {
        f"{family.enclosure}:{number}": {
            "serial": serial, "node": f"/dev/ubd{_LETTERS[number]}", "size": size, "state": family.free,
            "dg": "-", "did": 10 + number,
        }
        for number, serial in enumerate(serials)
    }  # fmt: skip
    put(guest, {"drives": drives, "volumes": {}, "next": family.first, "battery": family.well})
    try:
        yield guest
    finally:  # a card left by a failed test would hide the disks from all tests after it
        guest.shell(_take_down(family), check=False)


def put(guest: Guest, state: dict[str, Any]) -> None:
    """Set the state of the card."""
    guest.run(["sh", "-c", "cat >/run/card.json"], stdin=json.dumps(state), check=True)


def change(guest: Guest, **changes: Any) -> None:
    """Change the state of the card, to simulate faults and time."""
    put(guest, state_of(guest) | changes)


def state_of(guest: Guest) -> dict[str, Any]:
    """The state of the card."""
    found = json.loads(guest.run(["cat", "/run/card.json"], check=True).stdout)
    assert isinstance(found, dict)
    return found


def volume(guest: Guest, family: Family) -> dict[str, Any] | None:
    """The only virtual drive, as raidtui shows it; None if there is none."""
    found = [one for one in inspect(guest)["units"] if one["backend"] == family.backend]
    return found[0] if found else None


def _set_up(family: Family, drives: int) -> str:
    run = f"cd {_REPOSITORY} && exec {sys.executable} -S -m {family.simulator}"
    return f"""
mount -t tmpfs card /sys/bus
card=/sys/bus/pci/drivers/{family.driver}/0000:01:00.0
mkdir -p $card/host0
echo 0x010400 >$card/class
echo {family.vendor} | tee $card/vendor >$card/subsystem_vendor
echo {family.device} >$card/device
echo {family.board} >$card/subsystem_device
printf '#!/bin/sh\\n{run} "$@"\\n' >/usr/local/sbin/{family.tool}
chmod +x /usr/local/sbin/{family.tool}
cat >/run/udev/rules.d/59-card.rules <<'RULES'
KERNEL=="ubd[a-{_LETTERS[drives - 1]}]", ENV{{RAIDTUI_LAB_INTERNAL}}="1"
KERNEL=="dm-*", ATTR{{dm/name}}=="card-*", ENV{{RAIDTUI_LAB_DISK}}="1", PROGRAM="/bin/sh -c 'cut -d- -f2- /sys/block/%k/dm/name'", {family.names}
RULES
{_REREAD}"""


def _take_down(family: Family) -> str:
    return f"""
umount /srv/tank /sys/bus
dmsetup remove_all --force
rm -rf /dev/raidtui /run/card.* /usr/local/sbin/{family.tool} /run/udev/rules.d/59-card.rules
{_REREAD}"""


_REREAD: Final = """
udevadm control --reload
udevadm trigger --subsystem-match=block --action=change
udevadm settle
"""
