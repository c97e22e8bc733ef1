"""A replacement in a Btrfs that was interrupted is continued to its end, with the old disk or without it."""

from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import advised, apply, read_something, serials, spec_text, write_something

TWO = serials(2)
# The new disk is mounted read-only in the middle of its copy: the kernel keeps how far it came.
CUT = """
dd if=/dev/urandom of=/srv/tank/more bs=1M count=480 status=none; sync
btrfs replace start -f 1 /dev/ubdd /srv/tank; sleep 0.4; mount -o remount,ro /srv/tank
btrfs replace status -1 /srv/tank | grep -q suspended
"""
OLD_GONE = """
umount /srv/tank; wipefs -qa /dev/ubda1; dd if=/dev/zero of=/dev/ubda1 bs=1M seek=64 count=1 conv=notrunc status=none
btrfs device scan --forget; btrfs device scan >/dev/null; udevadm settle
"""


@pytest.mark.first(0)
@pytest.mark.parametrize("gone", [True, False])
def test_an_interrupted_replacement_is_continued_to_its_end(
    own_guest: Callable[[str], Guest], gone: bool
) -> None:
    guest = own_guest("4x1GiB")
    done = apply(guest, spec_text("raid1", TWO, backend="btrfs"), TWO)
    assert done.code == 0, done.stderr
    data = write_something(guest)
    guest.shell(CUT)
    if gone:
        guest.shell(OLD_GONE)
    finding, lines = advised(guest)
    assert "continues" in finding.remedies[0].text
    continued = guest.run(["sh", "-c", lines[0]], timeout=300)
    assert continued.returncode == 0, continued.stderr
    assert read_something(guest) == data
    shown = guest.shell("btrfs filesystem show /srv/tank; btrfs device stats --check /srv/tank").stdout
    assert "/dev/ubdd" in shown
    assert "missing" not in shown.lower()
    assert guest.run(["raidtui", "care"]).returncode == 0
