"""Under systemd: a unit gets one schedule, the distribution's own or ours, and what ours starts is a check."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import raidtui

MAKE = r"""
node() { lsblk -dnro NAME,SERIAL | sed -n "s| $1\$||p" | sed 's|^|/dev/|'; }
vgcreate -q -y vault "$(node LAB-0006)" "$(node LAB-0007)"
lvcreate -q -y --type raid1 -m1 -L 64M -n vault vault
until [ "$(lvs --noheadings -o copy_percent vault | tr -d ' ')" = 100.00 ]; do sleep 1; done
mdadm -q --create /dev/md/tank --run --level=1 --raid-devices=2 --bitmap=internal --metadata=1.2 \
    "$(node LAB-0001)" "$(node LAB-0002)"
mdadm -q --wait /dev/md/tank || :
udevadm settle
"""


def scrubs(vm: Guest, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(vm.run(["raidtui", "scrub", "--json"], check=True).stdout)[
        "units"
    ]
    (unit,) = (one for one in found if one["name"] == name)
    return unit


def schedule(vm: Guest, name: str, how: str) -> tuple[int, str]:
    done = raidtui(vm, "scrub", name, "--schedule", how, timeout=600)
    return done.code, done.stderr


@pytest.mark.first(0)  # eight minutes where all is emulated: in "long" only
def test_a_unit_has_one_schedule_and_never_two(vm: Guest) -> None:
    vm.shell(MAKE, timeout=600)
    assert scrubs(vm, "vault")["schedules"] == []
    code, text = schedule(vm, "vault", "monthly")
    assert code == 0, text
    (own,) = scrubs(vm, "vault")["schedules"]
    assert own["by"] == f"raidtui-scrub@{scrubs(vm, 'vault')['uuid']}.timer"
    assert own["when"]
    assert vm.shell(f"systemctl is-active '{own['by']}'").stdout == "active\n"
    assert schedule(vm, "vault", "monthly")[0] == 3, "never two"

    # What the timer starts is a check, and the service ends well.
    service = own["by"].replace(".timer", ".service")
    vm.shell(f"systemctl start '{service}'", check=True, timeout=300)
    assert vm.shell(f"systemctl show -p Result --value '{service}'").stdout == "success\n"
    orders = vm.shell("cat /var/lib/raidtui/orders.jsonl").stdout
    assert '"lvchange","--syncaction","check"' in orders
    assert "repair" not in orders

    code, text = schedule(vm, "vault", "off")
    assert code == 0, text
    assert scrubs(vm, "vault")["schedules"] == []
    assert vm.shell("ls /etc/systemd/system | grep raidtui-scrub || :").stdout == ""

    # md has a schedule of the distribution, or gets it.
    before = scrubs(vm, "tank")["schedules"]
    assert len(before) <= 1, before
    code, text = schedule(vm, "tank", "monthly")
    assert code == (3 if before else 0), text
    (one,) = scrubs(vm, "tank")["schedules"]
    assert not one["by"].startswith("raidtui-scrub")
