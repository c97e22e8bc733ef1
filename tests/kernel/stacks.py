"""Devices stacked on the disks of the lab in many ways, and how each is freed: data for test_freeing.

Disks are named by the last letter of their node: ``a`` is /dev/ubda.
"""

from typing import NamedTuple

MAKERS = r"""
set -e
parts() {
    for one; do
        printf 'label: gpt\nsize=48MiB, type=R\nsize=48MiB, type=R\nsize=48MiB, type=R\n' | sfdisk -q "/dev/ubd$one"
    done
    udevadm settle
}
array() {
    where=/dev/md/$1 level=$2
    shift 2
    mdadm --quiet --create --run $([ "$level" = 0 ] || echo --bitmap=none) --metadata=1.2 \
        "$where" --level="$level" -n$# "$@"
    udevadm settle
}
lock() {
    printf x | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$1" -
    printf x | cryptsetup open "$1" "$2" -
}
group() {
    name=$1
    shift
    vgcreate -qq "$name" "$@"
    lvcreate -qq -y -l90%FREE -n lv "$name"
}
mounted() {
    mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$1"
    mkdir -p "$2"
    mount "$1" "$2"
}
mapped() { dmsetup create "$1" --table "0 ${3:-65536} linear $2 0"; }
container() {
    export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1 IMSM_TEST_OROM_NAME=1
    kind=$1
    shift
    mdadm --quiet --create /dev/md/set --run -e "$kind" -n$# "$@"
    udevadm settle
}
volume() {
    mdadm --quiet --create "/dev/md/$1" --run -l1 -n2 ${2:+--size=$2} /dev/md/set
    udevadm settle
}
# What make-bcache writes: the superblock of a backing device (bcache.h and its crc64).
backing() {
    modprobe bcache
    python3 - "$1" <<'END'
import struct, sys, uuid
magic = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
body = struct.pack("<QQ", 8, 1) + magic + uuid.uuid4().bytes + uuid.uuid4().bytes + bytes(32) + bytes(8 * 10)
body += struct.pack("<QHHHHIHH", 0, 1, 1024, 1, 0, 0, 1, 0)
crc = (1 << 64) - 1
for byte in body:
    crc ^= byte << 56
    for _ in range(8):
        crc = (crc << 1 ^ (0x42F0E1EBA9EA3693 if crc >> 63 else 0)) & (1 << 64) - 1
with open(sys.argv[1], "r+b") as device:
    device.seek(4096)
    device.write(struct.pack("<Q", crc ^ (1 << 64) - 1) + body)
END
    echo "$1" >/sys/fs/bcache/register 2>/dev/null || :
    udevadm settle
    [ -b /dev/bcache0 ]
}
"""


class Stack(NamedTuple):
    """One way to stack devices."""

    make: str
    apart: tuple[str, ...]  # the disks that go together, in groups: to free one group leaves the others alone
    frees: dict[str, str]  # how a disk or partition is freed, and of what: DISK:KIND …
    comes_back: bool = (
        False  # udev assembles the array from what was under it, and that is freed by its own list
    )


STACKS = {
    "several arrays on partitions of the same disks": Stack(
        """parts a b; array one 1 /dev/ubda1 /dev/ubdb1; array two 1 /dev/ubda2 /dev/ubdb2
        mounted /dev/md/one /srv/one; mkswap -q /dev/md/two; swapon /dev/md/two; swapon --show >/dev/null
        mounted /dev/ubdc /srv/c""",
        ("ab", "c"),
        {
            "raidtui teardown one": "a1:array b1:array",
            "swapoff /dev/md126 && raidtui teardown two": "a2:array b2:array",
            "umount /srv/c": "c:mount",
        },
    ),
    "an array with two members on one disk, under a tmpfs": Stack(
        "parts a; array one 1 /dev/ubda1 /dev/ubda2; mounted /dev/md/one /srv/one; mount -t tmpfs none /srv/one",
        ("a",),
        {"umount /srv/one && raidtui teardown one": "a1:array a2:array"},
    ),
    "two physical volumes on one disk, with a snapshot": Stack(
        """parts a; vgcreate -qq films /dev/ubda1 /dev/ubda2; lvcreate -qq -y -l4 -n lv films
        mounted /dev/films/lv /srv/lv; lvcreate -qq -y -s -n old -l2 films/lv
        mkdir /srv/lv/old; mount -o ro /dev/films/old /srv/lv/old""",
        ("a",),
        {"umount /srv/lv/old && umount /srv/lv && vgchange --activate n films": "a1:lvm a1:lvm a2:lvm"},
    ),
    "an array of arrays": Stack(
        """parts a b c; array low 1 /dev/ubda1 /dev/ubdb1; array top 1 /dev/md/low /dev/ubdc1
        mounted /dev/md/top /srv/top""",
        ("abc",),
        {"raidtui teardown top": "a1:array b1:array c1:array"},
    ),
    "an array on a partition of an array": Stack(
        """array low 1 /dev/ubda /dev/ubdb; printf 'label: gpt\nsize=48MiB, type=R\n' | sfdisk -q /dev/md/low
        udevadm settle; array top 1 /dev/md127p1 /dev/ubdc; mounted /dev/md/top /srv/top""",
        ("abc",),
        {"raidtui teardown top": "a:array b:array c:array"},
    ),
    "a volume group on an array and on a disk": Stack(
        """parts a b; array data 1 /dev/ubda1 /dev/ubdb1; group vg0 /dev/md/data /dev/ubdc
        mounted /dev/vg0/lv /srv/lv""",
        ("abc",),
        {
            "umount /srv/lv && lvchange --activate n vg0/lv && mdadm --stop /dev/md127": "a1:array b1:array",
            "umount /srv/lv && lvchange --activate n vg0/lv": "c:lvm",
        },
    ),
    "a firmware RAID of two volumes": Stack(
        """container ddf /dev/ubda /dev/ubdb; volume one 24576; volume two 24576
        mounted /dev/md/one /srv/one; mkswap -q /dev/md/two; swapon /dev/md/two""",
        ("ab",),
        {
            "swapoff /dev/md125 && mdadm --stop /dev/md125": "a:array b:array",
            "umount /srv/one && mdadm --stop /dev/md126": "a:array b:array",
            "mdadm --stop /dev/md127": "a:array b:array",
        },
    ),
    "an image in a file on the disk": Stack(
        """mounted /dev/ubda /srv/a; truncate -s 64M /srv/a/image; modprobe loop; losetup /dev/loop0 /srv/a/image
        mounted /dev/loop0 /srv/image; mounted /dev/ubdb /srv/b""",
        ("a", "b"),
        {
            "umount /srv/image && losetup --detach /dev/loop0": "a:loop",
            "umount /srv/image && losetup --detach /dev/loop0 && umount /srv/a": "a:mount",
            "umount /srv/b": "b:mount",
        },
    ),
    "a swap file": Stack(
        """array one 1 /dev/ubda /dev/ubdb; mounted /dev/md/one /srv/one
        dd if=/dev/zero of=/srv/one/swap bs=1M count=8 status=none; chmod 600 /srv/one/swap
        mkswap -q /srv/one/swap; swapon /srv/one/swap""",
        ("ab",),
        {"swapoff /srv/one/swap && raidtui teardown one": "a:array b:array"},
    ),
    "LUKS on a volume on LUKS on an array": Stack(
        """array one 1 /dev/ubda /dev/ubdb; lock /dev/md/one outer; group vg /dev/mapper/outer; lock /dev/vg/lv inner
        mounted /dev/mapper/inner /srv/in""",
        ("ab",),
        {
            "umount /srv/in && cryptsetup close inner && lvchange --activate n vg/lv && cryptsetup close outer && raidtui teardown one": "a:array b:array"
        },
    ),
    "Btrfs over two arrays and a partition": Stack(
        """parts a b c; array one 0 /dev/ubda1 /dev/ubdb1 /dev/ubdc1; array two 0 /dev/ubda2 /dev/ubdb2 /dev/ubdc2
        mkfs.btrfs -q -f -M /dev/md/one /dev/md/two; btrfs device scan >/dev/null
        mkdir -p /srv/b; mount /dev/md/one /srv/b""",
        ("abc",),
        {
            "umount /srv/b && mdadm --stop /dev/md127": "a1:array b1:array c1:array",
            "umount /srv/b && mdadm --stop /dev/md126": "a2:array b2:array c2:array",
        },
    ),
    "a bcache on an array": Stack(
        "array one 1 /dev/ubda /dev/ubdb; backing /dev/md/one; mounted /dev/bcache0 /srv/fast",
        ("ab",),
        {
            "umount /srv/fast && echo 1 > /sys/block/bcache0/bcache/stop && raidtui teardown one": "a:array b:array"
        },
    ),
    "a mirrored volume over two disks": Stack(
        """vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y --type raid1 -m1 -l10 -n lv vg
        mounted /dev/vg/lv /srv/lv; lvcreate -qq -y -l4 -n other vg; mounted /dev/vg/other /srv/other""",
        ("ab",),
        {
            "umount /srv/other && umount /srv/lv && lvchange --activate n vg/lv && lvchange --activate n vg/other": "a:lvm a:lvm b:lvm"
        },
    ),
    "a filesystem on a disk": Stack(
        "mounted /dev/ubda /srv/a; mounted /dev/ubdb /srv/b",
        ("a", "b"),
        {"umount /srv/a": "a:mount", "umount /srv/b": "b:mount"},
    ),
    "one partition mounted inside another": Stack(
        "parts a; mounted /dev/ubda1 /srv/a; mounted /dev/ubda2 /srv/a/in; mkswap -q /dev/ubda3; swapon /dev/ubda3",
        ("a",),
        {
            "umount /srv/a/in && umount /srv/a": "a1:mount",
            "umount /srv/a/in": "a2:mount",
            "swapoff /dev/ubda3": "a3:swap",
        },
    ),
    "bind mounts of a folder, one over the other": Stack(
        """mounted /dev/ubda /srv/a; mkdir /srv/a/in /srv/bind; mount --bind /srv/a/in /srv/bind
        mount --bind /srv/a /srv/bind; mkdir /srv/two; mount /dev/ubda /srv/two""",
        ("a",),
        {
            "umount /srv/two": "a:mount",
            "umount /srv/bind && umount /srv/bind": "a:mount",
            "umount /srv/a": "a:mount",
        },
    ),
    "another namespace has it mounted as well": Stack(
        """mounted /dev/ubda /srv/a
        unshare --mount sh -c 'mount --make-rprivate /; exec sleep 600' >/dev/null 2>&1 &
        sleep 1; umount /srv/a""",
        ("a",),
        {"nsenter --mount=/proc/PID/ns/mnt umount /srv/a": "a:mount"},
    ),
    "LUKS on a disk": Stack(
        "lock /dev/ubda secret; mounted /dev/mapper/secret /srv/s",
        ("a",),
        {"umount /srv/s && cryptsetup close secret": "a:luks"},
    ),
    "a volume group in LUKS on a partition": Stack(
        "parts a; lock /dev/ubda2 secret; group vg /dev/mapper/secret; mounted /dev/vg/lv /srv/lv",
        ("a",),
        {"umount /srv/lv && lvchange --activate n vg/lv && cryptsetup close secret": "a2:luks"},
    ),
    "two volumes of a group over two disks": Stack(
        """vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y -l10 -n one vg /dev/ubda
        lvcreate -qq -y -l10 -n two vg /dev/ubdb; mounted /dev/vg/one /srv/one; mounted /dev/vg/two /srv/one/two""",
        ("ab",),
        {
            "umount /srv/one/two && umount /srv/one && lvchange --activate n vg/one && lvchange --activate n vg/two": "a:lvm b:lvm"
        },
    ),
    "an unused physical volume of an active group": Stack(
        "vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y -l10 -n one vg /dev/ubdb; mounted /dev/vg/one /srv/one",
        ("ab",),
        {"raidtui teardown LAB-0001": "a:lvm", "umount /srv/one && lvchange --activate n vg/one": "b:lvm"},
    ),
    "a group over LUKS on two disks": Stack(
        """lock /dev/ubda one; lock /dev/ubdb two; group vg /dev/mapper/one /dev/mapper/two
        mounted /dev/vg/lv /srv/lv""",
        ("ab",),
        {
            "umount /srv/lv && lvchange --activate n vg/lv && cryptsetup close one": "a:luks",
            "umount /srv/lv && lvchange --activate n vg/lv && cryptsetup close two": "b:luks",
        },
    ),
    "LUKS on a volume": Stack(
        "group vg /dev/ubda /dev/ubdb; lock /dev/vg/lv secret; mounted /dev/mapper/secret /srv/s",
        ("ab",),
        {"umount /srv/s && cryptsetup close secret && lvchange --activate n vg/lv": "a:lvm b:lvm"},
    ),
    "a physical volume in LUKS on a volume": Stack(
        "group outer /dev/ubda; lock /dev/outer/lv s; group inner /dev/mapper/s; mounted /dev/inner/lv /srv/lv",
        ("a",),
        {
            "umount /srv/lv && lvchange --activate n inner/lv && cryptsetup close s && lvchange --activate n outer/lv": "a:lvm"
        },
    ),
    "a thin pool": Stack(
        """vgcreate -qq vg /dev/ubda /dev/ubdb
        lvcreate -qq -y --config 'global { thin_check_executable="" }' -L64M -V40M --thinpool pool -n thin vg
        mounted /dev/vg/thin /srv/thin""",
        ("ab",),
        {"umount /srv/thin && vgchange --activate n vg": "a:lvm b:lvm"},
    ),
    "an array on volumes": Stack(
        """group one /dev/ubda; group two /dev/ubdb; array up 1 /dev/one/lv /dev/two/lv
        mounted /dev/md/up /srv/up""",
        ("ab",),
        {
            "umount /srv/up && mdadm --stop /dev/md127 && lvchange --activate n one/lv": "a:lvm",
            "umount /srv/up && mdadm --stop /dev/md127 && lvchange --activate n two/lv": "b:lvm",
        },
    ),
    "an array on LUKS": Stack(
        """lock /dev/ubda one; lock /dev/ubdb two; array up 1 /dev/mapper/one /dev/mapper/two
        mounted /dev/md/up /srv/up""",
        ("ab",),
        {
            "umount /srv/up && mdadm --stop /dev/md127 && cryptsetup close one": "a:luks",
            "umount /srv/up && mdadm --stop /dev/md127 && cryptsetup close two": "b:luks",
        },
    ),
    "an array on loop devices": Stack(
        """parts a; modprobe loop; losetup /dev/loop0 /dev/ubda1; losetup /dev/loop1 /dev/ubda2
        array up 1 /dev/loop0 /dev/loop1; mounted /dev/md/up /srv/up""",
        ("a",),
        {
            "umount /srv/up && mdadm --stop /dev/md127 && losetup --detach /dev/loop0": "a1:loop",
            "umount /srv/up && mdadm --stop /dev/md127 && losetup --detach /dev/loop1": "a2:loop",
        },
        comes_back=True,
    ),
    "a loop device on an array": Stack(
        """array one 1 /dev/ubda /dev/ubdb; modprobe loop; losetup /dev/loop0 /dev/md/one; lock /dev/loop0 secret
        mounted /dev/mapper/secret /srv/s""",
        ("ab",),
        {
            "umount /srv/s && cryptsetup close secret && losetup --detach /dev/loop0 && raidtui teardown one": "a:array b:array"
        },
    ),
    "a loop device on a link of a disk": Stack(
        """modprobe loop; losetup /dev/loop0 /dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0001
        mounted /dev/loop0 /srv/loop""",
        ("a",),
        {"umount /srv/loop && losetup --detach /dev/loop0": "a:loop"},
    ),
    "partitions of an array": Stack(
        """array one 1 /dev/ubda /dev/ubdb; parts_of=/dev/md/one
        printf 'label: gpt
size=32MiB
size=32MiB
' | sfdisk -q $parts_of; udevadm settle
        node=$(readlink -f /dev/md/one); mounted ${node}p1 /srv/one; mkswap -q ${node}p2; swapon ${node}p2""",
        ("ab",),
        {"swapoff /dev/md127p2 && raidtui teardown one": "a:array b:array"},
    ),
    "a group on a partition of an array": Stack(
        """array one 1 /dev/ubda /dev/ubdb; printf 'label: gpt
size=90MiB
' | sfdisk -q /dev/md/one; udevadm settle
        group vg "$(readlink -f /dev/md/one)p1"; mounted /dev/vg/lv /srv/lv""",
        ("ab",),
        {"umount /srv/lv && lvchange --activate n vg/lv && mdadm --stop /dev/md127": "a:array b:array"},
    ),
    "a stripe over two mirrors": Stack(
        """array one 1 /dev/ubda /dev/ubdb; array two 1 /dev/ubdc /dev/ubdd; array top 0 /dev/md/one /dev/md/two
        mounted /dev/md/top /srv/top""",
        ("abcd",),
        {"raidtui teardown top": "a:array b:array c:array d:array"},
    ),
    "a group over two arrays on the same disks": Stack(
        """parts a b; array one 1 /dev/ubda1 /dev/ubdb1; array two 1 /dev/ubda2 /dev/ubdb2
        group vg /dev/md/one /dev/md/two; mounted /dev/vg/lv /srv/lv""",
        ("ab",),
        {
            "umount /srv/lv && lvchange --activate n vg/lv && mdadm --stop /dev/md127": "a1:array b1:array",
            "umount /srv/lv && lvchange --activate n vg/lv && mdadm --stop /dev/md126": "a2:array b2:array",
        },
    ),
    "a group on an array of LUKS": Stack(
        """lock /dev/ubda one; lock /dev/ubdb two; array up 1 /dev/mapper/one /dev/mapper/two; group vg /dev/md/up
        mounted /dev/vg/lv /srv/lv""",
        ("ab",),
        {
            "umount /srv/lv && lvchange --activate n vg/lv && mdadm --stop /dev/md127 && cryptsetup close one": "a:luks",
            "umount /srv/lv && lvchange --activate n vg/lv && mdadm --stop /dev/md127 && cryptsetup close two": "b:luks",
        },
    ),
    "a spare and a failed member": Stack(
        """mdadm --quiet --create --run --bitmap=none --metadata=1.2 /dev/md/one -l1 -n2 -x1             /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle; mdadm --quiet --wait /dev/md/one || :
        mdadm --quiet /dev/md/one --fail /dev/ubdb; mdadm --quiet --wait /dev/md/one || :
        mounted /dev/md/one /srv/one""",
        ("abc",),
        {"raidtui teardown one": "a:array c:array", "raidtui care one --do remove-failed": "b:array"},
    ),
    "a hot spare, and a group of another system": Stack(
        """mdadm --quiet --create --run --bitmap=none --metadata=1.2 /dev/md/one -l1 -n2 -x1 /dev/ubda /dev/ubdb /dev/ubdc
        udevadm settle; mdadm --quiet --wait /dev/md/one || :; mounted /dev/md/one /srv/one
        vgcreate -qq --systemid nas-2 --config 'local { extra_system_ids = ["nas-2"] }' theirs /dev/ubdd /dev/ubde""",
        ("abc", "d", "e"),
        {
            "raidtui teardown one": "a:array b:array",
            "raidtui care one --do remove-spare --with LAB-0003": "c:array",
            "remove the volume group on that system; if that no longer exists: raidtui teardown LAB-0004": "d:lvm",
            "remove the volume group on that system; if that no longer exists: raidtui teardown LAB-0005": "e:lvm",
        },
    ),
    "Btrfs over two disks, with subvolumes": Stack(
        """mkfs.btrfs -q -f -M -d raid1 -m raid1 /dev/ubda /dev/ubdb; mkdir -p /srv/b /srv/s; mount /dev/ubdb /srv/b
        btrfs -q subvolume create /srv/b/sub; mount -o subvol=sub /dev/ubda /srv/s""",
        ("ab",),
        {"umount /srv/s": "a:mount", "umount /srv/b": "a:mount", "umount /srv/s && umount /srv/b": "b:btrfs"},
    ),
    "Btrfs over two partitions of a disk": Stack(
        "parts a b; mkfs.btrfs -q -f -M /dev/ubda1 /dev/ubda2 /dev/ubda3; mkdir -p /srv/b; mount /dev/ubda2 /srv/b",
        ("a",),
        {"umount /srv/b": "a1:mount a2:btrfs a3:btrfs"},
    ),
    "Btrfs over LUKS": Stack(
        """lock /dev/ubda one; lock /dev/ubdb two; mkfs.btrfs -q -f -M /dev/mapper/one /dev/mapper/two
        mkdir -p /srv/b; mount /dev/mapper/one /srv/b""",
        ("ab",),
        {
            "umount /srv/b && cryptsetup close one": "a:luks",
            "umount /srv/b && cryptsetup close two": "b:luks",
        },
    ),
    "Btrfs over volumes": Stack(
        """group one /dev/ubda; group two /dev/ubdb; mkfs.btrfs -q -f -M /dev/one/lv /dev/two/lv
        mkdir -p /srv/b; mount /dev/one/lv /srv/b""",
        ("ab",),
        {
            "umount /srv/b && lvchange --activate n one/lv": "a:lvm",
            "umount /srv/b && lvchange --activate n two/lv": "b:lvm",
        },
    ),
    "a bcache on a partition": Stack(
        "parts a; backing /dev/ubda2; mounted /dev/bcache0 /srv/fast; mounted /dev/ubda1 /srv/slow",
        ("a",),
        {
            "umount /srv/slow": "a1:mount",
            "umount /srv/fast && echo 1 > /sys/block/ubda/ubda2/bcache/stop": "a2:bcache",
        },
    ),
    "LUKS on a bcache": Stack(
        "backing /dev/ubda; lock /dev/bcache0 secret; mounted /dev/mapper/secret /srv/s",
        ("a",),
        {"umount /srv/s && cryptsetup close secret && echo 1 > /sys/block/ubda/bcache/stop": "a:bcache"},
    ),
    "a bcache on a volume": Stack(
        "group vg /dev/ubda /dev/ubdb; backing /dev/vg/lv; mounted /dev/bcache0 /srv/fast",
        ("ab",),
        {
            "umount /srv/fast && echo 1 > /sys/block/bcache0/bcache/stop && lvchange --activate n vg/lv": "a:lvm b:lvm"
        },
    ),
    "mapped devices on each other": Stack(
        """mapped low /dev/ubda 131072; mapped high /dev/mapper/low; mounted /dev/mapper/high /srv/h
        mapped second /dev/ubdb; mounted /dev/mapper/second /srv/second""",
        ("a", "b"),
        {
            "umount /srv/h && dmsetup remove high && dmsetup remove low": "a:device-mapper",
            "umount /srv/second && dmsetup remove second": "b:device-mapper",
        },
    ),
    "a mapped device over two disks": Stack(
        """printf '0 65536 linear /dev/ubda 0
65536 65536 linear /dev/ubdb 0
' | dmsetup create both
        mounted /dev/mapper/both /srv/both""",
        ("ab",),
        {"umount /srv/both && dmsetup remove both": "a:device-mapper b:device-mapper"},
    ),
    "Intel's firmware RAID": Stack(
        "container imsm /dev/ubda /dev/ubdb; volume one; mounted /dev/md/one /srv/one",
        ("ab",),
        {
            "umount /srv/one && mdadm --stop /dev/md126": "a:array b:array",
            "mdadm --stop /dev/md127": "a:array b:array",
        },
    ),
    "a group on a firmware RAID": Stack(
        "container ddf /dev/ubda /dev/ubdb; volume one; group vg /dev/md/one; mounted /dev/vg/lv /srv/lv",
        ("ab",),
        {
            "umount /srv/lv && lvchange --activate n vg/lv && mdadm --stop /dev/md126": "a:array b:array",
            "mdadm --stop /dev/md127": "a:array b:array",
        },
    ),
    "arrays of three kinds on three partitions": Stack(
        """parts a b; array one 1 /dev/ubda1 /dev/ubdb1; mounted /dev/md/one /srv/one
        group vg /dev/ubda2 /dev/ubdb2; mounted /dev/vg/lv /srv/one/lv; lock /dev/ubda3 secret
        mounted /dev/mapper/secret /srv/one/lv/s; mounted /dev/ubdb3 /srv/b; mounted /dev/ubdc /srv/one/c""",
        ("abc",),
        {
            "umount /srv/one/c && umount /srv/one/lv/s && umount /srv/one/lv && raidtui teardown one": "a1:array b1:array",
            "umount /srv/one/lv/s && umount /srv/one/lv && lvchange --activate n vg/lv": "a2:lvm b2:lvm",
            "umount /srv/one/lv/s && cryptsetup close secret": "a3:luks",
            "umount /srv/b": "b3:mount",
            "umount /srv/one/c": "c:mount",
        },
    ),
    "an overlay on the disk": Stack(
        """mounted /dev/ubda /srv/a; mkdir -p /srv/a/low /srv/a/up /srv/a/work /srv/over
        mount -t overlay -o lowerdir=/srv/a/low,upperdir=/srv/a/up,workdir=/srv/a/work none /srv/over""",
        ("a",),
        {"umount /srv/over && umount /srv/a": "a:mount"},
    ),
    "a mounted image, with swap in another": Stack(
        """mounted /dev/ubda /srv/a; truncate -s 32M /srv/a/one /srv/a/two; mkfs.ext4 -q /srv/a/one; modprobe loop
        mkdir /srv/one; mount -o loop /srv/a/one /srv/one; mkswap -q /srv/a/two; losetup /dev/loop7 /srv/a/two
        swapon /dev/loop7""",
        ("a",),
        {
            "umount /srv/one": "a:loop",
            "swapoff /dev/loop7 && losetup --detach /dev/loop7": "a:loop",
            "umount /srv/one && swapoff /dev/loop7 && losetup --detach /dev/loop7 && umount /srv/a": "a:mount",
        },
    ),
    "an array of images on a disk": Stack(
        """mounted /dev/ubda /srv/a; truncate -s 48M /srv/a/one /srv/a/two; modprobe loop
        losetup /dev/loop0 /srv/a/one; losetup /dev/loop1 /srv/a/two; array up 1 /dev/loop0 /dev/loop1
        mounted /dev/md/up /srv/up""",
        ("a",),
        {
            "umount /srv/up && mdadm --stop /dev/md127 && losetup --detach /dev/loop0": "a:loop",
            "umount /srv/up && mdadm --stop /dev/md127 && losetup --detach /dev/loop1": "a:loop",
            "umount /srv/up && mdadm --stop /dev/md127 && losetup --detach /dev/loop0 && losetup --detach /dev/loop1 && umount /srv/a": "a:mount",
        },
    ),
    "a group on an image on a Btrfs of two disks": Stack(
        """mkfs.btrfs -q -f -M /dev/ubda /dev/ubdb; mkdir -p /srv/b; mount /dev/ubda /srv/b; modprobe loop
        truncate -s 64M /srv/b/image; losetup /dev/loop0 /srv/b/image; group vg /dev/loop0; mounted /dev/vg/lv /srv/lv""",
        ("ab",),
        {
            "umount /srv/lv && lvchange --activate n vg/lv && losetup --detach /dev/loop0": "a:loop b:loop",
            "umount /srv/lv && lvchange --activate n vg/lv && losetup --detach /dev/loop0 && umount /srv/b": "a:mount b:btrfs",
        },
    ),
    "an array in LUKS that another namespace has mounted": Stack(
        """array one 1 /dev/ubda /dev/ubdb; lock /dev/md/one secret; mounted /dev/mapper/secret /srv/s
        unshare --mount sh -c 'mount --make-rprivate /; exec sleep 600' >/dev/null 2>&1 &
        sleep 1""",
        ("ab",),
        {
            "umount /srv/s && nsenter --mount=/proc/PID/ns/mnt umount /srv/s && cryptsetup close secret && raidtui teardown one": "a:array b:array"
        },
    ),
}
