"""Volume groups on arrays, on a real kernel: built, degraded, rebooted and removed from the top down."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    array,
    cut_power_at,
    inspect,
    only_job,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)
from tests.kernel.test_levels import holds_data_and_is_taken_away
from tests.kernel.test_script import make_script, run_script

THREE = serials(3)
LEVELS: list[tuple[str, int, dict[str, Any], str]] = [
    ("raid5", 4, {"chunk": "64KiB"}, "ext4"),
    ("raid10", 4, {"layout": "f2"}, "xfs"),
    ("raid1", 2, {"metadata": "1.0", "partition": False}, "btrfs"),
]


def spec(level: str, disks: list[str], **options: Any) -> str:
    return spec_text(level, disks, backend="lvm-on-md", **options)


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "count", "options", "filesystem"), LEVELS)
def test_a_group_on_an_array_is_built_holds_data_and_is_taken_away(
    guest: Guest, level: str, count: int, options: dict[str, Any], filesystem: str
) -> None:
    disks = serials(count)
    text = spec(level, disks, filesystem=filesystem, **options)
    calculated = raidtui(guest, "calc", "-", "--json", stdin=text).report
    built = apply(guest, text, disks, "--wait-sync")
    assert built.code == 0, built.stderr
    found, below = unit(guest), array(guest)
    assert found is not None
    assert below is not None
    assert (found["backend"], found["level"], found["health"]) == ("lvm-on-md", level, "ok")
    assert found["below"] == [below["uuid"]]
    assert [one["path"] for one in found["members"]] == [below["node"]]
    assert found["size_bytes"] == calculated["array_bytes"]
    assert below["sync"] is None
    said = guest.run(["raidtui", "status"], check=True).stdout
    assert "in the volume group tank" in said
    assert "array tank" in said
    holds_data_and_is_taken_away(guest, disks)
    assert guest.shell("pvs --noheadings; ls -d /dev/tank || true").stdout == ""
    assert array(guest) is None


@pytest.mark.first(0)
def test_a_degraded_array_makes_its_group_degraded_and_the_array_is_removed_with_the_group(
    guest: Guest,
) -> None:
    built = apply(guest, spec("raid5", THREE), THREE, "--wait-sync")
    assert built.code == 0, built.stderr
    written = write_something(guest)
    guest.shell("mdadm /dev/md/tank --fail /dev/ubdb1; mdadm /dev/md/tank --remove /dev/ubdb1")
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["members"][0]["state"]) == ("degraded", "degraded")
    assert "1 of 3 members" in found["state"]
    for disk in inspect(guest)["disks"][:1]:
        assert {"raidtui teardown tank"} == {
            one["how_to_free"] for one in disk["taken_by"] if one["what"] == "array"
        }
    assert read_something(guest) == written
    # Its array's UUID means all of it, too.
    gone = teardown(guest, found["below"][0], THREE)
    assert gone.code == 0, gone.stderr
    assert signatures(guest, THREE) == []
    assert (unit(guest), array(guest)) == (None, None)


@pytest.mark.first(0)
def test_a_group_on_an_array_and_a_disk_is_removed_with_both_in_one_plan(guest: Guest) -> None:
    guest.shell(
        """mdadm -q --create /dev/md/one --run --metadata=1.2 --level=1 -n2 /dev/ubda /dev/ubdb; udevadm settle
        vgcreate -qq --addtag raidtui.seed vg /dev/md/one /dev/ubdc; lvcreate -qq -y -l 100%FREE -n lv vg; mkfs.ext4 -q /dev/vg/lv
        mkdir -p /srv/one; mount /dev/vg/lv /srv/one; echo data >/srv/one/file"""
    )
    disks = inspect(guest)["disks"][:3]
    assert {"raidtui teardown vg"} == {
        one["how_to_free"] for disk in disks for one in disk["taken_by"] if one["what"] in {"array", "lvm"}
    }
    assert teardown(guest, "vg", THREE[:2]).code == 3  # the third disk is erased too
    assert guest.shell("cat /srv/one/file").stdout == "data\n"
    gone = teardown(guest, "vg", THREE)
    assert gone.code == 0, gone.stderr
    assert signatures(guest, THREE) == []
    assert guest.shell("pvs --noheadings; ls -d /dev/md* || true").stdout == ""


@pytest.mark.first(0)
def test_the_script_builds_what_apply_would(guest: Guest) -> None:
    make_script(guest, spec("raid5", THREE))
    code, said = run_script(guest, "--erase", ",".join(THREE))
    assert code == 0, said
    built = unit(guest)
    assert built is not None
    assert (built["level"], built["path"], built["mountpoints"]) == ("raid5", "/dev/tank/data", ["/srv/tank"])
    # What raidtui plans to take away is what the script has made.
    assert teardown(guest, "tank", THREE).code == 0
    assert signatures(guest, THREE) == []
    assert (unit(guest), array(guest)) == (None, None)


@pytest.mark.first(0)
def test_a_build_survives_power_cuts_comes_back_and_a_cut_removal_is_finished(
    own_guest: Callable[[str], Guest],
) -> None:
    # md does not start a RAID5 by itself whose power fails during a write before its first sync is over.
    guest = own_guest("3x128MiB")
    guest.run(["sh", "-c", "cat >/var/lib/raidtui/spec.toml"], stdin=spec("raid1", THREE))
    begin = ["raidtui", "apply", "/var/lib/raidtui/spec.toml", "--erase", ",".join(THREE)]
    cut_power_at(guest, begin, "Create the RAID1 array")
    resume = ["raidtui", "resume", only_job(guest)["request"]["id"]]
    for words in ("Create 1 physical volume", "Create the linear volume", "Create the ext4"):
        cut_power_at(guest, resume, words)
    finished = raidtui(guest, *resume[1:], "--json", "--wait-sync")
    assert finished.code == 0, finished.stderr
    written = write_something(guest)
    guest.power_off()
    guest.power_on()
    assert read_something(guest) == written
    found = unit(guest)
    assert found is not None
    assert (found["path"], found["mountpoints"], found["health"]) == ("/dev/tank/data", ["/srv/tank"], "ok")

    apart = ["raidtui", "teardown", "tank", "--erase", ",".join(THREE)]
    cut_power_at(guest, apart, "Remove the volume group tank")
    job = raidtui(guest, "jobs", "--json").report["jobs"][0]["request"]["id"]
    cut_power_at(guest, ["raidtui", "resume", job], "Stop the array")
    finished = raidtui(guest, "resume", job, "--json")
    assert finished.code == 0, finished.stderr
    assert signatures(guest, THREE) == []
    assert json.dumps(inspect(guest)["units"]) == "[]"
