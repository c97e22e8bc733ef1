"""The timer of alerts under a real systemd: installed by the plan, runs, and is gone afterwards."""

import re
import time
from typing import Final

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import nodes, serials
from tests.kernel.test_alerts import ENDS, EVENTS, LVM, WAYS, Received, receiving

SET = "raidtui alerts set --mail admin@example.org --smtp 127.0.0.1:2525 --security none"

IDLE: Final = (
    "until [ ! -e /run/raidtui-watch.due ] && "
    '[ "$(systemctl is-active raidtui-watch.service)" != activating ]; do sleep 0.5; done'
)
LOOKS: Final = "journalctl -b -u raidtui-watch.service --grep Starting --quiet | wc -l"


@pytest.mark.first(0)
@pytest.mark.timeout(1800)
def test_the_timer_is_installed_by_the_plan_runs_and_is_gone_after_off(vm: Guest) -> None:
    before = vm.shell("cat /etc/mdadm/mdadm.conf").stdout
    vm.shell(SET, timeout=300)
    shown = vm.shell(
        "systemctl is-active raidtui-watch.timer raidtui-watch.path; "
        "systemctl is-enabled raidtui-watch.timer raidtui-watch.path"
    ).stdout
    assert shown.split() == ["active", "active", "enabled", "enabled"]
    # It looks at once: more than a minute has passed since the boot, or soon will have.
    vm.shell("until [ -s /var/lib/raidtui/alerts.json ]; do sleep 1; done", timeout=300)
    assert vm.shell("cat /etc/udev/rules.d/66-raidtui-watch.rules").stdout.count("raidtui-watch.due") == 1
    assert vm.shell("stat -c %a /etc/raidtui/alerts.toml").stdout.strip() == "600"
    assert (
        "PROGRAM /etc/raidtui/mdadm-event # by raidtui alerts" in vm.shell("cat /etc/mdadm/mdadm.conf").stdout
    )
    # Two events while it looks: one more look when it ends, and none after that.
    vm.shell(f"systemctl stop raidtui-watch.timer; {IDLE}", timeout=300)
    before_them = int(vm.shell(LOOKS).stdout)
    vm.shell(
        "systemctl start --no-block raidtui-watch.service; sleep 1; "
        "for disk in md0 md1; do /etc/raidtui/mdadm-event Fail /dev/$disk; done; "
        f"sleep 1; {IDLE}; sleep 2; {IDLE}",
        timeout=300,
    )
    assert int(vm.shell(LOOKS).stdout) == before_them + 2
    vm.shell("raidtui alerts off", timeout=300)
    files = "/etc/raidtui /etc/udev/rules.d/66-raidtui-watch.rules /etc/systemd/system/raidtui-watch.*"
    left = vm.shell(f"ls {files} 2>&1 || :").stdout
    assert left.count("No such file") >= 3
    assert vm.shell("systemctl is-active raidtui-watch.timer || :").stdout.strip() == "inactive"
    assert vm.shell("cat /etc/mdadm/mdadm.conf").stdout == before


LONGEST_SECONDS: Final = 400  # longer than the timer's five minutes
SOON: Final = """
mkdir -p /etc/systemd/system/raidtui-watch.timer.d
printf '[Timer]\\nOnUnitActiveSec=\\nOnUnitActiveSec=20s\\n' >/etc/systemd/system/raidtui-watch.timer.d/soon.conf
systemctl daemon-reload; systemctl restart raidtui-watch.timer
"""
# Nothing was sent before: of more than four messages in an hour, those without danger wait.
AFRESH: Final = (
    "systemctl stop raidtui-watch.timer raidtui-watch.service; rm -f /var/lib/raidtui/alerts.json; "
    "systemctl start raidtui-watch.service raidtui-watch.timer"
)
# What differs from the lab, where there is no systemd.
UNDER_SYSTEMD: Final = {
    "monitor-died": (
        EVENTS["failed"][0],
        "until systemctl -q is-active mdmonitor; do sleep 1; done; systemctl kill -s KILL mdmonitor",
        "mdadm's monitor is failed",
    )
}
ENDS_UNDER_SYSTEMD: Final = {"monitor-died": "systemctl reset-failed mdmonitor; systemctl start mdmonitor"}


def of(vm: Guest, script: str) -> str:
    """A script of the lab, with this guest's names of the disks."""
    for letter, node in zip("abcd", nodes(vm, serials(4)), strict=True):
        script = script.replace(f"/dev/ubd{letter}", node)
    return script


def arrives(received: Received, said: str) -> float:
    """Wait until it has come on each way; how long that took."""
    begin, texts = time.monotonic(), dict.fromkeys(WAYS, "")
    while any(said not in one for one in texts.values()):
        assert time.monotonic() - begin < LONGEST_SECONDS, (said, texts)
        time.sleep(0.5)
        for way in WAYS:
            texts[way] += re.sub("=\n", "", "\n".join(received.new(way)))
    return time.monotonic() - begin


@pytest.mark.first(0)
@pytest.mark.timeout(6000)
def test_each_kind_of_event_arrives_on_three_ways_by_the_timer_and_mdadms_monitor(vm: Guest) -> None:
    with receiving(vm) as received:
        vm.shell(SOON)
        for event, in_lab in EVENTS.items():
            before, happens, said = UNDER_SYSTEMD.get(event, in_lab)
            vm.shell(of(vm, before), timeout=300)
            vm.shell(AFRESH, timeout=300)
            for way in WAYS:
                received.new(way)
            vm.shell(of(vm, happens), timeout=900)
            print(f"{event}: {arrives(received, said):.0f} s", flush=True)
            if end := ENDS_UNDER_SYSTEMD.get(event, ENDS.get(event, "")):
                vm.shell(of(vm, end), timeout=300)
                print(f"{event}, its end: {arrives(received, 'Ended: '):.0f} s", flush=True)
            vm.shell("umount /srv/data /var/lib/raidtui || :; vgremove -qfy vg || :", check=False)
            blank(vm)
        vm.shell("rm -r /etc/systemd/system/raidtui-watch.timer.d; systemctl daemon-reload")


def blank(vm: Guest) -> None:
    """Leave nothing of an event on the disks."""
    disks = " ".join(nodes(vm, serials(4)))
    vm.shell(
        "sed -i '\\#/srv/data#d' /etc/fstab; mdadm --stop --scan --quiet; udevadm settle; mdadm --stop --scan --quiet\n"
        f"for disk in {disks}; do wipefs -qaf $disk; blkdiscard -f $disk; done; udevadm settle; rm -rf /var/lib/raidtui/jobs",
        check=False,
        timeout=300,
    )


@pytest.mark.first(0)
def test_a_disk_that_is_pulled_is_told_without_the_timer(vm: Guest) -> None:
    """LVM tells nobody: udev starts the look."""
    with receiving(vm) as received:
        vm.shell("systemctl stop raidtui-watch.timer")
        vm.shell(of(vm, LVM), timeout=300)
        vm.shell("systemctl start raidtui-watch.service", timeout=300)
        for way in WAYS:
            received.new(way)
        vm.pull("LAB-0002")
        print(f"pulled: {arrives(received, 'ONE MORE FAILURE LOSES vg'):.0f} s", flush=True)
        vm.shell("vgremove -qfy --force vg || :", check=False)
