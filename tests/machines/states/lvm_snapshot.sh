# --disks 3x160MiB
# Snapshots, as a backup makes them. A mirror that has one is well.
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb
lvcreate -qq -y --type raid1 -m1 -L 64M -n data tank; until dmsetup status tank-data | grep -q 'AA .* idle'; do sleep 0.2; done
mkfs.ext4 -qF /dev/tank/data
lvcreate -qq -y -s -L 24M -n backup tank/data; udevadm settle
state lvm-mirror-with-a-snapshot
# It lacks a disk, and the kernel knows.
dd if=/dev/ubdb of=/run/b bs=1M status=none; gone ubdb; pvscan --cache
dd if=/dev/urandom of=/dev/tank/data bs=1M seek=10 count=4 oflag=direct status=none; sleep 1
state lvm-mirror-with-a-snapshot-degraded
dd if=/run/b of=/dev/ubdb bs=1M status=none; udevadm settle; pvscan --cache
lvremove -qq -y tank; vgremove -qq -y tank; gone ubda ubdb; dmsetup remove_all
# A backup that took longer than its snapshot lasted.
pvcreate -qq /dev/ubda; vgcreate -qq tank /dev/ubda; lvcreate -qq -y -n data -L 60M tank; mkfs.ext4 -qF /dev/tank/data
lvcreate -qq -y -s -L 8M -n backup tank/data; udevadm settle
dd if=/dev/urandom of=/dev/tank/data bs=1M seek=10 count=20 oflag=direct status=none; sleep 1
state public-snapshot-full
