"""What inspect prints to free a disk is followed as it stands there: each command works, and then the disk is free."""

import re
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import inspect

PARTED = """
printf 'label: gpt\\nsize=24MiB, type=R\\nsize=24MiB, type=R\\n' | sfdisk -q /dev/ubda
printf 'label: gpt\\nsize=24MiB, type=R\\nsize=24MiB, type=R\\n' | sfdisk -q /dev/ubdb
udevadm settle
make='mdadm --quiet --create --run --bitmap=none --metadata=1.2'
"""
TOPOLOGIES = {
    "several arrays on partitions of the same disks": """
        $make /dev/md/one -l1 -n2 /dev/ubda1 /dev/ubdb1
        $make /dev/md/two -l1 -n2 /dev/ubda2 /dev/ubdb2
        mkfs.ext4 -q /dev/md/one; mkdir -p /srv/one; mount /dev/md/one /srv/one
        mkswap -q /dev/md/two; swapon /dev/md/two
    """,
    "an array with two members on one disk, under a tmpfs": """
        $make /dev/md/one -l1 -n2 /dev/ubda1 /dev/ubda2
        mkfs.ext4 -q /dev/md/one; mkdir -p /srv/one; mount /dev/md/one /srv/one; mount -t tmpfs none /srv/one
    """,
    "two physical volumes on one disk, with a snapshot": """
        vgcreate -qq films /dev/ubda1 /dev/ubda2
        lvcreate -qq -y -l4 -n lv films; mkfs.ext4 -q /dev/films/lv
        lvcreate -qq -y -s -n old -l2 films/lv
        mkdir -p /srv/lv; mount /dev/films/lv /srv/lv; mkdir /srv/lv/old; mount -o ro /dev/films/old /srv/lv/old
    """,
    "an array of arrays": """
        $make /dev/md/low -l1 -n2 /dev/ubda1 /dev/ubdb1
        $make /dev/md/top -l1 -n2 /dev/md/low /dev/ubdb2
        mkfs.ext4 -q /dev/md/top; mkdir -p /srv/top; mount /dev/md/top /srv/top
    """,
    "a volume group on an array and on a disk": """
        $make /dev/md/data -l1 -n2 /dev/ubda1 /dev/ubdb1
        vgcreate -qq vg0 /dev/md/data /dev/ubdc; lvcreate -qq -y -l100%FREE -n lv vg0
        mkfs.ext4 -q /dev/vg0/lv; mkdir -p /srv/lv; mount /dev/vg0/lv /srv/lv
    """,
    "a firmware RAID": """
        wipefs -qa /dev/ubda1 /dev/ubda2 /dev/ubda; blockdev --rereadpt /dev/ubda
        export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1 IMSM_TEST_OROM_NAME=1
        mdadm --quiet --create /dev/md/ddf --run -e ddf -n 2 /dev/ubdc /dev/ubdd
        mdadm --quiet --create /dev/md/vol --run -l 1 -n 2 /dev/md/ddf
        udevadm settle; mkfs.ext4 -q /dev/md/vol; mkdir -p /srv/vol; mount /dev/md/vol /srv/vol
    """,
}


def busy(guest: Guest) -> list[dict[str, Any]]:
    """The claims that have to be freed first, of all disks."""
    disks = inspect(guest)["disks"]
    return [claim for disk in disks for claim in disk["taken_by"] if claim["weight"] == "busy"]


def follow(guest: Guest, how: str) -> None:
    """Run the commands as a person would; a teardown says itself which disks it wants to have named."""
    for command in how.split(" && "):
        if not command.startswith("raidtui teardown"):
            guest.shell(command)
            continue
        refused = guest.shell(command, check=False)
        assert refused.returncode == 3, refused.stderr
        named = re.search(r"--erase \S+", refused.stderr)
        assert named is not None, refused.stderr
        done = guest.shell(f"{command} {named[0]}", check=False, timeout=300)
        assert done.returncode == 0, done.stderr


@pytest.mark.first(3)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_disk_is_free_when_what_inspect_prints_has_been_followed(guest: Guest, topology: str) -> None:
    guest.shell(PARTED + TOPOLOGIES[topology])
    for _ in range(8):
        claims = busy(guest)
        # What a firmware RAID leaves behind is for the firmware to delete.
        claims = [one for one in claims if one["what"] != "firmware-raid"]
        if not claims:
            break
        follow(guest, claims[0]["how_to_free"])
    assert not claims, claims
    assert guest.shell("cat /proc/swaps").stdout.count("\n") == 1
    assert "/srv/" not in guest.shell("cat /proc/mounts").stdout
