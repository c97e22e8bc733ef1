"""Units: what the rooms above the backends know of an array."""

import json

import pytest
from msgspec.structs import replace

from raidtui.backends import registry
from raidtui.backends.care import Replacement
from raidtui.backends.md.units import as_units, unit_of
from raidtui.backends.registry import FOLDERS, backend, builder, builders, reader, readers, reporters
from raidtui.backends.unit_words import activity_words, head_line, lost_words, unit_lines
from raidtui.backends.units import units_of
from raidtui.backends.urgency import WORST_FIRST
from raidtui.cli import main
from raidtui.machine.md.stopped import stopped_in
from raidtui.machine.reader import load_machine
from raidtui.model.errors import BadInput
from raidtui.model.finding import Remedy
from raidtui.model.lost import LostMember
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import to_json
from raidtui.model.unit import Activity, Health, UnitMember
from tests.ui.machines import running_array
from tests.unit.test_machine_commands import MACHINES, RECORDED, machine


@pytest.mark.parametrize("name", RECORDED)
def test_every_array_of_a_recorded_machine_is_a_unit(name: str) -> None:
    read = machine(name)
    found = units_of(read)
    arrays = [*read.arrays, *stopped_in(read)]
    assert [unit.uuid for unit in found if unit.backend is Backend.MDADM] == [a.uuid for a in arrays]
    for unit, array in zip([u for u in found if u.backend is Backend.MDADM], arrays, strict=True):
        assert unit.has_mark(array.uuid) is bool(array.uuid)  # a firmware container has none
        assert unit.is_called(array.name)
        assert unit.is_called(array.node) is bool(array.node)
        assert [one.path for one in unit.members if one.path] == [one.path for one in array.members]


def test_a_degraded_array_is_a_degraded_unit_and_one_being_filled_is_being_built() -> None:
    (degraded,) = units_of(machine("raid5-degraded"))
    (building,) = units_of(machine("raid5-building"))
    assert degraded.health is Health.DEGRADED
    assert degraded.state.startswith("degraded")
    assert building.health is Health.BUILDING
    assert building.activity is not None
    assert building.activity.what == "initial sync"
    assert 0 < building.activity.fraction < 1


def test_every_health_has_its_place_in_the_list() -> None:
    assert sorted(WORST_FIRST) == sorted(Health)


def test_a_slot_without_a_member_is_a_member_that_is_missing() -> None:
    (degraded,) = units_of(machine("raid5-degraded"))
    missing = [one for one in degraded.members if one.state == "missing"]
    assert [(one.path, one.disk, one.filled) for one in missing] == [("", "", None)]
    assert sum(one.slot is not None for one in degraded.members) == degraded.raid_disks


def test_how_far_a_sync_is_shows_on_the_members_that_it_fills() -> None:
    (building,) = units_of(machine("raid5-building"))
    assert building.activity is not None
    assert [one.filled for one in building.members] == [1.0, 1.0, 1.0, building.activity.fraction, None]
    (resync,) = units_of(machine("raid6-resync"))
    assert resync.activity is not None
    assert {one.filled for one in resync.members} == {resync.activity.fraction}


def test_a_result_keeps_the_array_of_the_unit_whatever_the_kernel_calls_it_now() -> None:
    there = machine("raid5-degraded")
    (unit,) = units_of(there)
    renamed = replace(there, arrays=(replace(there.arrays[0], node="/dev/md126"),))
    kept = reader(Backend.MDADM).measured(unit, renamed)
    assert (kept.uuid, kept.raid_disks, kept.degraded) == (unit.uuid, unit.raid_disks, 1)


def test_what_a_backend_alone_understands_is_in_no_document() -> None:
    (unit,) = units_of(machine("raid5-clean"))
    assert "reading" not in json.loads(to_json(unit.document))
    assert unit.reading == machine("raid5-clean").arrays[0]


def test_an_array_says_through_its_reader_what_it_needs() -> None:
    whole = machine("raid5-degraded")
    (unit,) = units_of(whole)
    replacement, then = reader(unit.backend).care(unit, whole)
    assert isinstance(replacement, Replacement)
    assert replacement.what == "the missing member"
    assert isinstance(then, Remedy)
    assert "as it has failed" in then.text


def test_the_kernel_reports_exactly_what_nobody_has_to_look_at() -> None:
    seen = {name for name, one in readers().items() if one.interval == 0 and name is not Backend.DISK}
    assert seen == set(reporters())


def test_an_empty_word_calls_no_unit() -> None:
    (array,) = machine("raid5-clean").arrays
    stopped = unit_of(replace(array, path="", name=""))
    assert not stopped.is_called("")


@pytest.mark.parametrize(
    ("activity", "words"),
    [
        (Activity(what="rebuild", fraction=0.125, bytes_per_second=55 * 10**6), "rebuild 12.5 %, 55.0 MB/s"),
        (Activity(what="resync", fraction=0.5, paused=True), "resync paused"),
        (Activity(what="check", waiting="pending: starts with the first write"), "check pending: starts with the first write"),
        (Activity(what="resync"), "resync 0 %"),
    ],
)  # fmt: skip
def test_an_activity_says_how_far_it_is_or_what_it_waits_for(activity: Activity, words: str) -> None:
    assert activity_words(activity) == words


def test_inspect_prints_units_beside_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(MACHINES / "raid5-degraded.json")
    assert main(["--machine", path, "inspect", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["uuid"] for one in document["units"]] == [one["uuid"] for one in document["arrays"]]
    assert document["units"][0]["health"] == "degraded"
    assert document["units"][0]["backend"] == "mdadm"


@pytest.mark.parametrize("name", FOLDERS)
def test_a_backend_names_itself_and_its_levels(name: Backend) -> None:
    known = backend(name)
    assert known.name is name
    assert all(word == level.name for word, level in known.levels.items())
    assert known.noun


def test_what_cannot_be_built_is_refused_with_what_can(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, missing = registry._part, (Backend.BTRFS, "builder.BUILDER")
    monkeypatch.setattr(registry, "_part", lambda *part: None if part == missing else asked(*part))
    with pytest.raises(BadInput, match="cannot build with btrfs; it builds with mdadm"):
        builder(Backend.BTRFS)


def test_conditions_of_all_backends_have_names_of_their_own() -> None:
    every = {one for made in builders().values() for one in made.conditions}  # families of cards share one
    assert len(every) == len({one.kind for one in every})


def test_no_single_disk_is_a_unit() -> None:
    taken = replace(load_machine(str(MACHINES / "taken.json")), arrays=())
    assert [unit.state for unit in units_of(taken)] == ["stopped, not assembled"]


def test_a_unit_in_lines_says_what_it_is_and_how_its_members_are() -> None:
    (unit,) = units_of(machine("raid5-degraded"))
    lines = list(unit_lines(unit))
    assert lines[0].startswith(f"{unit.name} ({unit.path}): array, RAID5, ")
    assert lines[1] == f"  {unit.state}"
    assert [line.split()[1] for line in lines[2:]] == [member.path or "missing" for member in unit.members]


def test_a_unit_that_is_not_active_and_lacks_a_member_is_shown() -> None:
    (unit,) = units_of(machine("raid5-degraded"))
    gone = UnitMember(path="", slot=2, state="missing")
    waiting = Activity(what="resync", waiting="pending: starts with the first write")
    text = "\n".join(
        unit_lines(replace(unit, state=f"{activity_words(waiting)}, usable now", activity=waiting))
    )
    assert text.count("resync pending") == 1, "said once"
    lines = list(unit_lines(replace(unit, path="", members=(gone,), unread="it is not active")))
    assert lines[0].startswith(f"{unit.name}: array")
    assert lines[-2:] == [
        "   2  missing",
        "  cannot read what is on it: it is not active",
    ]


@pytest.mark.parametrize(
    ("backend", "level", "called"),
    [
        (Backend.MDADM, "raid5", "raid5"),
        (Backend.DISK, "single", "single"),
        (Backend.LVM, "raid5", "lvm raid5"),
        (Backend.BTRFS, "raid1", "btrfs raid1"),
    ],
)
def test_a_level_that_several_backends_have_is_called_with_its_backend(
    backend: Backend, level: str, called: str
) -> None:
    assert Spec(name="tank", backend=backend, level=level).kind == called


@pytest.mark.parametrize(
    ("slot", "state", "end"),
    [
        (None, ("faulty",), "as sdb1, faulty"),
        (None, ("spare",), "as sdb1, spare"),
        (None, (), "as sdb1"),
        (1, ("in_sync", "write_error"), "as sdb1, slot 1, in sync, write error"),
    ],
)
def test_what_a_lost_member_was_is_said_once(slot: int | None, state: tuple[str, ...], end: str) -> None:
    lost = LostMember(path="/dev/sdb1", disk="S-1", place="ata3", slot=slot, state=state)
    assert lost_words(lost) == f"lost: S-1, last at ata3 {end}"


def test_a_lost_member_whose_disk_is_connected_is_not_called_lost() -> None:
    lost = LostMember(path="/dev/sdb1", disk="S-1", place="ata3", slot=1, state=("faulty",), here="/dev/sdd")
    assert lost_words(lost) == "not in it now: S-1, connected as sdd, was slot 1, faulty"


def test_two_arrays_of_one_name_are_shown_with_their_hosts() -> None:
    """As when the disks of an old server are in a new one that has its own array of that name."""
    own = replace(running_array(), name="data", full_name="nas:data")
    other = replace(own, uuid="1-2", full_name="old:data", node="/dev/md9", path="")
    third = replace(own, uuid="3-4", name="tank", full_name="nas:tank", node="/dev/md8")
    units = as_units((own, other, third), (None, None))
    assert [one.shown for one in units] == ["nas:data", "old:data", "tank"]
    assert [head_line(one).partition(" ")[0] for one in units] == ["nas:data", "old:data", "tank"]
    assert [one.is_called("old:data") for one in units] == [False, True, False]
    assert [one.shown for one in as_units((own, third), (None, None))] == ["data", "tank"]
