"""A Btrfs grows while its files are read and written: by devices, into larger ones, and to a profile that survives more."""

import random
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    finish_growth,
    keep_writing,
    kill_everywhere,
    prepare,
    promised,
    read_something,
    serials,
    spec_text,
    unit,
    write_something,
)

A, B, C, D, E, F = SIX = serials(6)


def build(guest: Guest, level: str, *disks: str) -> str:
    """A mounted filesystem called tank with a file; return the file's checksum."""
    done = apply(guest, spec_text(level, list(disks), backend="btrfs"), disks)
    assert done.code == 0, done.stderr
    return write_something(guest)


def grow(guest: Guest, *words: str) -> subprocess.CompletedProcess[str]:
    return guest.run(["raidtui", "grow", "tank", *words], timeout=400)


def check_grown(guest: Guest, level: str, shape: dict[str, Any], data: str) -> None:
    """Check that the filesystem is what was promised, is well, and has its files."""
    found = unit(guest)
    assert found is not None
    assert (found["level"], found["health"], found["raid_disks"]) == (level, "ok", shape["members"])
    assert abs(found["size_bytes"] - shape["unit_bytes"]) <= 64 << 20
    guest.shell("echo 3 >/proc/sys/vm/drop_caches")
    assert read_something(guest) == data
    said = guest.shell("btrfs filesystem usage -b /srv/tank").stdout
    assert (
        "Multiple profiles:\t\t\t\t no" in said
        or "no" in said.partition("Multiple profiles:")[2].splitlines()[0]
    )
    guest.shell("btrfs scrub start -B /srv/tank >/dev/null; btrfs device stats --check /srv/tank")


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("level", "disks", "words", "change", "then"),
    [
        ("raid1", 2, ("--add", C, "--erase", C), "+1 disk", "raid1"),
        ("raid10", 4, ("--add", f"{E},{F}", "--erase", f"{E},{F}"), "+2 disks", "raid10"),
        ("single", 2, ("--add", C, "--erase", C), "+1 disk", "single"),
        ("raid1c3", 3, ("--add", D, "--erase", D), "+1 disk", "raid1c3"),
        ("raid1", 3, ("--level", "raid1c3"), "to raid1c3", "raid1c3"),
        ("raid1", 4, ("--level", "raid10"), "to raid10", "raid10"),
        ("single", 2, ("--level", "raid1"), "to raid1", "raid1"),
    ],
)
def test_every_change_that_is_offered_gives_what_was_promised(
    large_guest: Guest, level: str, disks: int, words: tuple[str, ...], change: str, then: str
) -> None:
    guest = large_guest
    data = build(guest, level, *SIX[:disks])
    shape = promised(guest, change)
    assert shape["refused"] == ""
    done = grow(guest, *words)
    assert done.returncode == 0, done.stderr
    check_grown(guest, then, shape, data)


@pytest.mark.first(0)
def test_a_filesystem_takes_the_space_of_larger_disks(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("2x400MiB,2x800MiB")
    data = build(guest, "raid1", A, B)
    early = grow(guest, "--size", "max")
    assert (early.returncode, "already uses all" in early.stderr) == (3, True), early.stderr
    for old, new in ((A, C), (B, D)):
        done = guest.run(["raidtui", "replace", old, new, "--erase", new], timeout=300)
        assert done.returncode == 0, done.stderr
    shape = promised(guest, "larger members")
    done = grow(guest, "--size", "max")
    assert done.returncode == 0, done.stderr
    check_grown(guest, "raid1", shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("disks", "words", "change", "then"),
    [
        (2, ("--add", C, "--erase", C), "+1 disk", "raid1"),
        (3, ("--level", "raid1c3"), "to raid1c3", "raid1c3"),
    ],
)
def test_a_growth_that_is_killed_at_every_step_is_finished(
    large_guest: Guest, disks: int, words: tuple[str, ...], change: str, then: str
) -> None:
    guest = large_guest
    data = build(guest, "raid1", *SIX[:disks])
    shape = promised(guest, change)
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, "grow", "tank", *words))
    check_grown(guest, then, shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("disks", "words", "change", "then"),
    [
        (2, ("--add", C, "--erase", C), "+1 disk", "raid1"),
        (3, ("--level", "raid1c3"), "to raid1c3", "raid1c3"),
    ],
)
def test_a_growth_survives_power_cuts_at_random_moments(
    own_guest: Callable[[str], Guest], disks: int, words: tuple[str, ...], change: str, then: str, seed: int
) -> None:
    chance = random.Random(f"{change} {seed}")
    guest = own_guest("3x2GiB")
    data = build(guest, "raid1", *SIX[:disks])
    guest.shell("dd if=/dev/urandom of=/srv/tank/more bs=1M count=150 status=none; sync")
    more = guest.shell("sha256sum /srv/tank/more").stdout
    shape = promised(guest, change)
    running = guest.start(["raidtui", "grow", "tank", *words])
    keep_writing(guest)
    while b"balance" not in running.stderr.lower() and b"profile" not in running.stderr.lower():
        if running.returncode is not None:
            break
        guest.pump(0.05)
    until = time.monotonic() + chance.uniform(0, 6)
    while time.monotonic() < until:
        guest.pump(0.05)
    guest.power_cut()
    guest.power_on()
    guest.shell("btrfs device scan >/dev/null; mountpoint -q /srv/tank || mount /srv/tank")
    assert read_something(guest) == data
    assert guest.shell("sha256sum /srv/tank/more").stdout == more
    finish_growth(guest)
    check_grown(guest, then, shape, data)
    assert guest.shell("sha256sum /srv/tank/more").stdout == more


@pytest.mark.first(0)
def test_as_much_data_fits_as_was_promised(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("3x2GiB")
    build(guest, "raid1", A, B)
    guest.shell("dd if=/dev/zero of=/srv/tank/before bs=1M count=1000 status=none; sync")
    shape = promised(guest, "+1 disk")
    done = grow(guest, "--add", C, "--erase", C)
    assert done.returncode == 0, done.stderr
    # df(1) says a third less: of three equal devices it counts the free space of two.
    filled = guest.run(["dd", "if=/dev/zero", "of=/srv/tank/rest", "bs=1M", "conv=fsync"], timeout=900)
    assert "No space left" in filled.stderr, filled.stderr
    used = int(guest.shell("cat /sys/fs/btrfs/*-*/allocation/data/bytes_used").stdout)
    assert shape["unit_bytes"] * 9 // 10 <= used <= shape["unit_bytes"] * 11 // 10


@pytest.mark.first(0)
def test_a_full_filesystem_grows_only_by_as_many_disks_as_it_keeps_copies(
    own_guest: Callable[[str], Guest],
) -> None:
    """By one disk, the balance would leave it read-only (Linux 6.1), though the new disk is empty."""
    guest = own_guest("4x512MiB")
    data = build(guest, "raid1", A, B)
    filled = guest.run(["dd", "if=/dev/zero", "of=/srv/tank/rest", "bs=1M", "conv=fsync"], timeout=900)
    assert "No space left" in filled.stderr, filled.stderr
    refused = grow(guest, "--add", C, "--erase", C)
    assert refused.returncode == 3
    assert "Add 2 disks at once" in refused.stderr
    shape = promised(guest, "+2 disks")
    done = grow(guest, "--add", f"{C},{D}", "--erase", f"{C},{D}")
    assert done.returncode == 0, done.stderr
    guest.shell("echo more >/srv/tank/more; sync")
    check_grown(guest, "raid1", shape, data)
