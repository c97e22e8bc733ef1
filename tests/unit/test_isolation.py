"""The tests read and change nothing of the computer that they run on, also where raidtui is in daily use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.jobs.store import jobs_folder
from raidtui.model.paths import runtime_folder, state_folder
from raidtui.results.store import Store

ROOT = Path(__file__).resolve().parents[2]

# It looks for results and jobs before it opens a shell, which would lose them.
READS_THE_STATE = "tests/ui/test_suspending.py::test_in_the_lab_it_opens_a_shell_and_exit_leads_back"


def test_a_test_has_a_state_folder_of_its_own() -> None:
    home = Path(os.environ["HOME"])
    assert home.name.startswith("raidtui-tests-")
    assert state_folder().is_relative_to(home)
    assert not state_folder().exists()
    assert runtime_folder() == state_folder().with_name("run")


def contents(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything in a folder: mode, time of change, bytes."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    }


@pytest.mark.slow
@pytest.mark.processes
def test_a_filled_state_folder_changes_no_test_and_no_test_changes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = {"RAIDTUI_STATE": "state", "XDG_STATE_HOME": "xdg/raidtui", "HOME": "home/.local/state/raidtui"}
    for folder in homes.values():
        monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / folder))
        Store().check()  # makes the folder
        (jobs_folder() / "20261121-040312-tank").mkdir(parents=True)
        (jobs_folder() / "20261121-040312-tank" / "request.json").write_text(
            "rubbish, which is told if it is read"
        )
        (state_folder() / "results.sqlite").write_text("rubbish, which is told if it is read")
    before = contents(tmp_path)
    environment = {
        "RAIDTUI_STATE": str(tmp_path / "state"),
        "RAIDTUI_RUN": str(tmp_path / "run"),
        "XDG_STATE_HOME": str(tmp_path / "xdg"),
        "HOME": str(tmp_path / "home"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", READS_THE_STATE],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert contents(tmp_path) == before
