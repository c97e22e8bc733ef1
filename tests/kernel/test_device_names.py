"""Disks whose only lasting name has a colon, as most USB disks do: LVM would take it for a range of extents."""

from collections.abc import Iterator

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import apply, serials, spec_text, teardown, unit

TWO = serials(2)
RULES = "/run/udev/rules.d/59-raidtui-lab.rules"
AGAIN = "udevadm control --reload; udevadm trigger --settle --subsystem-match=block"


@pytest.fixture
def usb_names(guest: Guest) -> Iterator[Guest]:
    """The lab's disks with one by-id name each, ending in the LUN as udev's names of USB disks do."""
    guest.shell(
        rf"cp {RULES} /root/rules; sed -i -e 's|by-id/ubd-\(RAIDTUI_LAB_LAB-[0-9]*\)|by-id/usb-\1-0:0|' "
        rf"-e '/by-id.wwn/d; s/, ENV{{ID_WWN[A-Z_]*}}=\"[^\"]*\"//g' {RULES}; {AGAIN}"
    )
    names = guest.shell("ls /dev/disk/by-id").stdout.split()
    assert names
    assert all(name.startswith("usb-") and name.endswith("-0:0") for name in names), names
    yield guest
    guest.shell(f"cp /root/rules {RULES}; {AGAIN}")


@pytest.mark.first(1)
@pytest.mark.parametrize("way", ["apply", "script"])
def test_a_volume_group_is_built_on_disks_with_a_colon_in_their_names(usb_names: Guest, way: str) -> None:
    guest, text = usb_names, spec_text("raid1", TWO, backend="lvm", filesystem="none")
    if way == "apply":
        done = apply(guest, text, TWO)
        assert done.code == 0, done.stderr
    else:
        script = guest.run(["raidtui", "plan", "-", "--script"], stdin=text).stdout
        guest.run(["sh", "-c", "cat >/root/tank.sh"], stdin=script)
        ran = guest.run(["sh", "/root/tank.sh", "--erase", ",".join(TWO)], timeout=300)
        assert ran.returncode == 0, ran.stderr
    built = unit(guest)
    assert built is not None
    assert (built["level"], built["raid_disks"]) == ("raid1", 2)
    assert teardown(guest, "tank", TWO).code == 0
