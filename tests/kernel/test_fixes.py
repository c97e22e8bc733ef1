"""Fixes on a real system: what a plan sets right besides is there afterwards, and its hazard is not."""

import json

from raidtui.lab.guest import Guest
from tests.kernel.driving import apply, raidtui, serials, spec_text

DISKS = serials(2)
SPEC = spec_text("raid1", DISKS, filesystem="none", fixes=["mail"], persistent=False)


def hazards(guest: Guest) -> dict[str, str]:
    """The hazards of the plan, each with its severity."""
    found = raidtui(guest, "plan", "-", "--json", stdin=SPEC)
    assert found.code == 0, found.stderr
    return {one["id"]: one["severity"] for one in found.report["hazards"]}


def test_mdadm_writes_to_root_after_a_build_that_was_asked_for_it(guest: Guest) -> None:
    guest.shell("sed -i /MAILADDR/d /etc/mdadm/mdadm.conf")
    assert hazards(guest)["no-mail-address"] == "INFO", "the plan itself fixes it"
    built = apply(guest, SPEC, DISKS)
    assert built.code == 0, built.stderr
    assert guest.shell("grep -x 'MAILADDR root' /etc/mdadm/mdadm.conf").returncode == 0
    taken_away = guest.run(["raidtui", "teardown", "tank", "--erase", ",".join(DISKS), "--json"], timeout=300)
    assert json.loads(taken_away.stdout)["outcome"] == "done"
    assert "no-mail-address" not in hazards(guest), "it stays when the array is removed"
