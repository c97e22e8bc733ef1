"""A whole system with systemd: what is built comes back at boot, and a job outlives its session."""

import signal
from pathlib import Path

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    array,
    only_job,
    raidtui,
    read_something,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)

MD = ["LAB-0001", "LAB-0002", "LAB-0005"]  # on SCSI and NVMe
OTHERS = {
    "vault": ("lvm", "raid1", ["LAB-0006", "LAB-0007"]),  # with sectors of 4096 bytes
    "films": ("btrfs", "raid1", ["LAB-0004", "LAB-0009"]),  # on SCSI and USB
    "depot": ("zfs", "stripe", ["LAB-0003"]),
}


@pytest.mark.first(1)
@pytest.mark.parametrize("others", [[], list(OTHERS)], ids=["md", "every backend"])
@pytest.mark.timeout(2400)
def test_a_job_in_its_unit_outlives_the_session_that_started_it_and_all_comes_back_at_boot(
    vm: Guest, others: list[str]
) -> None:
    """One test, because each boot and each initramfs takes its time: a job, a reboot, and teardowns."""
    places = ["/srv/tank", *(f"/srv/{name}" for name in others)]
    spec = spec_text("raid5", MD)
    session = vm.start(["raidtui", "apply", "-", "--erase", ",".join(MD), "--json"])
    session.write_all(spec.encode())
    vm.shell(f"until grep -qs started {JOBS}/*/journal.jsonl; do sleep 0.1; done", timeout=300)
    units = vm.shell("systemctl list-units --no-legend 'raidtui-*' | grep -v lab.service").stdout
    assert "running" in units
    session.kill(signal.SIGKILL)
    assert session.wait(60) == 128 + 9
    job = only_job(vm)
    followed = raidtui(vm, "attach", Path(job["folder"]).name, timeout=900)
    assert followed.code == 0, followed.stderr
    assert only_job(vm)["outcome"] == "done"

    for name in others:
        backend, level, disks = OTHERS[name]
        files = "ext4" if backend == "lvm" else "none"
        wanted = spec_text(level, disks, name=name, backend=backend, filesystem=files)
        built = apply(vm, wanted, disks, *(["--accept", "usb"] if "LAB-0009" in disks else []))
        assert built.code == 0, built.stderr
    written = [write_something(vm, place) for place in places]

    vm.power_off()
    vm.power_on()
    mounted = vm.shell(f"for place in {' '.join(places)}; do findmnt -no TARGET $place; done")
    assert mounted.stdout.split() == places
    assert [read_something(vm, place) for place in places] == written
    # The initramfs assembled it: md started it before systemd was there.
    boot = vm.shell("dmesg").stdout
    assert "md/raid:" in boot.partition("systemd[1]:")[0], boot
    found = array(vm)
    assert found is not None
    assert (found["state"], found["degraded"]) in {("clean", 0), ("active", 0)}
    # By its own name: udev in the initramfs takes that from the ARRAY line there.
    assert vm.shell("readlink -f /dev/md/tank").stdout.strip() == found["node"]
    if "depot" in others:
        see_pool(vm, "depot", OTHERS["depot"][2])

    # tank stays for the clean-up: its removal makes the initramfs once more, five minutes where all is emulated.
    for name in others:
        disks = OTHERS[name][2]
        gone = teardown(vm, name, disks)
        assert gone.code == 0, gone.stderr
        assert signatures(vm, disks) == []
    assert vm.shell("ls /srv").stdout.split() == ["tank"]
    left = vm.shell(
        "cat /etc/fstab; zpool list -H -o name; vgs --noheadings -o name; btrfs filesystem show"
    ).stdout
    assert not any(name in left for name in others)


def see_pool(vm: Guest, name: str, disks: list[str]) -> None:
    """See that a pool is what was built, and that it is left alone while it is exported."""
    found = unit(vm, name)
    assert found is not None
    assert (found["backend"], found["level"], found["health"]) == ("zfs", "stripe", "ok")
    assert {member["disk"] for member in found["members"]} == set(disks)
    real = vm.shell(f"zfs list -Hp -o used,available {name}", check=True).stdout.split()
    assert sum(map(int, real)) == found["size_bytes"]

    vm.shell(f"zpool export {name}", check=True)
    units = raidtui(vm, "status", "--json").report["units"]
    (away,) = (one for one in units if one["name"] == name)
    assert away["health"] == "inactive"
    assert "exported by" in away["state"]
    assert teardown(vm, name, disks).code == 3
    vm.shell(f"zpool import {name}", check=True)
