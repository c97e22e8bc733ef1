"""`raidtui plan --script`: the script does on this machine what apply does, and nothing on any other."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    array,
    checksums,
    nodes,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)

FOUR = serials(4)
SCRIPT = "/root/tank.sh"
# What has to be so before the script's first step fails to be so.
NOT_HERE = {
    "another serial": "sed -i 's/LAB-0003/LAB-0333/g' /root/tank.sh",
    "another size": "sed -i 's/167772160/167772161/' /root/tank.sh",
    "another computer": "hostname other",
    "new contents": "mkfs.ext4 -q -F /dev/ubdb",
    "a new partition": "echo 'start=2048' | sfdisk -q /dev/ubdb",
    "a disk in use": "mkswap -q /dev/ubdb && swapon /dev/ubdb",
    "a process has a disk open": "sleep 1000 3<>/dev/ubdb >/dev/null 2>&1 &",
}


def make_script(guest: Guest, text: str) -> None:
    """Save the script of a spec in the guest."""
    done = guest.run(["raidtui", "plan", "-", "--script"], stdin=text)
    assert done.returncode == 0, done.stderr
    guest.run(["sh", "-c", f"cat >{SCRIPT}"], stdin=done.stdout)


def run_script(guest: Guest, *words: str, shell: str = "sh") -> tuple[int, str]:
    """Its exit code and what it says."""
    done = guest.run([shell, SCRIPT, *words], timeout=300)
    return done.returncode, done.stderr


@pytest.mark.first(1)
@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_the_script_builds_the_array_that_apply_would(guest: Guest, shell: str) -> None:
    make_script(guest, spec_text("raid5", FOUR[:3], spares=FOUR[3:]))
    code, said = run_script(guest, "--erase", ",".join(FOUR), shell=shell)
    assert code == 0, said
    built = array(guest)
    assert built is not None
    assert (built["level"], built["raid_disks"], built["metadata"], built["consistency"]) == (
        "raid5",
        3,
        "1.2",
        "bitmap",
    )
    assert [m["disk"] for m in built["members"] if "spare" not in m["state"] or m["slot"] is not None][
        :2
    ] == FOUR[:2]
    assert built["mountpoints"] == ["/srv/tank"]
    sum_before = write_something(guest)
    assert read_something(guest) == sum_before
    assert "nofail" in guest.shell("grep /srv/tank /etc/fstab").stdout
    assert "UUID=" in guest.shell("grep /dev/md/tank /etc/mdadm/mdadm.conf").stdout
    # What raidtui plans to take away is what the script has made.
    assert teardown(guest, "tank", FOUR).code == 0
    assert signatures(guest, FOUR) == []


@pytest.mark.first(0)
def test_the_script_builds_the_volume_group_that_apply_would(guest: Guest) -> None:
    make_script(guest, spec_text("raid5", FOUR[:3], backend="lvm"))
    code, said = run_script(guest, "--erase", ",".join(FOUR[:3]))
    assert code == 0, said
    assert "leaked" not in said
    built = unit(guest)
    assert built is not None
    assert (built["level"], built["path"], built["mountpoints"]) == ("raid5", "/dev/tank/data", ["/srv/tank"])
    removal = guest.run(["raidtui", "teardown", "tank", "--script"])
    assert removal.returncode == 0, removal.stderr
    guest.run(["sh", "-c", f"cat >{SCRIPT}"], stdin=removal.stdout)
    code, said = run_script(guest, "--erase", ",".join(FOUR[:3]))
    assert code == 0, said
    assert signatures(guest, FOUR) == []
    assert unit(guest) is None


@pytest.mark.first(0)
def test_the_script_saves_what_it_overwrites_and_that_can_be_put_back(guest: Guest) -> None:
    first, second = nodes(guest, FOUR[:2])
    guest.shell(
        f"printf 'label: gpt\\nsize=40MiB\\nsize=60MiB\\n' | sfdisk -q {first}; udevadm settle; "
        f"mkfs.ext4 -q -L old {first}1; mkfs.xfs -q -f {second} 2>/dev/null || mkfs.ext4 -q -F {second}; sync; "
        "udevadm settle"
    )
    before = checksums(guest, FOUR[:2])
    make_script(guest, spec_text("raid1", FOUR[:2], filesystem="none"))
    # Only as far as the partitions: what comes after cannot be undone.
    guest.shell(f"sed -i '/^step=create$/i exit 0' {SCRIPT}")
    code, said = run_script(guest, "--erase", "0001,0002")
    assert code == 0, said
    assert checksums(guest, FOUR[:2]) != before
    guest.shell("sh /var/lib/raidtui/script-tank-*/restore.sh; sync")
    assert checksums(guest, FOUR[:2]) == before


@pytest.mark.first(1)
@pytest.mark.parametrize("change", NOT_HERE.values(), ids=NOT_HERE.keys())
def test_on_anything_but_its_own_machine_it_changes_nothing(guest: Guest, change: str) -> None:
    make_script(guest, spec_text("raid5", FOUR))
    try:
        guest.shell(change)
        before = checksums(guest, FOUR)
        code, said = run_script(guest, "--erase", ",".join(FOUR).replace("LAB-0003", "0003"))
        assert code == 3, said
        assert "Nothing was changed." in said
        assert checksums(guest, FOUR) == before
        assert array(guest) is None
        assert guest.shell("ls /srv /var/lib/raidtui").stdout.split() == ["/srv:", "/var/lib/raidtui:"]
    finally:
        guest.shell("hostname lab; swapoff -a")


def test_every_disk_must_be_named(guest: Guest) -> None:
    make_script(guest, spec_text("raid5", FOUR))
    all_but_one = ",".join(FOUR[:3])
    codes = {
        words: run_script(guest, *words)[0]
        for words in (
            (),
            ("--erase",),
            ("--erase", ""),
            ("--force",),
            ("--erase", all_but_one),
            ("--erase", f"{all_but_one},LAB-0004,LAB-0005"),
            ("--erase", f"{all_but_one},LAB-0003"),
            ("--erase", f"{all_but_one},004"),
        )
    }
    assert list(codes.values()) == [2, 2, 2, 2, 3, 3, 3, 3], codes
    assert signatures(guest, FOUR) == []


def test_without_root_it_does_nothing(guest: Guest) -> None:
    make_script(guest, spec_text("raid1", FOUR[:2]))
    guest.shell(f"cp {SCRIPT} /tmp/tank.sh; chmod 644 /tmp/tank.sh")
    done = guest.shell(
        "setpriv --reuid=65534 --clear-groups sh /tmp/tank.sh --erase LAB-0001,LAB-0002", check=False
    )
    assert done.returncode == 3
    assert "only root can change disks" in done.stderr


def test_a_failing_step_stops_the_script_and_is_named(guest: Guest) -> None:
    make_script(guest, spec_text("raid1", FOUR[:2]))
    guest.shell(f"sed -i 's/^mkfs\\.ext4 .*/false/' {SCRIPT}")
    code, said = run_script(guest, "--erase", "LAB-0001,LAB-0002")
    assert code == 4
    assert "step mkfs failed" in said
    assert guest.shell("cat /etc/fstab").stdout == ""


def test_a_recorded_machine_gives_the_same_script(guest: Guest) -> None:
    text = spec_text("raid5", FOUR)
    guest.shell("raidtui inspect --json >/tmp/machine.json")
    seed = "00000000-0000-4000-8000-000000000001"
    here = raidtui(guest, "plan", "-", "--json", "--seed", seed, stdin=text).report
    there = raidtui(
        guest, "--machine", "/tmp/machine.json", "plan", "-", "--json", "--seed", seed, stdin=text
    ).report
    assert here["steps"] == there["steps"]
    assert here["disks"] == there["disks"]


@pytest.mark.first(1)
@pytest.mark.parametrize("order", ["replace LAB-0002 LAB-0004", "grow tank --add LAB-0004"])
def test_the_script_of_a_procedure_does_what_the_command_would(guest: Guest, order: str) -> None:
    apply(guest, spec_text("raid5", FOUR[:3]), FOUR[:3], "--wait-sync")
    sum_before = write_something(guest)
    done = guest.run(["raidtui", *order.split(), "--script"])
    assert done.returncode == 0, done.stderr
    guest.run(["sh", "-c", f"cat >{SCRIPT}"], stdin=done.stdout)
    code, said = run_script(guest)
    assert (code, "usage" in said) == (2, True), said
    code, said = run_script(guest, "--erase", "LAB-0004")
    assert code == 0, said
    built = array(guest)
    assert built is not None
    kept = [one for one in FOUR if one not in order.split()[1]]
    assert sorted(one["disk"] for one in built["members"]) == kept
    assert {tuple(one["state"]) for one in built["members"]} == {("in_sync",)}
    assert read_something(guest) == sum_before
    # A second run changes nothing: the new disk is no longer as it was.
    code, said = run_script(guest, "--erase", "LAB-0004")
    assert (code, "refused: " in said) == (3, True), said
