"""What the kernel says is wrong with a mounted filesystem."""

import errno
import os
from pathlib import Path

import msgspec
import pytest

from raidtui.advice.findings.filesystems import filesystem_findings
from raidtui.machine.filesystem_errors import trouble_of
from raidtui.machine.tree import Tree
from raidtui.model.finding import Finding
from raidtui.model.machine import SHUT_DOWN, Mount
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from tests.unit.plan_machines import machine


def mount(type_: str = "ext4", options: str = "rw,relatime", **changes: str) -> Mount:
    given = {"source": "/dev/md127", "target": "/srv/tank", "device": "/dev/md127"}
    return Mount(type=type_, options=options, **given | changes)


def counted(folder: Path, count: str = "3", last: str = "1795825451") -> Tree:
    """A computer on which ext4 on md127 has counted errors."""
    there = folder / "sys/fs/ext4/md127"
    there.mkdir(parents=True)
    (there / "errors_count").write_text(f"{count}\n")
    (there / "last_error_time").write_text(f"{last}\n")
    return Tree(folder)


@pytest.mark.parametrize(
    ("type_", "options", "words"),
    [
        ("ext4", "rw,relatime,errors=remount-ro", ""),
        ("ext4", "rw,relatime,ro,errors=remount-ro", "read-only since an error"),
        ("ext4", "rw,relatime,emergency_ro", "read-only since an error"),
        ("ext4", "ro,relatime", ""),  # somebody mounted it so
        ("btrfs", "rw,noatime,ro,space_cache=v2", "read-only since an error"),
        ("xfs", "rw,relatime,attr2", ""),
        ("ext4", "", ""),
    ],
)
def test_what_the_options_say(tmp_path: Path, type_: str, options: str, words: str) -> None:
    (tmp_path / "srv/tank").mkdir(parents=True)
    assert trouble_of(mount(type_, options), Tree(tmp_path)) == words


@pytest.mark.parametrize(
    ("count", "last", "words"),
    [
        ("3", "1795825451", "3 errors counted, the last 2026-11-28 00:24 UTC"),
        ("1", "", "1 error counted"),
        ("1", "99999999999999999999", "1 error counted"),
        ("0", "1795825451", ""),
        ("rubbish", "1795825451", ""),
    ],
)
def test_what_ext4_has_counted(tmp_path: Path, count: str, last: str, words: str) -> None:
    assert trouble_of(mount(), counted(tmp_path, count, last)) == words


def test_a_count_follows_what_it_led_to(tmp_path: Path) -> None:
    found = trouble_of(mount(options="rw,ro"), counted(tmp_path))
    assert found.startswith("read-only since an error: 3 errors counted")


@pytest.mark.parametrize(("code", "words"), [(errno.EIO, SHUT_DOWN), (errno.EACCES, ""), (errno.ENOENT, "")])
def test_xfs_that_answers_with_an_error_is_shut_down(
    monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    def fails(path: str) -> None:
        raise OSError(code, path)

    monkeypatch.setattr(os, "stat", fails)
    assert trouble_of(mount("xfs"), Tree("/nowhere")).startswith(words)
    assert bool(trouble_of(mount("xfs"), Tree("/nowhere"))) is bool(words)


@pytest.mark.parametrize("over", ["/srv/tank", "/srv"])
def test_nothing_is_touched_below_a_filesystem_that_may_not_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, over: str
) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(f"30 21 0:50 / {over} rw - nfs4 server:/export rw\n")

    def hangs(path: str) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(os, "stat", hangs)
    assert trouble_of(mount("xfs"), Tree(tmp_path)) == ""


def tank(health: Health = Health.OK) -> Unit:
    return Unit(
        backend=Backend.MDADM,
        name="tank",
        uuid="u-1",
        marks=("u-1",),
        level="raid1",
        size_bytes=0,
        path="/dev/md/tank",
        node="/dev/md127",
        health=health,
        state="in sync",
        members=(),
        mountpoints=("/srv/tank", "/srv/other"),
    )


def said(*mounts: Mount, health: Health = Health.OK) -> list[Finding]:
    there = msgspec.structs.replace(machine(), mounts=mounts)
    return list(filesystem_findings(there, [tank(health)]))


def test_it_is_one_finding_however_often_it_is_mounted() -> None:
    bad = mount(trouble="read-only since an error")
    (found,) = said(bad, msgspec.structs.replace(bad, target="/srv/other"), mount(target="/srv/else"))
    assert (found.name, found.unit) == ("/srv/tank", "u-1")
    assert found.what == "ext4 at /srv/tank and /srv/other: read-only since an error"
    assert [one.procedure for one in found.remedies] == [None, None]


def test_one_that_is_shut_down_is_mounted_again_before_it_is_backed_up() -> None:
    (found,) = said(mount("xfs", trouble=f"{SHUT_DOWN}: nothing can be read or written"))
    assert found.remedies[0].text.startswith("unmount it and mount it again")


def test_a_unit_that_has_failed_is_the_cause_and_another_filesystem_is_no_units() -> None:
    bad = mount(trouble="read-only since an error")
    assert said(bad, health=Health.FAILED) == []
    assert said(msgspec.structs.replace(bad, target="/")) == []
