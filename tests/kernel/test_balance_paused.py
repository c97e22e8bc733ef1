"""A balance that somebody paused, or that a mount with skip_balance left so, is a finding, and its plan resumes it."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import advised, apply, read_something, serials, spec_text, write_something

TWO = serials(2)


@pytest.mark.first(0)
def test_a_paused_balance_is_a_finding_that_resumes_it(large_guest: Guest) -> None:
    guest = large_guest
    done = apply(guest, spec_text("raid1", TWO, backend="btrfs"), TWO)
    assert done.code == 0, done.stderr
    data = write_something(guest)
    guest.shell(
        "dd if=/dev/urandom of=/srv/tank/more bs=1M count=150 status=none; sync; "
        "btrfs balance start --bg --full-balance /srv/tank; btrfs balance pause /srv/tank; "
        "grep -q paused /sys/fs/btrfs/*-*/exclusive_operation"
    )
    finding, lines = advised(guest)
    assert "balance is paused" in finding.remedies[0].text
    resumed = guest.run(["sh", "-c", lines[0]], timeout=300)
    assert resumed.returncode == 0, resumed.stderr
    assert guest.shell("cat /sys/fs/btrfs/*-*/exclusive_operation").stdout.strip() == "none"
    assert read_something(guest) == data
    assert guest.run(["raidtui", "care"]).returncode == 0
