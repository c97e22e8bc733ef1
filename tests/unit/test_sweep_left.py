"""What a sweep finds of its own after a power cut, and removes."""

from pathlib import Path
from typing import cast

import msgspec
import pytest

from raidtui.bench.stop import StopRequests
from raidtui.jobs.folders import MADE
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.store import write_job
from raidtui.model.errors import Refused
from raidtui.model.journal import Event, JobKind, JobRequest
from raidtui.model.sweep import Sweep
from raidtui.steps.seeds import derive
from raidtui.sweep import session
from tests.unit.plan_machines import SEED, array, machine, member_disk

DISKS = ("S-0001", "S-0002", "S-0003")
UUID = derive(SEED, "array")
SWEEP = JobRequest(
    id="20261121-040312-sweep",
    kind=JobKind.SWEEP,
    title="Sweep",
    created="",
    seed=SEED,
    sweep=Sweep(name="mine", disks=DISKS),
)
BUILD = JobRequest(
    id="20261121-040400-sweep",
    kind=JobKind.BUILD,
    title="Build raid5 sweep",
    created="",
    seed=SEED,
    erase=DISKS,
    part_of=SWEEP.id,
)


def resumed(sweep: JobRequest = SWEEP) -> session._Session:
    folder = write_job(sweep)
    return session._Session(folder, Journal(folder), cast(StopRequests, None), sweep)


def test_its_array_is_its_own_under_the_name_that_md_gives_a_foreign_one() -> None:
    renamed = machine(
        *(member_disk(number, UUID) for number in (1, 2, 3)),
        arrays=(array(name="lab:sweep", path="/dev/md/lab:sweep", uuid=UUID),),
    )
    alone = resumed()
    assert alone._built(renamed) == []  # nobody knows whose it is
    write_job(BUILD)
    assert alone._built(renamed) == [UUID]
    elsewhere = msgspec.structs.replace(
        renamed, arrays=(array(name="lab:sweep", uuid=derive(SEED, "other")),)
    )
    assert alone._built(elsewhere) == []


def test_without_one_of_its_disks_it_removes_what_is_left_and_does_not_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = array(name="sweep", uuid=UUID, degraded=1, mountpoints=())
    found = msgspec.structs.replace(found, members=found.members[:2])
    lost = machine(*(member_disk(number, UUID) for number in (1, 2)), arrays=(found,))
    lost = msgspec.structs.replace(lost, disks=tuple(one for one in lost.disks if one.serial != "S-0003"))
    monkeypatch.setattr(session, "read_whole", lambda **_: lost)
    left = resumed()
    with (
        pytest.raises(Refused, match=f"S-0003 of this sweep is not connected.*rollback {SWEEP.id}"),
        left.reserved(undo=False),
    ):
        pytest.fail("it would measure other arrays")
    with left.reserved(undo=True):
        assert left._built(lost) == [UUID]


def test_its_mount_point_is_removed_if_one_of_its_builds_made_it_and_it_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "srv" / "raidtui-sweep"
    monkeypatch.setattr(session, "MOUNTPOINT", str(place))
    place.mkdir(parents=True)
    left = resumed()
    left._remove_mountpoint()
    assert place.is_dir()  # somebody else made it
    with Journal(write_job(BUILD)) as journal:
        journal.append(Event.NOTE, data={MADE: [str(place)]})
    (place / "file").touch()
    left._remove_mountpoint()
    assert place.is_dir()
    (place / "file").unlink()
    left._remove_mountpoint()
    assert not place.exists()
    assert place.parent.is_dir()
    assert f"removed {place}" in [entry.text for entry in read_journal(left._folder)]
