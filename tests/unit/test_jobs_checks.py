"""What the conditions of a plan answer where a device cannot be read: unknown is never blank."""

from collections.abc import Sequence

import pytest

from raidtui.jobs.checks import ask_checks
from raidtui.machine.contents.signatures import Probed
from raidtui.model.machine import Mount
from raidtui.steps import devices, filesystems
from raidtui.steps.devices import BLANK
from raidtui.steps.filesystems import FILESYSTEM, MOUNTED


def _nobody(device: str) -> bool:
    """This job holds no device."""
    return False


LATE = "wipefs did not end within 120 s"


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices that are there, can be opened, and do not answer in time."""

    def probe(paths: Sequence[str]) -> Probed:
        return Probed(found={}, failed=dict.fromkeys(paths, LATE))

    for room in (devices, filesystems):
        monkeypatch.setattr(room, "probe", probe)
        monkeypatch.setattr(room, "device_number", lambda path: "9:127")
    monkeypatch.setattr(devices, "partition_numbers", lambda number: [])
    monkeypatch.setattr(devices, "node", lambda number: "/dev/md127")
    monkeypatch.setattr(devices, "_read_error", lambda path: "")


@pytest.mark.usefixtures("late")
def test_a_device_that_does_not_answer_in_time_is_not_blank() -> None:
    (answer,) = ask_checks([BLANK.of("/dev/md127")], held=_nobody)
    assert not answer.holds
    assert answer.text == f"/dev/md127: {LATE}"


@pytest.mark.usefixtures("late")
def test_a_filesystem_on_a_slow_device_is_not_called_missing() -> None:
    (answer,) = ask_checks([FILESYSTEM.of("/dev/md/kill", "ext4 1-2")], held=_nobody)
    assert not answer.holds
    assert answer.text == f"cannot read what is on /dev/md/kill: {LATE}"


@pytest.mark.usefixtures("late")
def test_a_mount_of_a_slow_device_is_not_called_another_filesystem(monkeypatch: pytest.MonkeyPatch) -> None:
    mount = Mount(source="/dev/md127", target="/srv/kill", type="ext4", device_number="9:127")
    monkeypatch.setattr(filesystems, "find_mounts", lambda: [mount])
    (answer,) = ask_checks([MOUNTED.of("/srv/kill", "1-2")], held=_nobody)
    assert not answer.holds
    assert answer.text == f"cannot read what is on /dev/md127: {LATE}"
