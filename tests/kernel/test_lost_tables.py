"""A member whose disk lost its partition table is named, its disk is not free, and its table brings it back."""

from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    checksums,
    inspect,
    kill_everywhere,
    killed,
    prepare,
    raidtui,
    read_something,
    write_something,
)

MAKE = {
    "md": """mdadm -q --create /dev/md/tank --run --level=5 --raid-devices=3 --metadata={metadata} /dev/ubd[abc]1
mdadm -q --wait /dev/md/tank; mkfs.ext4 -q /dev/md/tank; mdadm -q --stop /dev/md/tank""",
    "lvm": """pvcreate -qq /dev/ubd[abc]1; vgcreate -qq tank /dev/ubd[abc]1; lvcreate -qq -y -l 100%FREE -n data tank
mkfs.ext4 -q /dev/tank/data; vgchange -qq -an tank""",
    "btrfs": "mkfs.btrfs -q -L tank -d raid1 -m raid1 /dev/ubd[abc]1; btrfs device scan --forget",
}
LOST = """dd if=/dev/zero of=/dev/ubda bs=512 count=34 conv=notrunc status=none
dd if=/dev/zero of=/dev/ubda bs=512 seek=$(($(blockdev --getsz /dev/ubda) - 33)) conv=notrunc status=none
blockdev --rereadpt /dev/ubda; udevadm settle; {forget}"""
FORGET = "mdadm -q --stop --scan; btrfs device scan --forget"
START = {
    "md": "mdadm -q --assemble --scan; udevadm settle",
    "lvm": "vgchange -qq -ay tank; udevadm settle",
    "btrfs": "btrfs device scan",
}
DATA = {"md": "/dev/md/tank", "lvm": "/dev/tank/data", "btrfs": "/dev/ubdb1"}
MEMBER = "echo 3 >/proc/sys/vm/drop_caches; sha256sum /dev/ubda1"
DISK = "LAB-0001"
ORDER = ("care", DISK, "--do", "restore-table")


def findings(guest: Guest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = raidtui(guest, "care", "--json").report["findings"]
    return found


def made(guest: Guest, backend: str, metadata: str) -> tuple[str, str]:
    """A unit on a partition of each of three disks, with a file; the checksums of the file and of the first member."""
    guest.shell("for one in a b c; do echo type=R | sfdisk -q -X gpt /dev/ubd$one; done; udevadm settle")
    guest.shell(MAKE[backend].format(metadata=metadata), timeout=300)
    guest.shell(f"{START[backend]}; mkdir -p /srv/tank; mount {DATA[backend]} /srv/tank", check=False)
    file = write_something(guest)
    guest.shell(f"umount /srv/tank; vgchange -qq -an; {FORGET}", check=False)
    return file, guest.shell(MEMBER).stdout


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("backend", "metadata"),
    [("md", "1.2"), ("md", "1.0"), ("lvm", ""), ("btrfs", "")],
    ids=["md", "md 1.0", "lvm", "btrfs"],
)
def test_the_table_is_written_again_around_the_member_whenever_the_job_is_killed(
    guest: Guest, backend: str, metadata: str
) -> None:
    file, member = made(guest, backend, metadata)
    guest.shell(LOST.format(forget=FORGET), check=False)
    kinds = {one["kind"]: one for one in findings(guest)}
    assert kinds["inactive"]["remedies"][0]["text"].startswith(
        "LAB-0001 (ubda) has the missing member, which is whole"
    )
    assert kinds["overwritten"]["name"] == DISK
    assert kinds["overwritten"]["remedies"][0]["procedure"] == {"type": "restore-table", "disk": DISK}
    assert not {DISK, "LAB-0002", "LAB-0003"} & {
        one["serial"] for one in inspect(guest)["disks"] if one["free"]
    }
    kill_everywhere(guest, prepare(guest, *ORDER))
    assert guest.shell(MEMBER).stdout == member
    assert not [one for one in findings(guest) if one["kind"] == "overwritten" or "missing" in one["what"]]
    guest.shell(f"{FORGET}; {START[backend]}; mount {DATA[backend]} /srv/tank", check=False)
    assert read_something(guest) == file


def test_until_the_job_is_done_the_disk_can_be_as_it_was_unless_it_is_used(guest: Guest) -> None:
    made(guest, "md", "1.2")
    guest.shell(LOST.format(forget=FORGET), check=False)
    before = checksums(guest, [DISK])
    job = prepare(guest, *ORDER)
    assert killed(guest, "step-done", "table", "job", "run", job["folder"])
    guest.shell("udevadm settle; mdadm -q --assemble --scan; udevadm settle", check=False)
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 4
    assert "in use" in refused.stderr
    assert guest.shell("[ -b /dev/ubda1 ]; wipefs /dev/ubda1").stdout
    guest.shell(FORGET, check=False)
    assert raidtui(guest, "rollback", job["request"]["id"]).code == 0
    assert checksums(guest, [DISK]) == before
    assert [one["name"] for one in findings(guest) if one["kind"] == "overwritten"] == [DISK]


def test_a_table_of_which_the_copy_is_intact_is_written_again_as_it_was(guest: Guest) -> None:
    """With every name, attribute and UUID; data that is where it was is overwritten, and in the capsule."""
    table = 'label: gpt\nsize=20MiB,type=U,name=boot,attrs=LegacyBIOSBootable\n5 : size=100MiB,type=R,name="two words"\n'
    guest.shell(
        f"printf '{table}' | sfdisk -q /dev/ubda; udevadm settle; mkfs.ext4 -q /dev/ubda1; pvcreate -qq /dev/ubda5"
    )
    dump = guest.shell("sfdisk --dump /dev/ubda").stdout
    before = checksums(guest, [DISK])
    guest.shell(
        "head -c 16896 /dev/zero | dd of=/dev/ubda bs=512 seek=1 conv=notrunc status=none; blockdev --rereadpt /dev/ubda; udevadm settle"
    )
    assert not inspect(guest)["disks"][0]["partitions"]
    assert raidtui(guest, *ORDER).code == 0
    assert guest.shell("sfdisk --dump /dev/ubda").stdout == dump
    assert checksums(guest, [DISK]) == before
