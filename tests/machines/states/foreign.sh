# --disks 4x6GiB
# Disks out of a NAS, each with the partitions that its maker's system makes; the arrays are made without a sync.
table() { local disk; for disk in ubda ubdb ubdc ubdd; do printf '%s\n' "$@" | sfdisk -q --wipe always /dev/$disk; done; udevadm settle; }
empty() { stop_all; for disk in ubda ubdb ubdc ubdd; do wipefs -aqf /dev/${disk}[1-9] /dev/$disk; done 2>/dev/null; udevadm settle; }
clear() { for disk in ubda ubdb ubdc ubdd; do dd if=/dev/zero of=/dev/$disk bs=1M count=6 status=none; blkdiscard -f /dev/$disk 2>/dev/null; done; udevadm settle; }
make="mdadm --create --run --quiet --assume-clean"
# Synology, SHR: the first partition 2.4 GB, the second 2 GB, the data on the fifth.
table 'label: gpt' 'first-lba: 34' '1: start=256, size=4980480, type=R' '2: start=4980736, size=4194304, type=R' '5: start=9453280, type=R'
$make /dev/md0 --metadata=0.90 --level=1 --raid-devices=8 /dev/ubd[abcd]1 missing missing missing missing
$make /dev/md1 --metadata=0.90 --level=1 --raid-devices=8 /dev/ubd[abcd]2 missing missing missing missing
$make /dev/md2 --homehost=DiskStation --name=2 --metadata=1.2 --bitmap=internal --level=5 --chunk=64 --raid-devices=4 /dev/ubd[abcd]5
pvcreate -qq /dev/md2; vgcreate -qq vg1000 /dev/md2; lvcreate -qq -y -Wn -l100%FREE -n lv vg1000; mkfs.btrfs -qf -L 2023.01.01-00:00:00 /dev/vg1000/lv
vgchange -qq -an vg1000; stop_all
state synology-shr
wipefs -aqf /dev/ubdd5 /dev/ubdd1 /dev/ubdd2 /dev/ubdd; blockdev --rereadpt /dev/ubdd; udevadm settle; stop_all
state synology-shr-three-of-four
for part in 1 2 5; do mdadm --incremental -q /dev/ubda$part; mdadm --incremental -q /dev/ubdb$part;  mdadm --incremental -q /dev/ubdc$part; done; udevadm settle
state synology-shr-half-assembled
mdadm --run -q /dev/md127; udevadm settle
state synology-shr-degraded-auto-read-only
vgchange -qq -an vg1000; empty; clear
# QNAP, before its storage pools: 518 MiB twice, the data, 486 MiB.
table 'label: gpt' 'first-lba: 34' '1: start=40, size=1060250, type=R' '2: start=1060296, size=1060284, type=R' '3: start=2120584, size=8000000, type=R' '4: start=10120592, size=996024, type=R'
$make /dev/md9 --metadata=0.90 --level=1 --raid-devices=4 /dev/ubd[abcd]1
$make /dev/md13 --metadata=0.90 --level=1 --raid-devices=4 /dev/ubd[abcd]4
$make /dev/md0 --metadata=0.90 --level=6 --chunk=64 --raid-devices=4 /dev/ubd[abcd]3
mkfs.ext4 -qF /dev/md0; stop_all
state qnap-raid6
empty; clear
# Netgear ReadyNAS: 4 GiB from sector 64, 512 MiB, the data.
table 'label: gpt' 'first-lba: 34' '1: start=64, size=8388608, type=R' '2: start=8388672, size=1048576, type=R' '3: start=9437248, type=R'
$make /dev/md/root --homehost=0e35ac1d --name=0 --metadata=1.2 --bitmap=none --level=1 --raid-devices=4 /dev/ubd[abcd]1
$make /dev/md/swap --homehost=0e35ac1d --name=1 --metadata=1.2 --bitmap=none --level=10 --raid-devices=4 /dev/ubd[abcd]2
$make /dev/md/data --homehost=0e35ac1d --name=data-0 --metadata=1.2 --bitmap=none --level=5 --chunk=64 --raid-devices=4 /dev/ubd[abcd]3
mkfs.btrfs -qf -L 0e35ac1d:data /dev/md/data; stop_all
state readynas-raid5
empty; clear
# Buffalo TeraStation: 376 MiB, swap, the data, 188 MiB.
table 'label: gpt' '1: start=2048, size=771057, type=R' '2: start=774144, size=273105, type=swap' '3: start=1048576, size=10000000, type=R' '4: start=11500000, size=385558, type=R'
$make /dev/md0 --metadata=0.90 --level=1 --raid-devices=4 /dev/ubd[abcd]1
$make /dev/md1 --metadata=0.90 --level=5 --chunk=64 --raid-devices=4 /dev/ubd[abcd]3
mkfs.xfs -qf /dev/md1; stop_all
state buffalo-raid5
empty; clear
# An old computer, whose host is in the name: half of its mirror, on a whole disk.
$make /dev/md/photos --homehost=oldpc --metadata=1.2 --bitmap=internal --level=1 --raid-devices=2 /dev/ubda /dev/ubdb
mkfs.ext4 -qF /dev/md/photos; stop_all; wipefs -aq /dev/ubdb
state oldpc-half-of-a-mirror
