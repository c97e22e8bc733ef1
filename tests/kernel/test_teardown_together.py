"""Units that share disks, or are built on each other, are removed in one plan; what is not theirs stays as it was."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import inspect, killed, prepare, raidtui, serials, signatures

FOUR = serials(4)
THREE_ON_TWO = """
    for disk in /dev/ubda /dev/ubdb; do
        printf 'label: gpt\\n,40M,R\\n,40M,R\\n,40M,R\\n' | sfdisk -q $disk
    done
    udevadm settle
    for n in 1 2 3; do
        mdadm --quiet --create /dev/md/part$n --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 \\
            --name=part$n --homehost=lab /dev/ubda$n /dev/ubdb$n
        mkfs.ext4 -q /dev/md/part$n; mkdir -p /srv/part$n; mount /dev/md/part$n /srv/part$n
        echo "/dev/md/part$n /srv/part$n ext4 defaults,nofail 0 2" >>/etc/fstab
        mdadm --detail --brief /dev/md/part$n >>/etc/mdadm/mdadm.conf
    done
    udevadm settle
"""
STRIPE_OVER_MIRRORS = """
    for n in 1 2; do
        [ $n = 1 ] && on='/dev/ubda /dev/ubdb' || on='/dev/ubdc /dev/ubdd'
        mdadm --quiet --create /dev/md/mirror$n --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 \\
            --name=mirror$n --homehost=lab $on
    done
    mdadm --quiet --create /dev/md/top --run --level=0 --raid-devices=2 --metadata=1.2 --name=top --homehost=lab \\
        /dev/md/mirror1 /dev/md/mirror2
    udevadm settle; mkfs.ext4 -q /dev/md/top; mkdir -p /srv/top; mount /dev/md/top /srv/top
    echo '/dev/md/top /srv/top ext4 defaults,nofail 0 2' >/etc/fstab
    udevadm settle
"""
BYSTANDER = "sha256sum </dev/ubde"


def names(guest: Guest) -> set[str]:
    return {str(one["name"]) for one in inspect(guest)["arrays"]}


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("made", "words", "disks", "arrays"),
    [
        (THREE_ON_TWO, ("part1", "part2", "part3"), FOUR[:2], {"part1", "part2", "part3"}),
        (THREE_ON_TWO, ("--disk", FOUR[0]), FOUR[:2], {"part1", "part2", "part3"}),
        (STRIPE_OVER_MIRRORS, ("mirror2",), FOUR, {"top", "mirror1", "mirror2"}),
    ],
    ids=["three arrays on two disks", "by disk", "a stripe over mirrors"],
)
def test_they_go_in_one_plan_and_can_be_rolled_back_before_it_erases(
    guest: Guest, made: str, words: tuple[str, ...], disks: list[str], arrays: set[str]
) -> None:
    guest.shell(made)
    guest.shell("head -c 1M /dev/urandom >/dev/ubde")
    bystander = guest.shell(BYSTANDER).stdout
    state = "cat /etc/fstab /etc/mdadm/mdadm.conf; findmnt -rno TARGET,FSTYPE | grep /srv | sort"
    before = guest.shell(state).stdout
    assert names(guest) == arrays
    refused = raidtui(guest, "teardown", *words, "--erase", disks[0])
    assert refused.code == 3
    assert disks[1] in refused.stderr

    job = prepare(guest, "teardown", *words, "--erase", ",".join(disks))
    assert killed(guest, "step-done", "fstab", "job", "run", job["folder"])
    assert guest.shell(state).stdout != before
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert guest.shell(state).stdout == before

    done = raidtui(guest, "teardown", *words, "--erase", ",".join(disks), "--json")
    assert done.code == 0, done.stderr
    guest.shell("udevadm trigger --subsystem-match=block --action=add; udevadm settle")
    assert signatures(guest, FOUR) == []
    assert names(guest) == set()
    left = guest.shell(state).stdout
    assert "/srv" not in left
    assert "ARRAY" not in left
    assert guest.shell(BYSTANDER).stdout == bystander


def test_one_of_three_goes_alone_and_leaves_the_table(guest: Guest) -> None:
    guest.shell(THREE_ON_TWO)
    guest.shell("umount /srv/part1 /srv/part3; echo 3 >/proc/sys/vm/drop_caches")
    kept = guest.shell("sha256sum </dev/md/part1; sha256sum </dev/md/part3").stdout
    done = raidtui(guest, "teardown", "part2", "--erase", ",".join(FOUR[:2]), "--json")
    assert done.code == 0, done.stderr
    assert names(guest) == {"part1", "part3"}
    assert guest.shell("sha256sum </dev/md/part1; sha256sum </dev/md/part3").stdout == kept


def test_what_crypttab_would_open_on_an_array_is_not_asked_for_at_the_next_boot(guest: Guest) -> None:
    guest.shell(
        r"""
        mdadm --quiet --create /dev/md/vault --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 \
            --name=vault --homehost=lab /dev/ubdc /dev/ubdd
        udevadm settle
        printf 'secret /dev/md/vault none luks\nother UUID=1234 none luks\n' >/etc/crypttab
        echo '/dev/mapper/secret /srv/secret ext4 nofail 0 2' >/etc/fstab
        """
    )
    try:
        done = raidtui(guest, "teardown", "--disk", FOUR[2], "--erase", ",".join(FOUR[2:]), "--json")
        assert done.code == 0, done.stderr
        assert guest.shell("cat /etc/crypttab /etc/fstab").stdout == "other UUID=1234 none luks\n"
        assert signatures(guest, FOUR) == []
    finally:
        guest.shell("rm -f /etc/crypttab")
