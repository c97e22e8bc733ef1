"""Mount folders are removed with what was built, if the build made them and they are empty."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.md.units import unit_of
from raidtui.jobs.folders import MADE, folders_made_for, make_folders, remove_folders
from raidtui.jobs.journal import Journal
from raidtui.jobs.makers import Makers
from raidtui.jobs.store import running, write_job
from raidtui.model.errors import StepFailed
from raidtui.model.journal import Event, JobKind, JobRequest
from raidtui.steps.seeds import derive
from tests.unit.plan_machines import SEED, array

UUID = derive(SEED, "array")


def made(path: Path) -> list[str]:
    """Make a folder; those that were missing, as they are noted before the first is there."""
    noted: list[str] = []

    def note(missing: list[str]) -> None:
        assert not any(Path(one).exists() for one in missing)
        noted.extend(missing)

    make_folders(str(path), note)
    return noted


def test_all_that_is_missing_is_made_and_removed_again(tmp_path: Path) -> None:
    path = tmp_path / "srv/big/tank"
    (tmp_path / "srv").mkdir()
    noted = made(path)
    assert noted == [str(path.parent), str(path)]
    assert path.stat().st_mode & 0o777 == 0o755
    assert remove_folders(str(path), noted) == f"removed {path}, {path.parent}"
    assert list((tmp_path / "srv").iterdir()) == []
    assert remove_folders(str(path), noted) == f"there is no folder {path}"  # doing it twice is doing it once


def test_a_folder_that_was_there_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "tank"
    path.mkdir()
    assert made(path) == []
    assert remove_folders(str(path), []) == f"the folder {path} stays: no job of raidtui created it"
    assert path.is_dir()


def test_a_folder_with_something_in_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "srv/tank"
    noted = made(path)
    (path.parent / "other").touch()
    assert (
        remove_folders(str(path), noted)
        == f"removed {path}; the folder {path.parent} stays: Directory not empty"
    )
    assert (path.parent / "other").exists()


def test_a_folder_that_cannot_be_made_fails_the_step(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        StepFailed, match=f"the folder {tmp_path}/file/tank cannot be created: Not a directory"
    ):
        made(tmp_path / "file/tank")


def test_the_build_that_made_an_array_is_known_by_its_uuid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    for job, kind, seed in (
        ("j1", JobKind.BUILD, SEED),
        ("j2", JobKind.TEARDOWN, SEED),
        ("j3", JobKind.BUILD, "99999999-2222-4333-8444-555555555555"),
        ("j4", JobKind.BUILD, "no uuid"),
    ):
        folder = write_job(JobRequest(id=job, kind=kind, title="", created="", seed=seed))
        with Journal(folder) as journal:
            journal.append(Event.NOTE, step="mountpoint", data={MADE: [f"/srv/{job}"]})
            journal.append(Event.NOTE, step="mountpoint", data={MADE: []})  # when it was resumed
    assert folders_made_for(UUID.replace("-", ":")) == ("/srv/j1",)
    assert folders_made_for(derive(SEED, "filesystem")) == ("/srv/j1",)
    assert folders_made_for(derive(SEED, "other")) == ()


@pytest.mark.parametrize(("part_of", "runs", "job"), [("", True, "j1"), ("", False, ""), ("s1", False, "s1")])
def test_a_unit_that_is_being_built_or_is_a_sweeps_belongs_to_that_job(
    part_of: str, runs: bool, job: str
) -> None:
    write_job(JobRequest(id="j2", kind=JobKind.TEARDOWN, title="", created="", seed=SEED))
    folder = write_job(
        JobRequest(id="j1", kind=JobKind.BUILD, title="", created="", seed=SEED, part_of=part_of)
    )
    tank, old = (
        replace(unit_of(array()), uuid=uuid) for uuid in (UUID.replace("-", ":"), derive(SEED, "other"))
    )
    makers = Makers()
    with running(folder) if runs else nullcontext():
        assert makers.with_job(tank).job == job
    assert makers.with_job(tank).job == part_of  # no longer, when it is built
    assert makers.with_job(old) is old
