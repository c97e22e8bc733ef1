"""The journal survives what a power cut leaves of it, and following it ends when the job does."""

import errno
import os
from pathlib import Path

import pytest

from raidtui.jobs.journal import FILE, LOCK, RESERVE, Journal, data_of, follow, read_journal
from raidtui.jobs.lock import held, holder, is_locked
from raidtui.model.errors import BadInput, Refused, StepFailed
from raidtui.model.journal import Event, Outcome


def write_three(folder: Path) -> None:
    with Journal(folder) as journal:
        journal.append(Event.STARTED, text="here", data={"pid": 7})
        journal.append(
            Event.COMMAND, step="create", argv=["mdadm", "--create"], returncode=0, seconds=1.23456
        )
        journal.append(Event.ENDED, outcome=Outcome.DONE, exit_code=0)


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    write_three(tmp_path)
    started, command, ended = read_journal(tmp_path)
    assert (started.seq, command.seq, ended.seq) == (0, 1, 2)
    assert data_of(started) == {"pid": 7}
    assert data_of(command) == {}
    assert command.argv == ("mdadm", "--create")
    assert command.seconds == 1.235
    assert ended.outcome is Outcome.DONE


def test_lines_that_belong_together_are_brought_to_disk_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    with Journal(tmp_path) as journal:
        monkeypatch.setattr(os, "fsync", synced.append)
        with journal.together():
            journal.append(Event.CHECK, step="wipe", text="yes: it is blank")
            journal.append(Event.CHECK, step="wipe", text="yes: nothing uses it")
            assert len(synced) == 0
        assert len(synced) == 1
        journal.append(Event.NOTE, text="alone")
        assert len(synced) == 2
    assert [entry.seq for entry in read_journal(tmp_path)] == [0, 1, 2]


def test_a_folder_without_a_journal_has_no_entries(tmp_path: Path) -> None:
    assert read_journal(tmp_path) == ()


@pytest.mark.parametrize("left", [1, 10, -2, -1])
def test_a_line_that_was_cut_never_happened(tmp_path: Path, left: int) -> None:
    write_three(tmp_path)
    file = tmp_path / FILE
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]) + lines[2][:left])
    assert [entry.seq for entry in read_journal(tmp_path)] == [0, 1]


def test_a_journal_goes_on_after_a_cut_line(tmp_path: Path) -> None:
    write_three(tmp_path)
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:-5])
    with Journal(tmp_path) as journal:
        assert journal.append(Event.NOTE, text="again").seq == 2
    assert [entry.event for entry in read_journal(tmp_path)] == [Event.STARTED, Event.COMMAND, Event.NOTE]


def test_a_last_line_of_zeros_is_cut_too(tmp_path: Path) -> None:
    write_three(tmp_path)
    with (tmp_path / FILE).open("ab") as file:
        file.write(bytes(4096))
    assert len(read_journal(tmp_path)) == 3


def test_damage_in_the_middle_is_told_and_not_skipped(tmp_path: Path) -> None:
    write_three(tmp_path)
    file = tmp_path / FILE
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + b"{nonsense}\n" + lines[2])
    with pytest.raises(BadInput, match="is damaged in line 2: "):
        read_journal(tmp_path)


def test_following_a_job_that_has_ended_shows_all_of_it_and_returns(tmp_path: Path) -> None:
    write_three(tmp_path)
    assert [entry.seq for entry in follow(tmp_path)] == [0, 1, 2]


def test_following_waits_for_a_job_that_lives(tmp_path: Path) -> None:
    seen = []
    with Journal(tmp_path) as journal:
        lock = held(tmp_path / LOCK, patience_seconds=0, refusal="taken")
        with lock:
            journal.append(Event.STARTED)
            following = follow(tmp_path)
            seen.append(next(following).event)
            journal.append(Event.NOTE)
            seen.append(next(following).event)
            journal.append(Event.ENDED)
        seen += [entry.event for entry in following]
    assert seen == [Event.STARTED, Event.NOTE, Event.ENDED]


def test_following_ends_when_it_is_asked_to(tmp_path: Path) -> None:
    write_three(tmp_path)
    with held(tmp_path / LOCK, patience_seconds=0, refusal="taken"):
        assert list(follow(tmp_path, stop=lambda: True)) == []


def test_a_lock_says_who_holds_it_and_is_free_afterwards(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not is_locked(lock)
    with held(lock, patience_seconds=0, refusal="taken"):
        assert is_locked(lock)
        assert holder(lock) == os.getpid()
        with pytest.raises(Refused, match="taken"), held(lock, patience_seconds=0, refusal="taken"):
            pytest.fail("two holders")
    assert not is_locked(lock)
    assert holder(lock) is None


def test_a_full_filesystem_leaves_no_part_of_a_line_and_room_for_the_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_write, room = os.write, [10**6]
    reserve = tmp_path / RESERVE
    reserve.write_bytes(b"x")

    def write(fd: int, data: bytes) -> int:
        left = room[0] + (0 if reserve.exists() else 10**4)
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = really_write(fd, bytes(data)[:left])
        room[0] = max(0, room[0] - done)
        return done

    with Journal(tmp_path) as journal:
        monkeypatch.setattr(os, "write", write)
        journal.append(Event.STEP, step="wipe", text="Erase")
        room[0] = 20  # of a line that is longer
        with pytest.raises(StepFailed, match=r"journal\.jsonl cannot be written: No space left"):
            journal.append(Event.COMMAND, step="wipe", argv=("wipefs",))
        journal.append(Event.STEP_FAILED, step="wipe", text="the filesystem is full")
    assert [entry.event for entry in read_journal(tmp_path)] == [Event.STEP, Event.STEP_FAILED]


@pytest.mark.parametrize("file", [LOCK, FILE])
def test_following_a_job_whose_files_cannot_be_read_any_more_is_not_its_end(
    tmp_path: Path, file: str
) -> None:
    write_three(tmp_path)
    (tmp_path / file).unlink(missing_ok=True)
    (tmp_path / file).symlink_to(file)  # root reads any file, but not this one
    with pytest.raises(StepFailed, match=rf"{file} cannot be read any more: .* is not known"):
        list(follow(tmp_path))
