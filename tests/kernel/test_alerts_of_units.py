"""A spec sets alerts with its build: killed in between it resumes, a rollback removes them, a teardown the timer."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import apply, killed, prepare_build, raidtui, serials, spec_text, teardown

FILES = "ls /etc/raidtui/alerts.toml /etc/cron.d/raidtui-watch 2>/dev/null || :"
FILE, TIMER = "/etc/raidtui/alerts.toml", "/etc/cron.d/raidtui-watch"


def there(guest: Guest) -> set[str]:
    return set(guest.shell(FILES).stdout.split())


@pytest.mark.first(0)
def test_alerts_come_with_a_build_and_go_with_its_rollback_and_the_timer_with_the_last_unit(
    guest: Guest,
) -> None:
    erase = serials(2)
    spec = spec_text("raid1", erase, fixes=["alerts"], alerts=["root"])
    begun = prepare_build(guest, spec, erase)
    job = str(begun["request"]["id"])
    run = ("job", "run", str(begun["folder"]))
    assert killed(guest, "step-done", "alerts-file", *run)
    assert there(guest) == {FILE}
    assert killed(guest, "step-done", "alerts-timer", *run), "it resumes"
    assert there(guest) == {FILE, TIMER}
    assert guest.shell(f"stat -c %a {FILE}").stdout.strip() == "600"
    assert raidtui(guest, "rollback", job).code == 0
    assert there(guest) == set()

    assert apply(guest, spec, erase).code == 0
    assert there(guest) == {FILE, TIMER}
    assert teardown(guest, "tank", erase).code == 0
    assert there(guest) == {FILE}
    guest.shell(f"rm {FILE}")
