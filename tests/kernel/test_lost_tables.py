"""A member whose disk lost its partition table is named, its disk is not free, and the table of a disk like it brings it back."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest

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
AGAIN = "sfdisk -q --dump /dev/ubdb | sed '/^label-id/d; s/, uuid=[^,]*//' | sfdisk -q --wipe-partitions=never /dev/ubda; udevadm settle"


def findings(guest: Guest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(guest.run(["raidtui", "care", "--json"], check=True).stdout)[
        "findings"
    ]
    return found


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("backend", "metadata"),
    [("md", "1.2"), ("md", "1.0"), ("lvm", ""), ("btrfs", "")],
    ids=["md", "md 1.0", "lvm", "btrfs"],
)
def test_the_table_of_a_disk_like_it_brings_the_member_back(
    guest: Guest, backend: str, metadata: str
) -> None:
    guest.shell("for one in a b c; do echo type=R | sfdisk -q -X gpt /dev/ubd$one; done; udevadm settle")
    guest.shell(MAKE[backend].format(metadata=metadata), timeout=300)
    guest.shell(LOST.format(forget=FORGET), check=False)
    kinds = {one["kind"]: one for one in findings(guest)}
    assert kinds["inactive"]["remedies"][0]["text"].startswith(
        "LAB-0001 (ubda) has the missing member, which is whole"
    )
    assert kinds["overwritten"]["name"] == "LAB-0001"
    assert kinds["overwritten"]["remedies"][0]["text"].startswith("write its partition table again")
    disks = json.loads(guest.run(["raidtui", "inspect", "--json"], check=True).stdout)["disks"]
    assert not {"LAB-0001", "LAB-0002", "LAB-0003"} & {one["serial"] for one in disks if one["free"]}
    guest.shell(AGAIN)
    guest.shell(FORGET, check=False)
    assert not [one for one in findings(guest) if one["kind"] == "overwritten" or "missing" in one["what"]]
