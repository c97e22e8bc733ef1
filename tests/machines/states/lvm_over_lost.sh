# --disks 5x160MiB
# A group over two arrays, of which one lost two members, and volumes on one of them and on both.
$create /dev/md/one --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; $create /dev/md/two --level=1 --raid-devices=2 /dev/ubdd /dev/ubde; idle
pvcreate -qq /dev/md/one /dev/md/two; vgcreate -qq big /dev/md/one /dev/md/two
lvcreate -qq -y -L 100M -n small big /dev/md/one; lvcreate -qq -y -l 100%FREE -n data big; vgchange -qq -an big
mdadm -q /dev/md/one --fail /dev/ubda; mdadm -q /dev/md/one --fail /dev/ubdb; sleep 3
stop_all; for one in a b c d e; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle
state lvm-over-an-array-that-lost-two
