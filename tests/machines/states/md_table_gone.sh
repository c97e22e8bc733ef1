# --disks 4x160MiB
# Metadata 0.90 on the last partition of each disk, which is at the end of the disk too.
for disk in ubda ubdb ubdc; do printf 'label: dos\nstart=2048, type=fd\n' | sfdisk -q /dev/$disk; done; udevadm settle
mdadm --create --run --quiet --homehost=lab --metadata=0.90 /dev/md0 --level=5 --raid-devices=3 /dev/ubd[abc]1; idle; mkfs.ext4 -qF /dev/md0; stop_all
state md-last-partitions-0.90
dd if=/dev/zero of=/dev/ubda bs=512 count=1 status=none; blockdev --rereadpt /dev/ubda; udevadm settle; stop_all
state md-last-partitions-0.90-one-table-gone
