"""What a virtual drive needs the administrator to do: the drive that replaces a lost one, by the card's own spare."""

from collections.abc import Sequence
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
from raidtui.jobs.search import light_of
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.locating import CardLight
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import AddSpare, Procedure, ReAdd, RemoveSpare, Start
from raidtui.model.units import GIB
from raidtui.plan.care import make_care
from raidtui.plan.words import check_words
from tests.unit.card_machines import CARD, VIRTUAL, answer
from tests.unit.plan_machines import machine
from tests.unit.remedies import runs

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


def there(
    *drives: Drive,
    state: VolumeState = VolumeState.DEGRADED,
    family: Family = MEGARAID,
    tool: str = "storcli64",
    driver: str = "",
) -> Machine:
    """A computer with a RAID5 of the drives in slots 0 to 2 of its card."""
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
    found = msgspec.structs.replace(machine(), cards=(card,), disks=(DISK,))
    found = msgspec.structs.replace(
        found, readings={family.name.value: msgspec.to_builtins(CardReading(adapters=(adapter,)))}
    )
    return card_reader(family).with_drives(found, lambda argv: ToolAnswer(returncode=1), False)


def said(*drives: Drive, **about: Any) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences and commands for the RAID5."""
    whole = there(*drives, **about)
    (found,) = remedies_of(units_of(whole), whole)
    return [(one.text, runs(one, whole)) for one in found]


TWO = (drive(0), drive(1))
FAILED = drive(2, DriveState.FAILED)
FREE = DriveState.FREE


def test_a_free_drive_of_the_card_becomes_a_hot_spare_and_the_card_rebuilds_onto_it() -> None:
    ((text, commands),) = said(*TWO, FAILED, drive(5, FREE))
    assert text == "replace the failed drive in 252:2 (S-2) with the free disk S-5 (252:5), 10.7 GB"
    assert commands == ("storcli64 /c0/e252/s5 add hotsparedrive dgs=0 J nolog", "sleep 5")


def test_arcconf_makes_it_a_hot_spare_of_the_virtual_drive() -> None:
    places = [
        msgspec.structs.replace(one, place=f"0 {one.place[-1]}") for one in (*TWO, FAILED, drive(5, FREE))
    ]
    ((_, commands),) = said(*places, family=ADAPTEC, tool="arcconf")
    assert commands == ("arcconf SETSTATE 0 DEVICE 0 5 HSP LOGICALDRIVE 239 noprompt", "sleep 5")
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


OFFLINE = drive(2, DriveState.OFFLINE)
GLOBAL = drive(5, DriveState.SPARE, group="")


def test_an_offline_drive_is_rebuilt_in_its_place_where_the_tool_does_that() -> None:
    ((text, commands),) = said(*TWO, OFFLINE, drive(5, FREE))
    assert text.startswith("S-2 in 252:2 is offline: find out why")
    assert commands == ("storcli64 /c0/e252/s2 start rebuild J nolog", "sleep 5")
    ((text, _),) = said(*TWO, OFFLINE, drive(5, FREE), family=ADAPTEC, tool="arcconf")
    assert text.startswith("replace the failed drive in 252:2 (S-2) with")


def made(procedure: Procedure, whole: Machine) -> Plan:
    return make_care(procedure, whole, seed="5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11")


UNIT = "5000000000000011"


def test_the_drive_that_becomes_a_spare_is_confirmed_and_the_drive_is_optimal_at_the_end() -> None:
    plan = made(AddSpare(unit=UNIT, disk="S-5"), there(*TWO, FAILED, drive(5, FREE)))
    assert [disk.identity for disk in plan.erased] == ["S-5"]
    *_, wait, prove = plan.steps
    assert [check_words(one) for one in (*wait.after, *prove.after)] == [
        f"card 0 of storcli64 has the virtual drive {UNIT}, and it is optimal",
        f"card 0 of storcli64 has the virtual drive {UNIT} optimal, no drive that is rebuilt, and no foreign configuration",
    ]
    healthy = there(*TWO, drive(2), drive(5, FREE), state=VolumeState.OPTIMAL)
    assert [step.id for step in made(AddSpare(unit=UNIT, disk="S-5"), healthy).steps] == ["spare"]


def test_a_spare_is_freed() -> None:
    plan = made(RemoveSpare(unit=UNIT, disk="S-5"), there(*TWO, drive(2), GLOBAL, state=VolumeState.OPTIMAL))
    assert plan.erased == ()
    (step,) = plan.steps
    assert step.actions[0] == Run(
        argv=("storcli64", "/c0/e252/s5", "delete", "hotsparedrive", "J", "nolog"),
        timeout_seconds=300,
        ok=tuple(range(256)),
    )


@pytest.mark.parametrize(
    ("drives", "procedure", "why"),
    [
        ((*TWO, FAILED), AddSpare(unit=UNIT, disk="S-1"), "S-1 is not a free drive of the card"),
        ((*TWO, FAILED, drive(5, FREE, size_bytes=9 * GIB)), AddSpare(unit=UNIT, disk="S-5"), "is smaller"),
        ((*TWO, FAILED, drive(4, DriveState.FOREIGN), drive(5, FREE)), AddSpare(unit=UNIT, disk="S-5"), "foreign"),
        ((*TWO, FAILED, drive(5, FREE)), RemoveSpare(unit=UNIT, disk="S-5"), "is not a hot spare"),
        ((*TWO, FAILED), ReAdd(unit=UNIT, disk="S-2"), "is not an offline drive"),
        ((*TWO, FAILED), Start(unit=UNIT), "megaraid has no procedure start"),
    ],
)  # fmt: skip
def test_what_the_card_would_not_do_or_could_lose_data_is_refused(
    drives: tuple[Drive, ...], procedure: Procedure, why: str
) -> None:
    with pytest.raises((Refused, BadInput), match=why):
        made(procedure, there(*drives))


@pytest.mark.parametrize(
    ("family", "printed", "problem"),
    [
        (MEGARAID, answer(), ""),
        (MEGARAID, answer(Status="Failure", Description="Start Drive Locate Failed."), "Locate Failed"),
        (MEGARAID, "<html>It works!</html>", "not an answer of storcli"),
        (MEGARAID, "", "no answer"),
        (ADAPTEC, "Controllers found: 1\n\nCommand completed successfully.\n", ""),
        (ADAPTEC, "Invalid device specified.\n\nCommand aborted.\n", "Invalid device"),
        (ADAPTEC, "rubbish", "not an answer of arcconf"),
    ],
)
def test_a_light_that_the_tool_does_not_turn_on_is_said(family: Family, printed: str, problem: str) -> None:
    asked: list[list[str]] = []

    def run(argv: Sequence[str]) -> ToolAnswer:
        asked.append(list(argv))
        return ToolAnswer(returncode=0, stdout=printed)

    place = "/c0/e252/s5" if family is MEGARAID else "0 5"
    whole = there(*TWO, drive(2), drive(5, FREE, place=place), family=family, tool="tool")
    found = light_of(whole.disk("S-5"), whole)
    assert isinstance(found, CardLight)
    found._run = run
    with found:
        found._thread.join(0.5)
    assert problem in found.problem
    assert bool(found.problem) is bool(problem)
    on, *_, off = asked
    if family is MEGARAID:
        assert on == ["tool", "/c0/e252/s5", "start", "locate", "J", "nolog"]
        assert off == ["tool", "/c0/e252/s5", "stop", "locate", "J", "nolog"]
    else:
        assert on == ["tool", "IDENTIFY", "0", "DEVICE", "0", "5", "TIME", "10", "noprompt"]
        assert off == ["tool", "IDENTIFY", "0", "DEVICE", "0", "5", "STOP", "noprompt"]


def test_a_drive_that_is_gone_is_called_missing() -> None:
    ((text, _),) = said(*TWO, drive(2, DriveState.MISSING, place="", serial=""), drive(5, FREE))
    assert text.startswith("replace the missing drive in 252:2 with")
    ((text, _),) = said(*TWO, drive(2, DriveState.MISSING, slot="gone-0-2", serial=""), drive(5, FREE))
    assert text.startswith("replace the missing drive with")
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
