# --disks 4x128MiB
# A group over two arrays, of which one did not start, since it lacks a member: that one comes first.
$create /dev/md/p1 --level=1 --raid-devices=2 /dev/ubda /dev/ubdb; $create /dev/md/p2 --level=1 --raid-devices=2 /dev/ubdc /dev/ubdd; idle
pvcreate -qq /dev/md/p1 /dev/md/p2; vgcreate -qq big /dev/md/p1 /dev/md/p2; lvcreate -qq -y -l 100%FREE -n data big; mkfs.ext4 -qF /dev/big/data
vgchange -qq -an big; stop_all; gone ubdc; for one in a b d; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle; pvscan --cache -q
state lvm-over-an-array-that-lacks-a-member
