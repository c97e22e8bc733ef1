"""Disks of another system on a real kernel: looked at, their files read, put away; not one sector of them is written."""

import json
from typing import Final

import pytest

from raidtui.lab.guest import Guest, Setup
from tests.kernel.driving import raidtui

SETTLED: Final = "udevadm settle; mdadm -q --stop --scan; udevadm settle; mdadm -q --stop --scan; sync\n"
FORMAT: Final = {"ext4": "mkfs.ext4 -qF", "xfs": "mkfs.xfs -qf", "btrfs": "mkfs.btrfs -qf"}
FILLED: Final = """
mount {device} /mnt; dd if=/dev/urandom of=/mnt/photo bs=1M count=8 status=none; sha256sum </mnt/photo; umount /mnt
"""
WRITTEN: Final = "for disk in a b c d; do awk '{print $5, $7, $12}' /sys/block/ubd$disk/stat; done"
SUMS: Final = "sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum /dev/ubd[abcd]"
GONE: Final = "blkdiscard -f /dev/ubdd; udevadm settle\n"
# The first 2.4 GiB are DSM's own, the next 2 its swap.
TABLE: Final = r"""
for disk in a b c d; do
    printf 'label: gpt\nfirst-lba: 34\n1: start=256, size=4980480, type=R\n2: start=4980736, size=4194304, type=R\n5: start=9453280, size=400000, type=R\n' |
        sfdisk -q --wipe always /dev/ubd$disk
done
udevadm settle
mdadm -q --create /dev/md0 --run --assume-clean --metadata=0.90 --level=1 --raid-devices=8 /dev/ubd[abcd]1 missing missing missing missing
"""


def offered(guest: Guest, name: str) -> list[str]:
    """The procedures that the set's finding offers."""
    findings = json.loads(guest.run(["raidtui", "care", "--json"], check=True).stdout)["findings"]
    (own,) = [one for one in findings if one["name"] == name]
    return [one["procedure"]["type"] for one in own["remedies"] if one.get("procedure")]


def looked_at(guest: Guest, name: str, photo: str, *, sums: str = SUMS) -> None:
    """Look at a set layer by layer, compare its file, put it away: without a write, and no byte of a disk differs."""
    before, written = guest.shell(sums).stdout, guest.shell(WRITTEN).stdout
    layers = 0
    # udev may activate a volume group when its array appears: there is one layer less then.
    while "view" in offered(guest, name) and (layers := layers + 1) <= 3:
        done = raidtui(guest, "care", name, "--do", "view")
        assert done.code == 0, done.stderr
    assert layers >= 2
    found = guest.shell(f"sha256sum </mnt/{name}/photo; touch /mnt/{name}/x 2>&1 || :").stdout
    assert found.startswith(photo), found
    assert "Read-only file system" in found
    assert offered(guest, name) == ["put-away"]
    done = raidtui(guest, "care", name, "--do", "put-away")
    assert done.code == 0, done.stderr
    left = guest.shell(
        f"grep -c 'md_' /proc/mdstat || :; dmsetup ls | grep -c {name} || :; ls -d /mnt/{name} 2>/dev/null || :"
    )
    assert left.stdout.split() == ["0", "0"]
    assert guest.shell(WRITTEN).stdout == written
    assert guest.shell(sums).stdout == before


@pytest.mark.parametrize(
    ("level", "metadata", "bitmap", "filesystem", "lost"),
    [
        pytest.param("5", "1.2", "internal", "ext4", True),
        pytest.param("6", "1.0", "none", "xfs", True, marks=pytest.mark.first(0)),
        pytest.param("10", "1.2", "internal", "btrfs", False, marks=pytest.mark.first(0)),
        pytest.param("1", "1.1", "internal", "btrfs", True, marks=pytest.mark.first(0)),
        pytest.param("0", "1.2", "none", "xfs", False, marks=pytest.mark.first(0)),
    ],
)
def test_an_array_of_another_computer_is_read_without_a_write(
    guest: Guest, level: str, metadata: str, bitmap: str, filesystem: str, lost: bool
) -> None:
    chunk = "" if level == "1" else "--chunk=64"
    kept = "" if level == "0" else f"--assume-clean --bitmap={bitmap}"
    photo = guest.shell(
        f"""mdadm -q --create /dev/md/photos --run --homehost=oldpc {kept} --metadata={metadata} --level={level} {chunk} \
            --raid-devices=4 /dev/ubd[abcd]
        {FORMAT[filesystem]} /dev/md/photos >/dev/null 2>&1"""
        + FILLED.format(device="/dev/md/photos")
        + SETTLED
        + (GONE if lost else "")
    ).stdout.strip()
    looked_at(guest, "oldpc", photo)


@pytest.mark.first(0)
def test_a_linear_array_is_read_without_a_write_or_the_kernel_that_cannot_is_named(guest: Guest) -> None:
    """Linux 6.8 to 6.13 have no linear; mdadm writes its superblocks there all the same."""
    has = guest.shell("modprobe linear || modprobe md-linear", check=False).returncode == 0
    made = guest.shell(
        "mdadm -q --create /dev/md/photos --run --homehost=oldpc --metadata=1.2 --level=linear --raid-devices=4 /dev/ubd[abcd]",
        check=has,
    )
    if has:
        format_ = f"{FORMAT['ext4']} /dev/md/photos >/dev/null 2>&1"
        looked_at(
            guest,
            "oldpc",
            guest.shell(format_ + FILLED.format(device="/dev/md/photos") + SETTLED).stdout.strip(),
        )
        return
    assert made.returncode != 0
    guest.shell(SETTLED, check=False)
    before, written = guest.shell(SUMS).stdout, guest.shell(WRITTEN).stdout
    assert offered(guest, "oldpc") == []
    assert "has no linear, so it cannot be read here" in " ".join(
        guest.run(["raidtui", "status"]).stdout.split()
    )
    for words in (["--do", "view"], ["--do", "start"]):
        assert guest.run(["raidtui", "care", "oldpc", *words]).returncode in {2, 3}
    assert guest.shell(WRITTEN).stdout == written
    assert guest.shell(SUMS).stdout == before


@pytest.mark.first(0)
def test_a_volume_group_that_is_called_like_one_of_ours_is_mapped_under_names_of_its_own(
    guest: Guest,
) -> None:
    photo = guest.shell(
        """mdadm -q --create /dev/md/photos --run --homehost=oldpc --assume-clean --bitmap=internal --metadata=1.2 --level=5 \
            --chunk=64 --raid-devices=4 /dev/ubd[abcd]
        pvcreate -qq /dev/md/photos; vgcreate -qq data /dev/md/photos
        lvcreate -qq -y -Wn -L64M -n films data; lvcreate -qq -y -Wn -L16M -n other data; lvextend -qq -L+64M data/films
        mkfs.ext4 -qF /dev/data/films"""
        + FILLED.format(device="/dev/data/films")
        + "vgchange -qq -an data\n"
        + SETTLED
        + """pvcreate -qq /dev/ubde; vgcreate -qq data /dev/ubde; lvcreate -qq -y -Wn -L32M -n films data
        mkfs.ext4 -qF /dev/data/films"""
    ).stdout.strip()
    before = guest.shell("sha256sum </dev/data/films").stdout
    looked_at(guest, "oldpc", photo)
    assert guest.shell("sha256sum </dev/data/films").stdout == before


@pytest.mark.first(0)
def test_an_shr_of_which_three_of_four_disks_are_here() -> None:
    with Guest(Setup(disks="4x6GiB")) as guest:
        photo = guest.shell(
            TABLE
            + """mdadm -q --create /dev/md2 --run --assume-clean --homehost=DiskStation --name=2 --metadata=1.2 \
                --bitmap=internal --level=5 --chunk=64 --raid-devices=4 /dev/ubd[abcd]5
            pvcreate -qq /dev/md2; vgcreate -qq vg1000 /dev/md2; lvcreate -qq -y -Wn -l100%FREE -n lv vg1000
            mkfs.btrfs -qf /dev/vg1000/lv >/dev/null 2>&1"""
            + FILLED.format(device="/dev/vg1000/lv")
            + "vgchange -qq -an vg1000\n"
            + SETTLED
            + "blkdiscard -f /dev/ubdd; blockdev --rereadpt /dev/ubdd || :\n"
            + SETTLED
        ).stdout.strip()
        said = guest.run(["raidtui", "status"], check=True).stdout
        assert "SHR of 4 disks from a Synology called DiskStation, 3 of 4 here" in said
        sums = "sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum /dev/ubd[abc]5; head -c 1M /dev/ubda | sha256sum"
        looked_at(guest, "synology", photo, sums=sums)
