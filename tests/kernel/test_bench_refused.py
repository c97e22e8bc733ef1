"""What is not measured, or not written, and the sentence that says so: beside a mirror that nothing happens to."""

from collections.abc import Iterator

import pytest

from raidtui.lab.guest import Guest, Setup
from tests.kernel.driving import JOBS, bench, mirror


@pytest.fixture(scope="module")
def mirrored() -> Iterator[Guest]:
    """A guest with a RAID1 of LAB-0001 and LAB-0002, its ext4 at /srv/one, and two blank disks."""
    with Guest(Setup(disks="4x160MiB")) as guest:
        mirror(guest)
        yield guest


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("prepare", "target", "code", "sentence", "undo"),
    [
        ("true", "/srv/nowhere", 2, "/srv/nowhere cannot be measured: No such file or directory", "true"),
        (
            "touch /srv/one/file",
            "/srv/one/file",
            2,
            "neither a directory nor a block device",
            "rm /srv/one/file",
        ),
        (
            "mount -o remount,ro /srv/one",
            "/srv/one",
            3,
            "mounted read-only (/srv/one)",
            "mount -o remount,rw /srv/one",
        ),
        (
            "fallocate -l 110M /srv/one/full",
            "/srv/one",
            3,
            "including the reserve that must stay free; free some space there",
            "rm /srv/one/full",
        ),
        ("true", "/run", 3, "/run is on a tmpfs, which is in memory", "true"),
        ("true", "/", 3, "overlay whose upper folder", "true"),
        ("true", "/dev", 3, "which is in memory", "true"),
        ("true", "/sys/block", 2, "on the kernel filesystem sysfs", "true"),
        (
            "mount -t ramfs none /srv/one/lost+found",
            "/srv/one/lost+found",
            3,
            "is on a ramfs",
            "umount /srv/one/lost+found",
        ),
    ],
)
def test_a_target_that_cannot_be_measured_is_one_sentence(
    mirrored: Guest, prepare: str, target: str, code: int, sentence: str, undo: str
) -> None:
    mirrored.shell(prepare)
    done = bench(mirrored, target, "--size", "128MiB")
    mirrored.shell(undo)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert mirrored.shell(f"ls {JOBS} 2>/dev/null || true").stdout == "", "no job was begun"


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("prepare", "device", "erase", "sentence", "undo"),
    [
        ("true", "/dev/ubdc", "LAB-0004", "name its serial number: --erase LAB-0003", "true"),
        ("true", "/dev/ubdc", "003", "name its serial number: --erase LAB-0003", "true"),
        (
            "mkfs.ext4 -q /dev/ubdc",
            "/dev/ubdc",
            "LAB-0003",
            "/dev/ubdc is not blank and free",
            "blkdiscard --force /dev/ubdc",
        ),
        ("true", "/dev/ubda", "LAB-0001", "/dev/ubda is not blank and free", "true"),
        (
            "ln -s md127 /dev/named",
            "/dev/named",
            "one",
            "/dev/named is in use: mounted at /srv/one",
            "rm /dev/named",
        ),
        (
            "umount /srv/one",
            "/dev/md127",
            "one",
            "/dev/md127 is not blank: ext4 is on it",
            "mount /dev/md127 /srv/one",
        ),
    ],
)
def test_a_device_that_is_not_blank_or_not_named_is_not_written(
    mirrored: Guest, prepare: str, device: str, erase: str, sentence: str, undo: str
) -> None:
    mirrored.shell(f"{prepare}; udevadm settle")
    before = mirrored.shell(f"sync; head -c 8M {device} | sha256sum").stdout
    done = bench(mirrored, device, "--size", "16MiB", "--erase", erase)
    after = mirrored.shell(f"sync; head -c 8M {device} | sha256sum; {undo}; udevadm settle").stdout
    assert done.returncode == 3
    assert sentence in done.stderr
    assert after == before
