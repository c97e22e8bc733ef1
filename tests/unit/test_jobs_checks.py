"""What the conditions of a plan answer where a device cannot be read: unknown is never blank."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.jobs import checks
from raidtui.jobs.checks import Checks, blank_answers
from raidtui.jobs.commands import Commands
from raidtui.jobs.mounts import Mounted
from raidtui.machine.signatures import Probed
from raidtui.model.plan import Check, CheckKind

LATE = "wipefs did not end within 120 s"


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices that are there, can be opened, and do not answer in time."""

    def probe(paths: Sequence[str]) -> Probed:
        return Probed(found={}, failed=dict.fromkeys(paths, LATE))

    monkeypatch.setattr(checks, "probe", probe)
    monkeypatch.setattr(checks, "device_number", lambda path: "9:127")
    monkeypatch.setattr(checks, "partition_numbers", lambda number: [])
    monkeypatch.setattr(checks, "node", lambda number: "/dev/md127")
    monkeypatch.setattr(checks, "_read_error", lambda path: "")


@pytest.mark.usefixtures("late")
def test_a_device_that_does_not_answer_in_time_is_not_blank() -> None:
    (answer,) = blank_answers(["/dev/md127"])
    assert not answer.holds
    assert answer.text == f"/dev/md127: {LATE}"


@pytest.mark.usefixtures("late")
def test_a_filesystem_on_a_slow_device_is_not_called_missing(tmp_path: Path) -> None:
    asked = Checks(Commands(tmp_path), held=lambda _: False)
    (answer,) = asked.ask([Check(kind=CheckKind.FILESYSTEM, subject="/dev/md/kill", expect="ext4 1-2")])
    assert not answer.holds
    assert answer.text == f"cannot read what is on /dev/md/kill: {LATE}"


@pytest.mark.usefixtures("late")
def test_a_mount_of_a_slow_device_is_not_called_another_filesystem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount = Mounted(source="/dev/md127", target="/srv/kill", type="ext4", device_number="9:127")
    monkeypatch.setattr(checks, "find_mounts", lambda: [mount])
    asked = Checks(Commands(tmp_path), held=lambda _: False)
    (answer,) = asked.ask([Check(kind=CheckKind.MOUNTED, subject="/srv/kill", expect="1-2")])
    assert not answer.holds
    assert answer.text == f"cannot read what is on /dev/md127: {LATE}"
