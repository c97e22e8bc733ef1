"""What is locked against udev during a step and between two of them; files stand for the disks."""

import errno
import fcntl
import os
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from raidtui.jobs import holding
from raidtui.jobs.holding import Holding
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk
from tests.unit.plan_machines import disk


@pytest.fixture
def disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Disk]:
    made = [msgspec.structs.replace(disk(n), path=str(tmp_path / f"sd{n}")) for n in (1, 2)]
    for one in made:
        Path(one.path).touch()
    numbers = {one.path: one.device_number for one in made}

    def number(path: str | int) -> str:
        return numbers[os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else path]

    monkeypatch.setattr(holding, "device_number", number)
    monkeypatch.setattr(holding, "whole_disks", lambda *numbers: frozenset(numbers))
    return made


def locked(disks: list[Disk]) -> list[bool]:
    """Whether udev would leave each of ``disks`` alone."""

    def is_locked(path: str) -> bool:
        with open(path, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    return [is_locked(one.path) for one in disks]


def test_a_disk_is_locked_for_as_long_as_the_step_that_holds_it(disks: list[Disk]) -> None:
    held = Holding(disks, own=frozenset)
    held.hold_all()
    with held.during_step([disks[0].path]):
        assert locked(disks) == [True, False]
        assert not held.holds(disks[0].path)  # its handle is free for the tools
        assert held.holds(disks[1].path)
    assert locked(disks) == [False, False]
    assert held.holds(disks[0].path)


def test_a_disk_that_is_held_is_known_without_reading_every_device(
    disks: list[Disk], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Holding(disks[:1], own=frozenset)
    held.hold_all()
    asked: list[str] = []

    def below(*numbers: str) -> frozenset[str]:
        asked.extend(numbers)
        return frozenset({disks[0].device_number})

    monkeypatch.setattr(holding, "whole_disks", below)
    assert held.holds(disks[0].path)
    assert not asked
    assert held.holds(disks[1].path), "an array on the held disk"
    assert asked == [disks[1].device_number]


def test_what_the_next_step_holds_as_well_stays_locked_in_between(disks: list[Disk]) -> None:
    held = Holding(disks, own=frozenset)
    both = [one.path for one in disks]
    with held.during_step(both, then=both[1:]):
        assert locked(disks) == [True, True]
    assert locked(disks) == [False, True]
    assert held.holds(both[1])  # nobody else gets it, in between too
    with held.during_step(both[1:]):
        assert locked(disks) == [False, True]
    assert locked(disks) == [False, False]


def test_a_step_that_fails_leaves_nothing_locked(disks: list[Disk]) -> None:
    held = Holding(disks, own=frozenset)
    both = [one.path for one in disks]
    with held.during_step(both, then=both):
        pass
    with pytest.raises(StepFailed), held.during_step(both[:1], then=both):
        raise StepFailed("a command of it failed")
    assert locked(disks) == [False, False]


def test_what_a_step_wrote_is_flushed_before_anybody_calls_it_done(
    disks: list[Disk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a power cut may undo a step that the journal has as done, as of LVM, which flushes nothing."""
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(os.readlink(f"/proc/self/fd/{fd}")))
    held = Holding(disks, own=frozenset)
    held.hold_all()
    with held.during_step([disks[1].path], then=[disk.path for disk in disks]):
        assert flushed == []
    assert flushed == [disks[1].path]

    def fails(fd: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    with (
        pytest.raises(StepFailed, match="does not flush its cache: Input/output error"),
        held.during_step([disks[0].path]),
    ):
        pass
    assert locked(disks) == [False, False]


def test_letting_go_of_everything_unlocks_too(disks: list[Disk]) -> None:
    held = Holding(disks, own=frozenset)
    with held.during_step([disks[0].path], then=[disks[0].path]):
        pass
    held.release_all()
    assert locked(disks) == [False, False]
    assert not held.holds(disks[0].path)


def test_a_disk_that_is_a_member_of_our_array_now_is_held_by_that(
    disks: list[Disk], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Holding(disks, own=lambda: {disks[0].device_number})
    with held.during_step([disks[0].path]):
        keep_busy(disks[0], monkeypatch)
    assert locked(disks) == [False, False]


def test_a_disk_that_somebody_took_during_the_step_is_told(
    disks: list[Disk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "_AGAIN_PATIENCE_SECONDS", 0.0)
    held = Holding(disks, own=lambda: {disks[1].device_number})
    with (
        pytest.raises(StepFailed, match=r"S-0001 .* was taken by something else during the step"),
        held.during_step([disks[0].path]),
    ):
        keep_busy(disks[0], monkeypatch)
    assert locked(disks) == [False, False]


def keep_busy(one: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the kernel refuse ``one`` to whoever wants it for himself."""

    def refuse(_: Holding, wanted: Disk) -> None:
        if wanted is one:
            raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(Holding, "_hold", refuse)


def test_disks_are_opened_exclusively(disks: list[Disk], monkeypatch: pytest.MonkeyPatch) -> None:
    flags: list[int] = []
    really = os.open

    def note(path: str, how: int) -> int:
        flags.append(how)
        return really(path, how)

    monkeypatch.setattr(os, "open", note)
    Holding(disks, own=frozenset).hold_all()
    assert [one & os.O_EXCL for one in flags] == [os.O_EXCL] * 2


@pytest.mark.parametrize("step", [False, True], ids=["held", "locked"])
def test_a_node_that_leads_to_another_disk_now_is_refused(disks: list[Disk], step: bool) -> None:
    second = Path(disks[1].path)
    second.unlink()
    second.symlink_to(disks[0].path)
    held = Holding(disks, own=frozenset)
    with (
        ExitStack() as stack,
        pytest.raises(Refused, match=r"sd2 was S-0002 \(8:16\) and is the device 8:0 now"),
    ):
        stack.enter_context(held.during_step([disks[1].path])) if step else held.hold_all()
    assert not held.holds(disks[0].path)  # all or none
