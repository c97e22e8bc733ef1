# --disks 3x160MiB
# Members in a partition whose table was lost at both ends of the disk; then only at its beginning.
table() { size=$1; shift; gone $@; for one; do printf "label: gpt\n$size\n" | sfdisk -q /dev/$one; done; udevadm settle; }
lost() { for one; do
    dd if=/dev/zero of=/dev/$one bs=512 count=34 conv=notrunc status=none
    dd if=/dev/zero of=/dev/$one bs=512 seek=$(($(blockdev --getsz /dev/$one) - 33)) conv=notrunc status=none
    blockdev --rereadpt /dev/$one
done 2>/dev/null; udevadm settle; }
table size=150MiB,type=R ubda; pvcreate -qq /dev/ubda1 /dev/ubdb; vgcreate -qq data /dev/ubda1 /dev/ubdb; lvcreate -qq -y -l 100%FREE -n films data
mkfs.ext4 -qF /dev/data/films; vgchange -qq -an data
dd if=/dev/zero of=/dev/ubda bs=512 count=34 conv=notrunc status=none; blockdev --rereadpt /dev/ubda; udevadm settle
state lvm-partition-table-only-at-its-end
lost ubda
state lvm-partition-table-gone
table size=150MiB,type=R ubda ubdb ubdc; $create /dev/md/tank --level=5 --raid-devices=3 /dev/ubd[abc]1; idle; mkfs.ext4 -qF /dev/md/tank; stop_all
lost ubda; stop_all
state md-partition-table-gone
lost ubdb; stop_all
state md-two-partition-tables-gone
table type=R ubda ubdb ubdc; mdadm --create --run --quiet --homehost=lab --metadata=1.0 /dev/md/tank --level=5 --raid-devices=3 /dev/ubd[abc]1
idle; mkfs.ext4 -qF /dev/md/tank; stop_all; lost ubda ubdb; stop_all
state md-two-partition-tables-gone-1.0
table size=150MiB,type=R ubda ubdb ubdc; mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda1 /dev/ubdb1
lost ubda; btrfs device scan --forget; udevadm settle
state btrfs-partition-table-gone
lost ubdb; btrfs device scan --forget; udevadm settle
state btrfs-partition-tables-gone
