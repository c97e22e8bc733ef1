"""A step carried out without disks: what is tried again, and what the journal says of it."""

import os
from pathlib import Path

import msgspec
import pytest

from raidtui.jobs import steps
from raidtui.jobs.commands import Commands
from raidtui.jobs.holding import Holding
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.steps import Worker
from raidtui.model.errors import StepFailed
from raidtui.model.journal import Entry, Event
from raidtui.model.plan import Role, Run, Step
from tests.unit.plan_machines import disk, plan, step

pytestmark = pytest.mark.processes  # programs of the tests' own, which fail as the real ones do

BUSY = "blockdev: ioctl error on BLKRRPART: Device or resource busy"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose programs are found first; nobody waits."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("raidtui.machine.tools._SYSTEM_FOLDERS", ())  # root looks there first
    monkeypatch.setattr(steps, "WAITS", (0.0, 0.0, 0.0))
    return folder


def tool(folder: Path, name: str, *, message: str, fails: int) -> None:
    """A program that fails with ``message`` the first times."""
    path = folder / name
    count = folder / f"{name}.count"
    count.write_text("")
    path.write_text(
        f"#!/bin/sh\necho >>{count}\n[ $(wc -l <{count}) -le {fails} ] || exit 0\necho '{message}' >&2\nexit 1\n"
    )
    path.chmod(0o755)


def do(tmp_path: Path, *argv: str, undo: bool = False, by_node: str = "") -> list[Entry]:
    """Carry out a step of one command, or undo it; what the journal says."""
    run = Run(argv=argv, by_node=by_node)
    step = Step(
        id="one", role=Role.PREPARE, title="One", reason="", actions=() if undo else (run,), undo=(run,)
    )
    with Journal(tmp_path) as journal:
        worker = Worker(
            plan(),
            {},
            capsule=tmp_path / "capsule",
            journal=journal,
            commands=Commands(tmp_path / "output"),
            holding=Holding([], own=frozenset),
        )
        if undo:
            worker.undo(step, step.undo, "undone")
        else:
            worker.do(step, again=False, trust=False)
    return list(read_journal(tmp_path))


@pytest.mark.parametrize("undo", [False, True])
def test_a_busy_device_is_tried_again_and_the_journal_says_so(
    tmp_path: Path, tools: Path, undo: bool
) -> None:
    tool(tools, "blockdev", message=BUSY, fails=2)
    entries = do(tmp_path, "blockdev", "--rereadpt", "/dev/sda", undo=undo)
    assert [e.returncode for e in entries if e.event is Event.COMMAND] == [1, 1, 0]
    assert [e.text for e in entries if e.event is Event.NOTE] == ["busy; trying again in 0 s"] * 2


def test_a_device_that_stays_busy_fails_the_step_in_the_end(tmp_path: Path, tools: Path) -> None:
    tool(tools, "blockdev", message=BUSY, fails=99)
    with pytest.raises(StepFailed, match="Device or resource busy"):
        do(tmp_path, "blockdev", "--rereadpt", "/dev/sda")
    assert [e.event for e in read_journal(tmp_path)].count(Event.COMMAND) == 4


def test_who_keeps_a_filesystem_mounted_is_named(tmp_path: Path, tools: Path) -> None:
    tool(tools, "umount", message="umount: target is busy.", fails=99)
    place = tmp_path / "my data"
    place.mkdir()
    with (
        (place / "film").open("w"),
        pytest.raises(StepFailed, match=rf"busy; in use by .*\(process {os.getpid()}\)$"),
    ):
        do(tmp_path, "umount", str(place))
    with pytest.raises(StepFailed, match=r"busy\.$"):
        do(tmp_path, "umount", str(tmp_path / "my"))


@pytest.mark.parametrize(
    ("name", "message"), [("blockdev", "No such device"), ("mkfs.ext4", "Device or resource busy")]
)
def test_only_what_can_be_done_again_is_and_only_where_it_was_busy(
    tmp_path: Path, tools: Path, name: str, message: str
) -> None:
    tool(tools, name, message=message, fails=99)
    with pytest.raises(StepFailed, match=message):
        do(tmp_path, name, "/dev/sda")
    assert [e.event for e in read_journal(tmp_path)].count(Event.COMMAND) == 1


@pytest.mark.parametrize("undo", [False, True])
def test_a_link_is_followed_to_the_node_only_where_the_command_wants_it(
    tmp_path: Path, tools: Path, undo: bool
) -> None:
    (tmp_path / "md127").touch()
    array, member = tmp_path / "by-uuid", tmp_path / "member"
    for link in (array, member):
        link.symlink_to("md127")
    entries = do(tmp_path, "echo", str(array), str(member), "", by_node=str(array), undo=undo)
    (ran,) = [e.argv for e in entries if e.event is Event.COMMAND]
    assert ran == ("echo", str(tmp_path / "md127"), str(member), "")


def test_only_a_disk_with_smart_is_asked_for_it(tmp_path: Path, tools: Path) -> None:
    tool(tools, "smartctl", message="", fails=0)
    images = {}
    for number in (1, 2):
        image = tmp_path / f"disk{number}"
        with image.open("wb") as file:
            file.truncate(disk(number).size_bytes)
        images[f"S-000{number}"] = disk(number, path=str(image))
    made = plan(level="raid1", members=tuple(images))
    capsule = msgspec.structs.replace(step(made, "capsule"), before=())
    by_identity = {one.identity: images[one.serial] for one in made.disks}
    with_smart, _ = by_identity
    with Journal(tmp_path) as journal:
        worker = Worker(
            made,
            by_identity,
            capsule=tmp_path / "capsule",
            journal=journal,
            commands=Commands(tmp_path / "output"),
            holding=Holding([], own=frozenset),
            with_smart=[with_smart],
        )
        worker.do(capsule, again=False, trust=False)
    asked = [e.argv[-1] for e in read_journal(tmp_path) if e.argv and e.argv[0] == "smartctl"]
    assert asked == [by_identity[with_smart].path]
    assert len(list((tmp_path / "capsule").glob("*/disk.json"))) == 2
    assert len(list((tmp_path / "capsule").glob("*/smart.json"))) == 1
