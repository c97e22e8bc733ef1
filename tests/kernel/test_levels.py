"""Every level from blank disks to a mounted filesystem and back to blank disks, on a real kernel."""

from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    array,
    has_linear,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)

LEVELS = [
    ("raid5", 4, {}, "xfs"),
    ("raid10", 3, {"layout": "f2"}, "ext4"),
    ("raid0", 2, {}, "btrfs"),
    ("raid1", 2, {"metadata": "1.0"}, "ext4"),
    ("raid4", 3, {"consistency": "resync"}, "ext4"),
    ("raid5", 3, {"consistency": "ppl", "chunk": "64KiB"}, "ext4"),
    ("raid6", 4, {"partition": False}, "ext4"),
    ("raid10", 4, {"layout": "n2"}, "btrfs"),
    ("raid10", 3, {"layout": "o2", "partition": False}, "ext4"),
]


LVM_LEVELS = [
    ("raid6", 5, {"partition": False}, "btrfs"),
    ("striped", 3, {"chunk": "128KiB"}, "ext4"),
    ("linear", 2, {"partition": False}, "btrfs"),
    ("raid0", 2, {}, "ext4"),
    ("raid4", 4, {}, "xfs"),
    ("raid10", 4, {}, "ext4"),
]
"""The others are built by the tests of scripts, of resuming and of rolling back."""


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "count", "options", "filesystem"), LEVELS)
def test_a_level_is_built_holds_data_and_is_taken_away(
    guest: Guest, level: str, count: int, options: dict[str, Any], filesystem: str
) -> None:
    disks = serials(count)
    built = apply(guest, spec_text(level, disks, filesystem=filesystem, **options), disks, "--wait-sync")
    assert built.code == 0, built.stderr
    found = built.report["array"]
    assert (found["level"], found["raid_disks"]) == (level, count)
    assert found["degraded"] in (0, None)
    assert found["sync_action"] == "idle"
    holds_data_and_is_taken_away(guest, disks)


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "count", "options", "filesystem"), LVM_LEVELS)
def test_a_volume_group_is_built_holds_data_and_is_taken_away(
    guest: Guest, level: str, count: int, options: dict[str, Any], filesystem: str
) -> None:
    disks = serials(count)
    spec = spec_text(level, disks, filesystem=filesystem, backend="lvm", **options)
    calculated = raidtui(guest, "calc", "-", "--json", stdin=spec).report
    built = apply(guest, spec, disks, "--wait-sync")
    assert built.code == 0, built.stderr
    found = unit(guest)
    assert found is not None
    assert (found["backend"], found["level"], len(found["members"])) == ("lvm", level, count)
    assert found["size_bytes"] == calculated["array_bytes"]
    assert [member["disk"] for member in found["members"]] == disks
    assert (found["health"], found["mountpoints"]) == ("ok", ["/srv/tank"])
    holds_data_and_is_taken_away(guest, disks)
    assert guest.shell("pvs --noheadings; ls -d /dev/tank || true").stdout == ""


def holds_data_and_is_taken_away(guest: Guest, disks: list[str]) -> None:
    """Write to tank, read it again and remove it: its disks are blank."""
    written = write_something(guest)
    assert read_something(guest) == written

    gone = teardown(guest, "tank", disks)
    assert gone.code == 0, gone.stderr
    assert unit(guest) is None
    assert signatures(guest, disks) == []
    assert "tank" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf; ls /dev/md || true").stdout


@pytest.mark.first(0)
def test_linear_is_built_where_the_kernel_has_it_and_refused_elsewhere(guest: Guest) -> None:
    if has_linear(guest):
        test_a_level_is_built_holds_data_and_is_taken_away(guest, "linear", 2, {}, "ext4")
        return
    refused = apply(guest, spec_text("linear", serials(2)), serials(2))
    assert refused.code == 3
    assert "level-missing" in refused.stderr
    assert signatures(guest, serials(2)) == []


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("backend", "level", "count", "spares", "partition", "filesystem"),
    [
        ("mdadm", "raid5", 3, 1, True, "ext4"),
        # Large enough for XFS to have stripes: of raid10 the device states their width wrongly.
        ("lvm", "raid10", 4, 0, True, "xfs"),
        ("mdadm", "raid1", 2, 0, False, "ext4"),
    ],
)
def test_an_array_comes_back_after_a_reboot_by_name_and_mounted(
    own_guest: Callable[[str], Guest],
    backend: str,
    level: str,
    count: int,
    spares: int,
    partition: bool,
    filesystem: str,
) -> None:
    guest = own_guest("4x128MiB" if backend == "mdadm" else "4x640MiB")
    members, spare = serials(count + spares)[:count], serials(count + spares)[count:]
    spec = spec_text(
        level, members, spares=spare, partition=partition, backend=backend, filesystem=filesystem
    )
    built = apply(guest, spec, members + spare, "--wait-sync")
    assert built.code == 0, built.stderr
    written = write_something(guest)

    guest.power_off()
    guest.power_on()
    assert read_something(guest) == written
    found = unit(guest)
    assert found is not None
    assert found["path"] == {"mdadm": "/dev/md/tank", "lvm": "/dev/tank/data"}[backend]
    assert found["mountpoints"] == ["/srv/tank"]
    assert len(found["members"]) == count + spares
    gone = teardown(guest, "tank", members + spare)
    assert gone.code == 0, gone.stderr
    assert signatures(guest, members + spare) == []


@pytest.mark.first(0)
def test_teardown_wants_every_disk_named_and_touches_nothing_otherwise(guest: Guest) -> None:
    disks = serials(2)
    assert apply(guest, spec_text("raid1", disks), disks, "--wait-sync").code == 0
    for erase in (disks[:1], [*disks, "LAB-0003"], ["LAB-0001", "LAB-0004"]):
        refused = teardown(guest, "tank", erase)
        assert refused.code == 3, refused.stderr
    found = array(guest)
    assert found is not None
    assert found["mountpoints"] == ["/srv/tank"]
    assert raidtui(guest, "teardown", "other", "--erase", "LAB-0001").code == 2
