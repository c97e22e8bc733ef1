"""Computers with an Adaptec card: a fake arcconf that replays recorded output, and what raidtui reads from it."""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from raidtui.backends.adaptec import tools
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.machine.ask import ToolAnswer
from raidtui.model.machine import Card, Disk, Machine
from tests.unit.card_machines import answering, read_by, recorded

CARD = Card(
    driver="aacraid",
    address="0000:01:00.0",
    vendor="9005",
    device="0285",
    board_vendor="1014",
    board="034d",
    hosts=(0,),
)
SMARTRAID = Card(driver="smartpqi", address="0000:4b:00.0", vendor="9005", device="028f", board_vendor="1137")
SERIALS = ("3LM0QZVP", "3LM0SJ4Z", "3QQ109DE", "3QQ0ZDH1")
REFUSED = "Controllers found: 1\n\nInvalid argument: such a command is not known.\n\nCommand aborted.\n"
VIRTUAL = Disk(
    name="sda",
    path="/dev/sda",
    device_number="8:0",
    size_bytes=572194 * 2**20,
    serial="DE172470",
    by_id=("scsi-SASR7805_tank_DE172470",),
    model="tank",
    vendor="ASR7805",
)


def of_series_two() -> dict[str, str]:
    """The output of arcconf for a ServeRAID 8k-l: a mirror, two drives ready, no battery."""
    return _one("arcconf-8kl-al.txt")


def of_series_three() -> dict[str, str]:
    """The same for a ServeRAID 8k: a RAID5 that is not built yet."""
    return _one("arcconf-8k-al.txt")


def of_smartraid() -> dict[str, str]:
    """The same for a SmartRAID card from Cisco: three virtual drives, a capacitor that is not charged."""
    return {
        "GETVERSION": recorded("arcconf-3204-version.txt"),
        "GETCONFIG 1 AD": recorded("arcconf-m1-ad.txt"),
        "GETCONFIG 1 LD": recorded("arcconf-m1-ld.txt"),
        "GETCONFIG 1 PD": recorded("arcconf-m1-pd.txt"),
        "GETSTATUS 1": recorded("arcconf-none-running.txt"),
    }


def all_ready() -> dict[str, str]:
    """The same for the ServeRAID 8k-l with all four drives free."""
    drives = recorded("arcconf-8kl-al.txt").replace("  : Online", "  : Ready")
    nothing = (
        "Logical drive information\n   No logical drives configured\n\nCommand completed successfully.\n"
    )
    return of_series_two() | {
        "GETCONFIG 1 AD": drives.replace(": 1/0/0", ": 0/0/0"),
        "GETCONFIG 1 PD": drives,
        "GETCONFIG 1 LD": nothing,
    }


def a_volume(
    name: str = "tank-123456", *, status: str = "Optimal", third: str = "", failed: str = "No"
) -> str:
    """The output of arcconf, Series 6 and later, for a RAID5 of three drives; ``third`` replaces its last segment."""
    last = third or "Present (286102MB, SAS, HDD, Enclosure:0, Slot:2)         3QQ109DE"
    return f"""Controllers found: 1
----------------------------------------------------------------------
Logical device information
----------------------------------------------------------------------
Logical Device number 0
   Logical Device name                      : {name}
   Block Size of member drives              : 512 Bytes
   RAID level                               : 5
   Unique Identifier                        : DE172470
   Status of Logical Device                 : {status}
   Size                                     : 572194 MB
   Stripe-unit size                         : 256 KB
   Read-cache setting                       : Enabled
   Read-cache status                        : On
   Write-cache setting                      : On when protected by battery/ZMM
   Write-cache status                       : On
   Failed stripes                           : {failed}
   --------------------------------------------------------
   Logical Device segment information
   --------------------------------------------------------
   Segment 0                                : Present (286102MB, SAS, HDD, Enclosure:0, Slot:0)         3LM0QZVP
   Segment 1                                : Present (286102MB, SAS, HDD, Channel:0, Device:1)         3LM0SJ4Z
   Segment 2                                : {last}


Command completed successfully.
"""


def with_volume(volume: str) -> dict[str, str]:
    """The output for the ServeRAID 8k-l, here with a battery, and ``volume`` on its first three drives."""
    about = recorded("arcconf-8kl-al.txt").replace(": Not Installed", ": Okay")
    drives = recorded("arcconf-8kl-al.txt")
    drives = re.sub(r"(State +: )Ready(?=(?:.*\n){8}.*3QQ109DE)", r"\1Online", drives)
    return of_series_two() | {
        "GETCONFIG 1 AD": about,
        "GETCONFIG 1 PD": drives,
        "GETCONFIG 1 LD": volume,
    }


def asks(
    answers: Mapping[str, str], *, returncode: int = 0, asked: list[list[str]] | None = None
) -> Callable[[Sequence[str]], ToolAnswer]:
    """A fake arcconf; it refuses unknown commands as the real one does."""

    return answering(answers, lambda argv: " ".join(argv[1:]), REFUSED, returncode=returncode, asked=asked)


def with_adaptec(
    monkeypatch: pytest.MonkeyPatch,
    answers: Mapping[str, str],
    *,
    card: Card = CARD,
    disks: Sequence[Disk] = (VIRTUAL,),
    tool: str = "arcconf",
) -> Machine:
    """The computer as raidtui reads it if the tool gives these answers."""
    monkeypatch.setattr(tools, "find_tool", lambda name: f"/usr/sbin/{name}" if name == tool else None)
    return read_by(ADAPTEC, asks(answers), card=card, disks=disks)


def _one(name: str) -> dict[str, str]:
    """The answers from a recording with all parts in one file."""
    whole = recorded(name)
    return {
        "GETVERSION": recorded("arcconf-3204-version.txt"),
        "GETCONFIG 1 AD": whole,
        "GETCONFIG 1 LD": whole,
        "GETCONFIG 1 PD": whole,
        "GETSTATUS 1": recorded("arcconf-none-running.txt"),
    }
