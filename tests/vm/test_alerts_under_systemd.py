"""The timer of alerts under a real systemd: installed by the plan, runs, and is gone afterwards."""

import pytest

from raidtui.lab.guest import Guest

SET = "raidtui alerts set --mail admin@example.org --smtp 127.0.0.1:2525 --security none"


@pytest.mark.first(0)
@pytest.mark.timeout(1800)
def test_the_timer_is_installed_by_the_plan_runs_and_is_gone_after_off(vm: Guest) -> None:
    before = vm.shell("cat /etc/mdadm/mdadm.conf").stdout
    vm.shell(SET, timeout=300)
    shown = vm.shell(
        "systemctl is-active raidtui-watch.timer; systemctl is-enabled raidtui-watch.timer"
    ).stdout
    assert shown.split() == ["active", "enabled"]
    # It looks at once: more than a minute has passed since the boot, or soon will have.
    vm.shell("until [ -s /var/lib/raidtui/alerts.json ]; do sleep 1; done", timeout=300)
    assert vm.shell("stat -c %a /etc/raidtui/alerts.toml").stdout.strip() == "600"
    assert (
        "PROGRAM /etc/raidtui/mdadm-event # by raidtui alerts" in vm.shell("cat /etc/mdadm/mdadm.conf").stdout
    )
    vm.shell("/etc/raidtui/mdadm-event TestMessage /dev/md0")
    vm.shell("raidtui alerts off", timeout=300)
    left = vm.shell("ls /etc/raidtui /etc/systemd/system/raidtui-watch.* 2>&1 || :").stdout
    assert left.count("No such file") >= 2
    assert vm.shell("systemctl is-active raidtui-watch.timer || :").stdout.strip() == "inactive"
    assert vm.shell("cat /etc/mdadm/mdadm.conf").stdout == before
