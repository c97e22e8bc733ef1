"""Record the machines in this folder again, each in its own guest: ``python tests/machines/record.py [NAME …]``.

A recorded machine is what ``raidtui inspect --json`` prints; ``raidtui --machine FILE`` opens it. Each scenario is a
list of disks and a shell script that brings them into the state to record. The ZFS pools, ``zfs-*``, were recorded
on Debian 12 with OpenZFS 2.1.11: ``raidtui lab --engine qemu``.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

from raidtui.machine.reader import load_machine
from raidtui.model.struct import to_json

FOLDER: Final = Path(__file__).resolve().parent
_CREATE: Final = "mdadm --create /dev/md/tank --run --homehost=lab --metadata=1.2 --bitmap=internal --quiet"
_RAID5: Final = f"{_CREATE} --level=5 --chunk=512 --raid-devices=4 /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd"
_SLOW: Final = "echo 4000 >/sys/block/md127/md/sync_speed_max"
_MOUNTED: Final = """
mkfs.ext4 -q -L tank -U 6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f001 /dev/md127
mkdir -p /srv/tank
mount /dev/md127 /srv/tank
echo UUID=6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f001 /srv/tank ext4 defaults,nofail 0 2 >>/etc/fstab
echo "ARRAY /dev/md/tank metadata=1.2 UUID=$(cat /sys/block/md127/md/uuid | tr -d -)" >>/etc/mdadm/mdadm.conf
"""

# One disk for each claim, in order of their letters. Processes that hold a disk open run until the guest ends.
_TAKEN: Final = r"""
printf 'label: gpt\nsize=1GiB, type=linux, name=photos\ntype=linux\n' | sfdisk -q /dev/ubda
udevadm settle
mkfs.ext4 -q -L photos /dev/ubda1
mkdir -p /srv/photos
mount /dev/ubda1 /srv/photos

mkswap -q /dev/ubdb
swapon /dev/ubdb

pvcreate -qq /dev/ubdc
vgcreate -qq data /dev/ubdc
lvcreate -qq --yes --name films --size 64M data
mkfs.xfs -q -f /dev/data/films 2>/dev/null || mkfs.ext4 -q /dev/data/films
mkdir -p /srv/films
mount /dev/data/films /srv/films

printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/ubdd -
printf secret | cryptsetup open /dev/ubdd vault -

mdadm --create /dev/md/old --run --homehost=nas --metadata=1.2 --level=1 --raid-devices=2 /dev/ubde missing --quiet
mdadm --stop --quiet /dev/md/old

mkfs.btrfs -q -f -L pair /dev/ubdf /dev/ubdg >/dev/null
mkdir -p /srv/pair
mount /dev/ubdf /srv/pair

modprobe loop
losetup /dev/loop0 /dev/ubdh
setsid sleep 1000 </dev/ubdi >/dev/null 2>&1 &
printf 'label: gpt\n,512MiB\n' | sfdisk -q /dev/ubdj
mkfs.ext4 -q -L "$(printf 'a\033[2Jb\033[31m')" /dev/ubdk
blockdev --setro /dev/ubdl
mkfs.ext4 -q -L hidden /dev/ubdm
setsid unshare --mount sh -c 'mount /dev/ubdm /mnt && exec sleep 1000' >/dev/null 2>&1 </dev/null &
printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/ubdn -
mkfs.ext4 -q -U 6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f002 /dev/ubdo
echo UUID=6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f002 /srv/backup ext4 noauto 0 2 >>/etc/fstab
sleep 1
"""

# User-mode Linux takes at most 16 disks, so the 24 of the shelf are slices of eight large ones. The properties are
# those that udev gives a real disk; RAIDTUI_LAB_* mark the devices to use as disks.
SHELF_DISKS: Final = "8x12002361090048B"
SHELF: Final = r"""
exec 3>/run/udev/rules.d/59-shelf.rules
echo 'KERNEL=="ubd*", ENV{RAIDTUI_LAB_INTERNAL}="1"' >&3
number=0
for letter in a b c d e f g h; do
    for slice in 0 1 2; do
        number=$((number + 1))
        serial=$(printf 'SHELF-%04d' $number)
        wwn=0x3000000000000$(printf '%03x' $number)
        printf 'KERNEL=="dm-*", ATTR{dm/name}=="%s", ENV{RAIDTUI_LAB_DISK}="1", ENV{ID_MODEL}="RAIDTUI_SHELF", ' \
            "$serial" >&3
        printf 'ENV{ID_SERIAL_SHORT}="%s", ENV{ID_WWN}="%s", SYMLINK+="disk/by-id/ubd-RAIDTUI_SHELF_%s"\n' \
            "$serial" "$wwn" "$serial" >&3
    done
done
exec 3>&-
udevadm control --reload
udevadm trigger --subsystem-match=block --action=change
udevadm settle
number=0
for letter in a b c d e f g h; do
    for slice in 0 1 2; do
        number=$((number + 1))
        echo "0 7814037168 linear /dev/ubd$letter $((slice * 7814037168))" |
            dmsetup create "$(printf 'SHELF-%04d' $number)"
    done
done
udevadm settle
"""
_SHELF_TAKEN: Final = r"""
shelf=/dev/disk/by-id/ubd-RAIDTUI_SHELF_SHELF-00
mdadm --create /dev/md/media --run --homehost=lab --metadata=1.2 --bitmap=internal --assume-clean --level=6 \
    --raid-devices=6 ${shelf}01 ${shelf}02 ${shelf}03 ${shelf}04 ${shelf}05 ${shelf}06 --quiet
mkfs.xfs -q /dev/md127
mkdir -p /srv/media
mount /dev/md127 /srv/media
mkfs.ext4 -q -L old-nas -E nodiscard,lazy_itable_init=1 -O ^has_journal -N 1024 ${shelf}07
printf 'label: gpt\n' | sfdisk -q ${shelf}08
"""

# A volume group as raidtui builds it, and one that belongs to another system.
_VOLUMES: Final = r"""
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd
vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc
lvcreate -qq --yes --type raid5 --stripes 2 --stripesize 64k --extents 100%FREE --name data tank
mkfs.ext4 -q -L tank /dev/tank/data
mkdir -p /srv/tank
mount /dev/tank/data /srv/tank
until dmsetup status tank-data | grep -q 'AAA .* idle'; do sleep 0.2; done
vgcreate -qq --systemid elsewhere other /dev/ubdd
"""
_BTRFS: Final = r"""
printf 'label: gpt\ntype=linux\n' | tee /run/table | sfdisk -q /dev/ubda
sfdisk -q /dev/ubdb </run/table
sfdisk -q /dev/ubdc </run/table
udevadm settle
mkfs.btrfs -q -L tank --data raid1 --metadata raid1c3 /dev/ubda1 /dev/ubdb1 /dev/ubdc1
btrfs device scan
mkdir -p /srv/tank
mount /dev/ubda1 /srv/tank
echo "UUID=$(blkid -s UUID -o value /dev/ubda1) /srv/tank btrfs defaults,nofail 0 0" >>/etc/fstab
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=40
btrfs scrub start -B /srv/tank
"""

# States in which something is to be done; tests/unit/test_recorded_care.py has the first thing to do in each.
_STOP: Final = """
mdadm --wait --quiet /dev/md127 || true
mdadm --stop --quiet /dev/md127
udevadm settle
mdadm --stop --scan --quiet
udevadm settle
"""
_RAID5_OF_3: Final = f"{_CREATE} --level=5 --chunk=512 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc{_STOP}"
_MIRROR: Final = f"{_CREATE} --level=1 --raid-devices=2 /dev/ubda /dev/ubdb"
_FOUR_ON_TWO: Final = r"""
for disk in ubda ubdb; do
    printf 'label: gpt\nsize=64MiB, type=R\nsize=64MiB, type=R\nsize=128MiB, type=R\ntype=R\n' | sfdisk -q /dev/$disk
done
udevadm settle
for number in 1 2 3 4; do
    mdadm --create /dev/md/m$number --run --homehost=lab --metadata=1.2 --bitmap=none --level=1 --raid-devices=2 --quiet \
        /dev/ubda$number /dev/ubdb$number
    mdadm --wait --quiet /dev/md/m$number || true
    mdadm --quiet /dev/md/m$number --fail /dev/ubdb$number
    mdadm --quiet /dev/md/m$number --remove /dev/ubdb$number
done
wipefs -aq /dev/ubdb1 /dev/ubdb2 /dev/ubdb3 /dev/ubdb4 /dev/ubdb
blockdev --rereadpt /dev/ubdb || true
dd if=/dev/zero of=/dev/ubdb bs=1M count=512 || true
udevadm settle
"""
_APART: Final = f"""
{_MIRROR}{_STOP}
for half in ubda ubdb; do
    mdadm --assemble --run --quiet /dev/md127 /dev/$half
    mkfs.ext4 -qF /dev/md127
    mdadm --stop --quiet /dev/md127
    udevadm settle
    mdadm --stop --scan --quiet
done
udevadm settle
mdadm --stop --scan --quiet
"""
_OVER_MIRRORS: Final = """
create="mdadm --create --run --homehost=lab --metadata=1.2 --quiet"
$create /dev/md/left --level=1 --bitmap=none --raid-devices=2 /dev/ubda /dev/ubdb
$create /dev/md/right --level=1 --bitmap=none --raid-devices=2 /dev/ubdc /dev/ubdd
mdadm --wait --quiet /dev/md/left /dev/md/right || true
$create /dev/md/top --level=0 --raid-devices=2 /dev/md/left /dev/md/right
mkfs.ext4 -q -L top /dev/md/top
mkdir -p /srv/top
mount /dev/md/top /srv/top
mdadm --quiet /dev/md/left --fail /dev/ubdb
sleep 1
"""
_IMSM: Final = """
export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
mdadm --create /dev/md/imsm --run -e imsm -n 2 /dev/ubda /dev/ubdb
mdadm --create /dev/md/vol0 --run -l 1 -n 2 /dev/md/imsm
sleep 3
"""

SCENARIOS: Final = {
    "blank-4": ("4x2GiB", ""),
    "mixed-sizes": ("2x2GiB,1x3GiB,1x4GiB,1x1GiB", ""),
    "taken": ("16x1GiB", _TAKEN),
    "raid5-building": ("5x512MiB", f"{_RAID5} --spare-devices=1 /dev/ubde\n{_SLOW}\nsleep 4"),
    "raid5-clean": ("5x512MiB", f"{_RAID5}\nmdadm --wait --quiet /dev/md127\n{_MOUNTED}"),
    "raid5-degraded": (
        "5x512MiB",
        f"{_RAID5}\nmdadm --wait --quiet /dev/md127\n{_MOUNTED}\nmdadm --quiet /dev/md127 --fail /dev/ubdb\nsleep 1",
    ),
    "raid1-spare-rebuilding": (
        "4x512MiB",
        f"{_CREATE} --level=1 --raid-devices=2 /dev/ubda /dev/ubdb --spare-devices=1 /dev/ubdc\n"
        f"mdadm --wait --quiet /dev/md127\n{_MOUNTED}\n{_SLOW}\n"
        "mdadm --quiet /dev/md127 --fail /dev/ubda\nsleep 3",
    ),
    "raid6-resync": (
        "5x512MiB",
        f"{_CREATE} --level=6 --raid-devices=5 /dev/ubd[a-e]\n{_SLOW}\nsleep 3",
    ),
    "disks-24": (SHELF_DISKS, SHELF + _SHELF_TAKEN),
    "lvm-raid5": ("5x512MiB", _VOLUMES),
    "btrfs-raid1": ("4x512MiB", _BTRFS),
    "raid5-one-outside": (
        "4x512MiB",
        f"{_RAID5_OF_3}mdadm --incremental /dev/ubda\nmdadm --incremental /dev/ubdb",
    ),
    "raid5-stopped": ("4x512MiB", _RAID5_OF_3),
    "raid0-over-raid1": ("5x512MiB", _OVER_MIRRORS),
    "raid1-clone": ("4x512MiB", f"{_MIRROR}{_STOP}dd if=/dev/ubdb of=/dev/ubdc bs=1M\nudevadm settle"),
    "raid1-used-apart": ("3x512MiB", _APART),
    "raid1-four-on-one-disk": ("3x512MiB", _FOUR_ON_TWO),
    "imsm": ("3x512MiB", _IMSM),
    "imsm-stopped": (
        "3x512MiB",
        f"{_IMSM}mdadm --stop /dev/md/vol0\nmdadm --stop /dev/md/imsm\nudevadm settle",
    ),
    "megaraid": ("3xmegaraid:1GiB,1xsata:1GiB", ""),
}
ON_QEMU: Final = frozenset({"megaraid"})
"""Scenarios that need disks on a bus, or a card."""


def record(name: str) -> None:
    """Boot a guest, bring its disks into the state to record, and save the output of inspect."""
    disks, script = SCENARIOS[name]
    # The output of the script's tools goes to stderr; stdout has only the document.
    whole = f"set -e\n{{\n:\n{script}\nudevadm settle\n}} 1>&2\nraidtui inspect --json\n"
    engine = "qemu" if name in ON_QEMU else "uml"
    argv = [
        sys.executable,
        "-m",
        "raidtui",
        "lab",
        "--engine",
        engine,
        "--disks",
        disks,
        "--",
        "sh",
        "-c",
        whole,
    ]
    done = subprocess.run(
        argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, cwd=FOLDER.parents[1]
    )
    if done.returncode:
        raise SystemExit(f"{name}: the script ended with exit code {done.returncode}")
    path = FOLDER / f"{name}.json"
    path.write_bytes(done.stdout)
    machine = load_machine(str(path))
    path.write_text(to_json(machine) + "\n")  # without the units, which are derived from it
    free = sum(disk.free for disk in machine.disks)
    print(f"{name}: {len(machine.disks)} disks, {free} free, {len(machine.arrays)} arrays", flush=True)


def main(names: list[str]) -> None:
    """Record the named scenarios, all of them by default."""
    unknown = [name for name in names if name not in SCENARIOS]
    if unknown:
        raise SystemExit(f"there is no scenario {unknown[0]!r}; valid values: {', '.join(SCENARIOS)}")
    for name in names or SCENARIOS:
        record(name)


if __name__ == "__main__":
    main(sys.argv[1:])
