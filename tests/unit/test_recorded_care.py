"""The first thing to do in states recorded in the lab on a real kernel; tests/machines/record.py makes them again."""

import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.pages import facts_of
from raidtui.advice.replacements import remedies_of
from raidtui.backends.units import units_of
from raidtui.model.unit import Health
from tests.unit.remedies import does
from tests.unit.test_machine_commands import machine


@pytest.mark.parametrize(
    ("name", "words", "first"),
    [
        ("raid5-one-outside", "start it: add LAB-0003 (ubdc)", "start"),
        ("raid5-stopped", "start it: all 3 members are here", "start"),
        ("raid1-clone", "have the same superblock", ""),
        ("raid1-used-apart", "look for its files on overlays", "recover"),
        ("raid1-four-on-one-disk", "also gets the members of array m2, array m3", "replace with "),
        ("imsm-stopped", "a firmware RAID (imsm) is on these disks", "start"),
    ],
)
def test_the_first_thing_to_do(name: str, words: str, first: str) -> None:
    recorded = machine(name)
    care = remedies_of(units_of(recorded), recorded)[0][0]
    assert words in care.text
    assert does(care) == [] if not first else does(care)[0].startswith(first)


def test_a_disk_that_was_lost_once_is_replaced_by_one_plan() -> None:
    recorded = machine("raid1-four-on-one-disk")
    first, *others = remedies_of(units_of(recorded), recorded)
    assert len(others) == 3
    assert all(care.procedure == first[0].procedure is not None for some in others for care in some)


@pytest.mark.parametrize(
    ("name", "unit", "said"),
    [
        ("raid0-over-raid1", "top", "LAB-0002, RAIDTUI LAB, as /dev/ubdb, faulty"),
        ("states/btrfs-single-chunks-left", "tank", None),
        ("states/md-missing", "tank", "it is not recorded which one is missing"),
    ],
)
def test_only_where_a_member_is_missing_it_is_said_that_nobody_knows_which(
    name: str, unit: str, said: str | None
) -> None:
    """An array on a degraded one has all its members, and so has a Btrfs whose chunks lack a copy."""
    recorded = machine(name)
    (finding,) = (one for one in diagnose(units_of(recorded), recorded) if one.name == unit)
    assert dict(facts_of(finding)).get("disk") == said


def test_a_healthy_firmware_raid_needs_nothing() -> None:
    recorded = machine("imsm")
    units = units_of(recorded)
    assert {unit.health for unit in units} == {Health.OK}
    assert remedies_of(units, recorded) == ((), ())
