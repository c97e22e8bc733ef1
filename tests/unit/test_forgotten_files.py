"""Our own files after a power cut that forgets what was not synced: no step that was accepted is lost, no file is half."""

import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from raidtui.jobs import capsule
from raidtui.jobs.durable import append_line, write_file
from raidtui.jobs.edits import drop_line, ensure_line
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.store import job_folders, load_job_state, read_request, write_job
from raidtui.model.journal import Event, JobKind, JobRequest, Outcome
from tests.unit.forgetful import Forgetful, Kept
from tests.unit.test_jobs_capsule import a_disk, an_image, no_texts

REQUEST = JobRequest(id="j1", kind=JobKind.BUILD, title="Build", created="")
FSTAB = "UUID=1 / ext4 defaults 0 1\n"
LINE = "UUID=2 /srv/tank ext4 nofail 0 2"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a state folder in it."""
    folder = tmp_path / "root"
    (folder / "state").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("RAIDTUI_STATE", str(folder / "state"))
    return folder


def crashes_of(root: Path, act: Callable[[], object]) -> list[Forgetful]:
    """What is durable before and after each sync that ``act`` does, and after its end."""
    found: list[Forgetful] = []
    with Forgetful(root).watching(found):
        act()
    assert len(found) > 2, "it syncs nothing"
    return found


def test_the_model_forgets_what_was_not_synced(tmp_path: Path) -> None:
    root, target = tmp_path / "root", tmp_path / "crash"
    root.mkdir()
    found: list[Forgetful] = []
    with Forgetful(root).watching(found):
        (root / "file").write_text("new")
    assert [p.name for p in found[-1].crash(Kept.SYNCED, target).iterdir()] == []
    assert (found[-1].crash(Kept.NAMES, target) / "file").read_text() == ""
    assert (found[-1].crash(Kept.ALL, target) / "file").read_text() == "new"


@pytest.mark.parametrize("kept", Kept)
def test_a_file_that_is_replaced_is_the_old_or_the_new_one(root: Path, tmp_path: Path, kept: Kept) -> None:
    path = root / "file"
    path.write_bytes(b"old")
    crashes = crashes_of(root, lambda: write_file(path, b"the new one"))
    seen = [(one.crash(kept, tmp_path / "crash") / "file").read_bytes() for one in crashes]
    assert set(seen) <= {b"old", b"the new one"}
    assert seen[-1] == b"the new one"


@pytest.mark.parametrize("kept", Kept)
@pytest.mark.parametrize("there", [FSTAB, ""])
def test_fstab_has_its_line_or_not_and_all_its_other_lines(
    root: Path, tmp_path: Path, kept: Kept, there: str
) -> None:
    path = root / "fstab"
    if there:
        path.write_text(there)
    for act, last in (
        (lambda: ensure_line(str(path), LINE), f"{there}{LINE}\n"),
        (lambda: drop_line(str(path), LINE), there),
    ):
        before = path.read_text() if path.exists() else None
        seen = []
        for one in crashes_of(root, act):
            after = one.crash(kept, tmp_path / "crash") / "fstab"
            seen.append(after.read_text() if after.exists() else None)
        assert set(seen) <= {before, last}
        assert seen[-1] == last


def test_a_new_fstab_can_be_read_by_all_from_the_first_moment(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mode that is set after the file was synced may be lost."""
    modes = []
    really = Path.chmod

    def chmod(path: Path, mode: int) -> None:
        modes.append(mode)
        really(path, mode)

    monkeypatch.setattr(Path, "chmod", chmod)
    ensure_line(str(root / "fstab"), LINE)
    assert modes == []
    assert stat.S_IMODE((root / "fstab").stat().st_mode) == 0o644


@pytest.mark.parametrize("kept", Kept)
def test_a_job_that_was_accepted_is_there_with_every_entry_of_its_journal(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: Kept
) -> None:
    accepted: list[int] = []  # entries, by the number of crashes before each was accepted
    crashes: list[Forgetful] = []

    def act() -> None:
        folder = write_job(REQUEST)
        accepted.append(len(crashes))
        with Journal(folder) as journal:
            for number in range(3):
                journal.append(Event.STEP, step=f"s{number}")
                accepted.append(len(crashes))

    with Forgetful(root).watching(crashes):
        act()
    for number, one in enumerate(crashes):
        monkeypatch.setenv("RAIDTUI_STATE", str(one.crash(kept, tmp_path / "crash") / "state"))
        folders = job_folders()
        past = sum(at <= number for at in accepted)
        assert len(folders) == 1 or past == 0, "the job is lost"
        for folder in folders:
            assert read_request(folder) == REQUEST
            entries = read_journal(folder)
            assert [entry.step for entry in entries] == [f"s{number}" for number in range(len(entries))]
            assert len(entries) >= past - 1, "an entry is lost"
            state = load_job_state(folder)
            assert state is not None
            assert state.outcome is Outcome.INTERRUPTED


@pytest.mark.parametrize("kept", Kept)
def test_a_log_keeps_every_line_that_was_appended(root: Path, tmp_path: Path, kept: Kept) -> None:
    path = root / "state" / "log" / "arrays.jsonl"
    for number in range(2):
        crashes = crashes_of(root, partial(append_line, path, f"line {number}".encode()))
        last = crashes[-1].crash(kept, tmp_path / "crash") / "state" / "log" / "arrays.jsonl"
        assert last.read_text() == "".join(f"line {one}\n" for one in range(number + 1))


@pytest.mark.parametrize("kept", Kept)
def test_a_capsule_is_whole_or_none(root: Path, tmp_path: Path, kept: Kept) -> None:
    image = tmp_path / "disk"
    an_image(image)
    job = write_job(REQUEST)
    place = job / "capsule"
    crashes = crashes_of(root, lambda: capsule.save(place, a_disk(image), [], no_texts))
    whole = []
    for one in crashes:
        found = one.crash(kept, tmp_path / "crash") / place.relative_to(root)
        folder = capsule.folder_of(found, "LAB-0001")
        whole.append((folder / capsule.INDEX).exists() and (folder / capsule.INDEX).stat().st_size > 0)
        if whole[-1]:
            assert "restored" in capsule.restore(found, a_disk(image), ours=frozenset())
    assert whole[-1]
    assert not whole[0]
