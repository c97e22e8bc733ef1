"""A spec sets alerts with its build: killed in between it resumes, a rollback removes them, a teardown the timer."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import apply, etc, killed, prepare_build, raidtui, serials, spec_text, teardown

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


@pytest.mark.first(0)
def test_etc_is_byte_for_byte_as_before_when_all_is_removed(guest: Guest) -> None:
    conf = "/etc/mdadm/mdadm.conf"
    guest.shell(
        f"printf '# mine \\t\\n\\nDEVICE partitions\\r\\nHOMEHOST <system>\\n\\n' >{conf}; rm -rf /etc/raidtui"
    )
    guest.shell("printf '\\n# mine\\ntmpfs\\t/mnt tmpfs noauto 0 0  \\n' >/etc/fstab; chmod 640 /etc/fstab")
    before = etc(guest)
    erase = serials(2)
    spec = spec_text("raid1", erase, fixes=["alerts"], alerts=["root"])
    assert apply(guest, spec, erase).code == 0
    during = etc(guest)
    assert {line.split()[0] for line in during - before} >= {FILE, TIMER}
    assert teardown(guest, "tank", erase).code == 0
    left = etc(guest) ^ before
    assert {word for line in left for word in line.split() if word.startswith("/etc")} <= {
        FILE,
        "/etc/raidtui",
    }, "where alerts go stays set"
    assert raidtui(guest, "alerts", "off").code == 0
    assert etc(guest) == before
