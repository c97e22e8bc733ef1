"""Which computer this is, and whether the user reached it over SSH."""

import os
from pathlib import Path

import pytest

from raidtui.machine import whereabouts


@pytest.mark.parametrize(
    ("lab", "root", "ssh", "words"),
    [
        (True, True, False, ("virtual disks",)),
        (False, True, False, ("root",)),
        (False, True, True, ("root", "ssh")),
        (False, False, True, ("not root", "ssh")),
    ],
)
def test_the_words_beside_the_name(lab: bool, root: bool, ssh: bool, words: tuple[str, ...]) -> None:
    assert whereabouts.modes(lab=lab, root=root, ssh=ssh) == words


def test_ssh_is_seen_by_the_environment_or_by_a_process_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.setattr(whereabouts, "_ancestors", lambda: ["sudo", "bash", "login"])
    assert not whereabouts.over_ssh()
    monkeypatch.setattr(whereabouts, "_ancestors", lambda: ["sudo", "bash", "sshd-session"])
    assert whereabouts.over_ssh()
    monkeypatch.setattr(whereabouts, "_ancestors", list)
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22")
    assert whereabouts.over_ssh()


def test_the_names_of_the_processes_above_are_read_whatever_they_hold(tmp_path: Path) -> None:
    """sudo removes the variables, so these are what is left."""
    for process, name, above in ((os.getppid(), "sudo", 71), (71, "s) S 1 (h", 812), (812, "sshd", 1)):
        (tmp_path / str(process)).mkdir()
        (tmp_path / str(process) / "stat").write_text(f"{process} ({name}) S {above} 7 7 0 -1\n")
    assert whereabouts._ancestors(tmp_path) == ["sudo", "s) S 1 (h", "sshd"]


def test_a_process_above_that_has_gone_ends_the_search(tmp_path: Path) -> None:
    assert whereabouts._ancestors(tmp_path) == []
