"""What a virtual drive needs the administrator to do: the drive that replaces a lost one, by the card's own spare."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.replacements import remedies_of
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.reader import card_reader
from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState, Volume, VolumeState
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.backends.units import units_of
from raidtui.machine.ask import Answer
from raidtui.model.units import GIB
from tests.unit.card_machines import CARD, VIRTUAL
from tests.unit.plan_machines import machine

DISK = msgspec.structs.replace(VIRTUAL, size_bytes=20 * GIB)


def drive(number: int, state: DriveState = DriveState.ONLINE, **changes: Any) -> Drive:
    found = Drive(
        slot=f"252:{number}",
        place=f"/c0/e252/s{number}",
        state=state,
        state_word=state.value,
        group="" if state is DriveState.FREE else "0",
        serial=f"S-{number}",
        size_bytes=10 * GIB,
        transport="sas",
    )
    return msgspec.structs.replace(found, **changes)


def said(
    *drives: Drive,
    state: VolumeState = VolumeState.DEGRADED,
    family: Family = MEGARAID,
    tool: str = "storcli64",
    driver: str = "",
) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences and commands for the RAID5 of the drives in slots 0 to 2."""
    volume = Volume(
        number="239",
        place="/c0/v239",
        state=state,
        state_word=state.value,
        name="tank",
        level="raid5",
        group="0",
        size_bytes=20 * GIB,
        naa="5000000000000011",
        slots=("252:0", "252:1", "252:2"),
    )
    adapter = Adapter(
        number=0, tool=tool, driver=driver, address=CARD.address, volumes=(volume,), drives=drives
    )
    card = msgspec.structs.replace(CARD, driver=min(family.drivers))
    there = msgspec.structs.replace(machine(), cards=(card,), disks=(DISK,))
    there = msgspec.structs.replace(
        there, readings={family.name.value: msgspec.to_builtins(CardReading(adapters=(adapter,)))}
    )
    there = card_reader(family).with_drives(there, lambda argv: Answer(returncode=1), False)
    (found,) = remedies_of(units_of(there), lambda: there)
    return [(one.text, one.commands) for one in found]


TWO = (drive(0), drive(1))
FAILED = drive(2, DriveState.FAILED)
FREE = DriveState.FREE


def test_a_free_drive_of_the_card_becomes_a_hot_spare_and_the_card_rebuilds_onto_it() -> None:
    ((text, commands),) = said(*TWO, FAILED, drive(5, FREE))
    assert text == "replace the failed drive in 252:2 (S-2) with the free disk S-5 (252:5), 10.7 GB"
    assert commands == ("storcli64 /c0/e252/s5 add hotsparedrive dgs=0",)


def test_arcconf_makes_it_a_hot_spare_of_the_virtual_drive() -> None:
    places = [
        msgspec.structs.replace(one, place=f"0 {one.place[-1]}") for one in (*TWO, FAILED, drive(5, FREE))
    ]
    ((_, commands),) = said(*places, family=ADAPTEC, tool="arcconf")
    assert commands == ("arcconf SETSTATE 0 DEVICE 0 5 HSP LOGICALDRIVE 239",)
    ((text, commands),) = said(*places, family=ADAPTEC, tool="arcconf", driver="smartpqi")
    assert text.startswith(
        "replace the failed drive in 252:2 (S-2): put a drive of 10.7 GB or more in the same slot"
    )
    assert commands == ()


@pytest.mark.parametrize(
    "unfit",
    [
        drive(5, FREE, size_bytes=9 * GIB),
        drive(5, FREE, rotational=False),
        drive(5, FREE, logical_sector_bytes=4096, physical_sector_bytes=4096),
        drive(5, FREE, transport="sata"),
        drive(5, DriveState.FAILED, group=""),
        drive(5, DriveState.RAW, group=""),
    ],
)
def test_a_drive_that_the_card_would_not_take_is_not_offered(unfit: Drive) -> None:
    ((text, commands),) = said(*TWO, FAILED, unfit)
    assert "put a drive of 10.7 GB or more in the same slot" in text
    assert commands == ()


def test_a_drive_that_is_gone_is_called_missing() -> None:
    ((text, _),) = said(*TWO, drive(2, DriveState.MISSING, place="", serial=""), drive(5, FREE))
    assert text.startswith("replace the missing drive in 252:2 with")
    ((text, _),) = said(*TWO)
    assert text.startswith("replace the missing drive: put a drive")


@pytest.mark.parametrize(
    ("drives", "state", "words"),
    [
        ((*TWO, FAILED, drive(5, DriveState.SPARE, group="")), VolumeState.DEGRADED, "a hot spare is there, and no rebuild"),
        ((*TWO, FAILED, drive(4, DriveState.FOREIGN), drive(5, FREE)), VolumeState.DEGRADED, "hold a foreign configuration"),
        ((drive(0), FAILED, drive(5, FREE)), VolumeState.OFFLINE, "connect its drives again; import, clear, delete"),
    ],
)  # fmt: skip
def test_where_no_command_is_certain_a_sentence_stands_there(
    drives: tuple[Drive, ...], state: VolumeState, words: str
) -> None:
    ((text, commands),) = said(*drives, state=state)
    assert words in text
    assert commands == ()


@pytest.mark.parametrize(
    ("drives", "state"),
    [
        ((*TWO, drive(2)), VolumeState.OPTIMAL),
        ((*TWO, drive(2, DriveState.REBUILDING), drive(5, FREE)), VolumeState.DEGRADED),
    ],
)
def test_one_that_is_well_or_rebuilt_needs_nothing(drives: tuple[Drive, ...], state: VolumeState) -> None:
    assert said(*drives, state=state) == []
