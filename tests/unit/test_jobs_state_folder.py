"""Where the state folder may be: where only root can write, and where there is room."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.jobs.state_folder import check_private, check_room
from raidtui.model.errors import Refused


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of root's: whoever runs this test is taken for root, and became it by sudo."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(os.getuid()))
    monkeypatch.setenv("SUDO_GID", str(os.getgid()))
    (tmp_path / "state" / "jobs").mkdir(parents=True, mode=0o700)
    (tmp_path / "state" / "jobs" / "tank").mkdir(mode=0o700)
    (tmp_path / "state" / "jobs" / "tank" / "request.json").touch(mode=0o600)
    return tmp_path / "state"


def test_a_folder_of_ones_own_is_private_also_where_everybody_may_make_folders(state: Path) -> None:
    check_private(state)
    state.parent.chmod(0o1777)  # as /tmp is
    check_private(state)


@pytest.mark.parametrize(
    "open_up",
    [
        lambda state: state.chmod(0o777),
        lambda state: (state / "jobs").chmod(0o777),
        lambda state: state.parent.chmod(0o777),
        lambda state: (state / "jobs" / "tank").chmod(0o777),
        lambda state: (state / "jobs" / "tank" / "request.json").chmod(0o777),
    ],
    ids=["the folder", "its jobs", "above it", "the job", "its request"],
)
def test_a_folder_that_others_may_write_to_is_refused(state: Path, open_up: Callable[[Path], None]) -> None:
    open_up(state)
    with pytest.raises(Refused, match=r"other users can change what is in .*mode 777.*Set RAIDTUI_STATE"):
        check_private(state, state / "jobs" / "tank")


def test_that_nobody_can_replace_the_files_of_others_is_not_enough(state: Path) -> None:
    state.chmod(0o1777)
    with pytest.raises(Refused, match=r"other users can change what is in .*mode 1777"):
        check_private(state)


def test_a_link_among_the_files_of_a_job_is_refused(state: Path) -> None:
    (state / "jobs" / "tank" / "machine.json").symlink_to("/etc/passwd")
    with pytest.raises(Refused, match="symbolic link"):
        check_private(state, state / "jobs" / "tank")


def test_a_folder_of_somebody_else_is_refused_though_a_link_leads_there(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_UID", str(os.getuid() + 1))
    if os.getuid() == 0:
        os.chown(state, 1234, 0)
    link = state.parent / "link"
    link.symlink_to("state")
    with pytest.raises(Refused, match=r"other users can change what is in .*/state "):
        check_private(link)


def test_who_is_not_root_may_keep_the_state_anywhere(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    state.chmod(0o777)
    check_private(state)


def test_a_full_filesystem_is_told_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_room(tmp_path)
    really = os.statvfs(tmp_path)
    full = os.statvfs_result([*really[:4], 3, *really[5:]])  # three blocks are left
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(Refused, match="is full, so a job cannot keep its journal"):
        check_room(tmp_path)
