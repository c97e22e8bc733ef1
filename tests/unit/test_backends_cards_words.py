"""The words of cards are read by their meaning; a word that is not known is unknown, and gives no harmful advice."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from raidtui.backends.adaptec.answer import lines_of
from raidtui.backends.adaptec.volumes import volumes_in
from raidtui.backends.cards.meanings import drive_state, operation_called, switch
from raidtui.backends.cards.protection import Protection, protection_of
from raidtui.backends.cards.records import (
    Adapter,
    Battery,
    CardReading,
    Drive,
    DriveState,
    Policy,
    Volume,
    VolumeState,
)
from raidtui.backends.cards.units import units_in
from raidtui.backends.cards.warnings import warnings_of
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.model.machine import Disk
from raidtui.model.plan import Hazard, Severity
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from tests.unit.card_machines import VIRTUAL, recorded

KEEPS, NOT_NOW, FAILED, ABSENT, UNKNOWN = Protection


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("Optimal", KEEPS),
        ("Optl", KEEPS),
        ("ZMM Optimal", KEEPS),
        ("Battery: Okay", KEEPS),
        ("OK", KEEPS),
        ("Ready", KEEPS),
        ("Fully Charged", KEEPS),
        ("Charged (100 percent)", KEEPS),
        ("Operational", KEEPS),
        ("Not Installed", ABSENT),
        ("ZMM not installed", ABSENT),
        ("Not Present", ABSENT),
        ("Missing", ABSENT),
        ("No battery", ABSENT),
        ("Failed", FAILED),
        ("ZMM failed", FAILED),
        ("Degraded(needs attention)", FAILED),
        ("Optimally bad", FAILED),
        ("Battery Not Charging", FAILED),
        ("Charging", NOT_NOW),
        ("Not Fully Charged", NOT_NOW),
        ("Learning", NOT_NOW),
        ("Not Ready", NOT_NOW),
        ("Over temperature", NOT_NOW),
        ("Unknown", UNKNOWN),
        ("Not optimal", UNKNOWN),
        ("Optimal, charge low", UNKNOWN),
        ("Bereit", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_the_words_for_a_battery(said: str, means: Protection) -> None:
    assert protection_of(said) is means


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("Online", DriveState.ONLINE),
        ("Onln", DriveState.ONLINE),
        ("Conf Online", DriveState.ONLINE),
        ("Online (JBOD)", DriveState.RAW),
        ("Raw (Pass Through)", DriveState.RAW),
        ("JBOD Online", DriveState.RAW),
        ("HBA", DriveState.RAW),
        ("Defunct", DriveState.FAILED),
        ("Defunct Hot-Spare", DriveState.FAILED),
        ("UBad", DriveState.FAILED),
        ("UConf Bad", DriveState.FAILED),
        ("Failed", DriveState.FAILED),
        ("Offln", DriveState.OFFLINE),
        ("Conf Offline", DriveState.OFFLINE),
        ("Msng", DriveState.MISSING),
        ("Rbld", DriveState.REBUILDING),
        ("Pooled Hot-Spare", DriveState.SPARE),
        ("DHS Good", DriveState.SPARE),
        ("UGShld", DriveState.BUSY),
        ("CBShld", DriveState.BUSY),
        ("UConfSntz Good", DriveState.BUSY),
        ("Cpybck", DriveState.COPYING),
        ("UGood", DriveState.FREE),
        ("Ready", DriveState.FREE),
        ("UConf Good", DriveState.FREE),
        ("Not Ready", DriveState.UNKNOWN),
        ("Ready soon", DriveState.UNKNOWN),
        ("UGUnsp", DriveState.UNKNOWN),
        ("Unknown", DriveState.UNKNOWN),
        ("", DriveState.UNKNOWN),
    ],
)
def test_the_words_for_a_drive(said: str, means: DriveState) -> None:
    assert drive_state(said) is means
    assert drive_state(said.upper()) is means


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("Foreground Initialization", "initialization"),
        ("Full Init", "initialization"),
        ("FGI", "initialization"),
        ("Clear", "initialization"),
        ("Build/Verify with fix", "initialization"),
        ("BGI", "background initialization"),
        ("CC", "consistency check"),
        ("Verify with fix", "consistency check"),
        ("Reconstruction", "migration"),
        ("Rebuilding", "rebuild"),
        ("Patrol  Read", "patrol read"),
    ],
)
def test_the_words_for_an_operation(said: str, means: str) -> None:
    assert operation_called(said) == means


def test_the_words_for_a_switch() -> None:
    assert [switch(one) for one in ("Enabled (write-back)", "Yes", "ON")] == [True] * 3
    assert [switch(one) for one in ("Disabled", "no", "Off - by policy")] == [False] * 3
    assert [switch(one) for one in ("", "Disk's Default", "not applicable", "1")] == [None] * 4


def card(
    drives: Iterable[Drive] = (),
    *,
    battery: str | None = None,
    policy: Policy = Policy.WRITE_BACK,
    **of: object,
) -> Adapter:
    """A card with a mirror, whose battery has this state."""
    volume = Volume(
        number="0", place="/c0/v0", state=VolumeState.OPTIMAL, state_word="Optl", name="tank", level="raid1",
        naa="5000000000000011", policy=policy, policy_set=Policy.WRITE_BACK, slots=("252:0", "252:1"),
    )  # fmt: skip
    both = [Drive(slot=slot, place=slot, state=DriveState.ONLINE, state_word="Onln") for slot in volume.slots]
    return Adapter(
        number=0,
        tool="storcli64",
        battery=Battery(kind="CacheVault", state=battery) if battery is not None else None,
        volumes=(replace(volume, **of),),
        drives=(*both, *drives),
    )


def unit_of(adapter: Adapter, disk: Disk = VIRTUAL) -> Unit:
    (unit,) = units_in(CardReading(adapters=(adapter,)), [disk], (), Backend.MEGARAID)
    return unit


def hazards(adapter: Adapter) -> dict[str, Hazard]:
    found = warnings_of(CardReading(adapters=(adapter,)), MEGARAID.wording)
    return {one.id: one for one in found}


@pytest.mark.parametrize("battery", ["Bereit", "", "Unknown"])
@pytest.mark.parametrize("policy", [Policy.WRITE_BACK, Policy.ALWAYS_WRITE_BACK])
def test_of_a_battery_that_is_not_understood_nothing_is_told_but_to_look(
    battery: str, policy: Policy
) -> None:
    adapter = card(battery=battery, policy=policy)
    found = hazards(adapter)
    assert "card-write-back-unprotected" not in found
    said = found["card-cache-unknown"]
    assert said.severity is Severity.WARN
    assert "storcli64 /c0 show all" in said.advice
    assert "Replace" not in said.advice
    assert " set " not in said.advice
    assert unit_of(adapter).health is Health.OK


def test_a_good_battery_is_no_hazard_whatever_it_is_called() -> None:
    assert set(hazards(card(battery="ZMM Optimal"))) == {"card-family"}


@pytest.mark.parametrize(
    ("battery", "remedy"),
    [
        ("ZMM not installed", "Fit the battery or capacitor"),
        ("Charging", "Let the CacheVault charge"),
        ("Failed", "Replace the CacheVault"),
    ],
)
def test_what_helps_depends_on_what_is_wrong(battery: str, remedy: str) -> None:
    adapter = card(battery=battery)
    found = hazards(adapter)["card-write-back-unprotected"]
    assert found.severity is Severity.HIGH
    assert found.advice.startswith(remedy)
    unit = unit_of(adapter)
    assert (unit.health, unit.state) == (Health.ERRORS, "optimal, but a power cut loses its cached writes")


@pytest.mark.parametrize("word", ["UBad", "Offln", "Failed", "Defunct"])
def test_a_failed_drive_outside_every_virtual_drive_is_a_hazard(word: str) -> None:
    lone = Drive(slot="252:7", place="/c0/e252/s7", state=drive_state(word), state_word=word, group="3")
    found = hazards(card([lone], battery="Optimal"))["card-drive-failed"]
    assert f"252:7 (no serial number): the card says {word}" in found.seen
    assert "/c0/e252/s7 show all" in found.advice
    member = replace(lone, slot="252:1")
    adapter = card(battery="Optimal")
    of_volume = replace(adapter, drives=(adapter.drives[0], member))
    assert "card-drive-failed" not in hazards(of_volume)
    assert unit_of(of_volume).health is Health.DEGRADED


def test_the_word_of_the_unit_is_never_better_than_a_high_hazard() -> None:
    """A green OK above a HIGH hazard would be read first."""
    bad = Drive(slot="252:1", place="x", state=DriveState.ONLINE, state_word="Onln", media_errors=3)
    first = card().drives[0]
    for adapter in (
        card(battery="Failed"),
        card(battery="Charging", policy=Policy.ALWAYS_WRITE_BACK),
        replace(card(battery="Optimal"), drives=(first, bad)),
        replace(card(battery="Optimal"), preserved_cache=True),
        card(battery="Optimal", bad_blocks=True),
        card(battery="Optimal", state=VolumeState.DEGRADED),
        card(battery="Optimal", state=VolumeState.OFFLINE),
    ):
        assert any(one.severity is Severity.HIGH for one in hazards(adapter).values())
        assert unit_of(adapter).health not in {Health.OK, Health.SYNCING}
    spare = replace(bad, slot="252:9")
    loose = card([spare], battery="Optimal")
    assert hazards(loose)["card-drive-errors"].severity is Severity.WARN
    assert unit_of(loose).health is Health.OK


def raid10(*, span_drives: int = 2, spans: int = 7, missing: int = 13, told: bool = True) -> Unit:
    """A RAID10 of 14 drives, one of them missing, as a card that tells the spans shows it, or one that does not."""
    drives = [
        Drive(
            slot=f"252:{n}", place="x", state=DriveState.ONLINE, state_word="Onln", row=n % 2,
            span=n // 2 if told else None,
        )
        for n in range(14) if n != missing
    ]  # fmt: skip
    adapter = card(
        battery="Optimal", level="raid10", state=VolumeState.DEGRADED, slots=tuple(one.slot for one in drives),
        span_drives=span_drives, span_count=spans,
    )  # fmt: skip
    return unit_of(replace(adapter, drives=tuple(drives)))


def test_what_is_left_of_a_raid10_is_said_span_by_span() -> None:
    unit = raid10()
    assert (
        unit.state == "degraded, 1 of 7 spans not redundant, the other 6 still are: 1 of 14 drives not online"
    )
    assert unit.raid_disks == 14
    assert [one.state for one in unit.members].count("missing") == 1


@pytest.mark.parametrize("how", [{"told": False}, {"span_drives": 0, "spans": 0}])
def test_where_the_card_tells_no_spans_another_failure_may_lose_data(how: dict[str, int]) -> None:
    state = raid10(**how).state  # type: ignore[arg-type]
    assert state.startswith("degraded, another failure may lose data")
    assert "not redundant" not in state


@pytest.mark.parametrize(
    ("level", "drives", "lost", "words"),
    [
        ("raid5", 4, 1, "degraded, not redundant: 1 of 4 drives not online"),
        ("raid1", 2, 1, "degraded, not redundant: 1 of 2 drives not online"),
        ("raid6", 6, 2, "degraded, not redundant: 2 of 6 drives not online"),
        ("raid6", 6, 1, "degraded, 1 more drive may fail: 1 of 6 drives not online"),
        ("raid5ee", 5, 1, "degraded, another failure may lose data: 1 of 5 drives not online"),
        ("raid6", 6, 0, "degraded, another failure may lose data"),
    ],
)
def test_what_is_left_of_other_levels(level: str, drives: int, lost: int, words: str) -> None:
    found = [
        Drive(
            slot=f"252:{n}", place="x", state=DriveState.FAILED if n < lost else DriveState.ONLINE, state_word="x"
        )
        for n in range(drives)
    ]  # fmt: skip
    adapter = card(
        battery="Optimal", level=level, state=VolumeState.DEGRADED, slots=tuple(one.slot for one in found)
    )
    assert unit_of(replace(adapter, drives=tuple(found))).state == words


def test_the_spans_of_an_adaptec_card_are_those_of_its_segments() -> None:
    text = recorded("arcconf-raid10-ld.txt").replace("Present (0,11)      WD-WMATV6912818", "Missing")
    drives = [
        Drive(slot=f"0:{n}", place=f"0 {n}", state=DriveState.ONLINE, state_word="Online")
        for n in range(8, 11)
    ]
    ((volume, gone),) = volumes_in(lines_of(text.replace(": Optimal", ": Degraded")), drives, {})
    assert (volume.spans, volume.span_drives, volume.span_count) == ((0, 0, 1, 1), 2, 2)
    adapter = Adapter(number=1, tool="arcconf", volumes=(volume,), drives=(*drives, *gone))
    assert unit_of(adapter).state == (
        "degraded, 1 of 2 spans not redundant, the other 1 still is: 1 of 4 drives not online"
    )
