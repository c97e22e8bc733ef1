"""A whole system with systemd: what is built comes back at boot, and a job outlives its session."""

import signal
from pathlib import Path

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    array,
    only_job,
    raidtui,
    read_something,
    spec_text,
    teardown,
    unit,
    write_something,
)

MD = ["LAB-0001", "LAB-0002", "LAB-0005"]
VOLUMES = ["LAB-0006", "LAB-0007"]  # with sectors of 4096 bytes


def test_a_job_in_its_unit_outlives_the_session_that_started_it_and_all_comes_back_at_boot(vm: Guest) -> None:
    """One test, because each boot and each initramfs takes its time: a job, a reboot, and a teardown."""
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
    assert followed.code == 0, followed.said
    assert only_job(vm)["outcome"] == "done"

    built = apply(vm, spec_text("raid1", VOLUMES, name="vault", backend="lvm"), VOLUMES)
    assert built.code == 0, built.said
    written = {name: write_something(vm, f"/srv/{name}") for name in ("tank", "vault")}

    vm.power_off()
    vm.power_on()
    mounted = vm.shell("findmnt -no TARGET /srv/tank; findmnt -no TARGET /srv/vault").stdout.split()
    assert mounted == ["/srv/tank", "/srv/vault"]
    assert {name: read_something(vm, f"/srv/{name}") for name in written} == written
    # The initramfs assembled it: md started it before systemd was there.
    boot = vm.shell("dmesg").stdout
    assert "md/raid:" in boot.partition("systemd[1]:")[0], boot
    found = array(vm)
    assert found is not None
    assert (found["state"], found["degraded"]) in {("clean", 0), ("active", 0)}
    # By its own name: udev in the initramfs takes that from the ARRAY line there.
    assert vm.shell("readlink -f /dev/md/tank").stdout.strip() == found["node"]

    # tank stays for the clean-up: its removal makes the initramfs once more, five minutes where all is emulated.
    gone = teardown(vm, "vault", VOLUMES)
    assert gone.code == 0, gone.said
    assert unit(vm, "vault") is None
    assert "vault" not in vm.shell("cat /etc/fstab").stdout
