# --disks 8x96MiB,1x100662784B
cp /etc/mdadm/mdadm.conf /run/conf; cp /etc/fstab /run/fstab
# mdadm.conf and fstab have a number that the array did not get.
$create /dev/md/tank -l1 -n2 --bitmap=internal /dev/ubda /dev/ubdb; idle; mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank
echo "ARRAY /dev/md0 metadata=1.2 name=lab:0 UUID=$(mdadm --detail --export /dev/md127 | sed -n 's/^MD_UUID=//p')" >>/etc/mdadm/mdadm.conf
echo "/dev/md0 /srv/tank ext4 defaults 0 2" >>/etc/fstab
state public-renumbered
cp /run/conf /etc/mdadm/mdadm.conf; cp /run/fstab /etc/fstab; stop_all; gone ubda ubdb
# A write journal fails, and is removed.
$create /dev/md/tank -l5 -n3 --write-journal /dev/ubdd /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md127; mount /dev/md127 /srv/tank
mdadm -q /dev/md127 --fail /dev/ubdd; sleep 1
state md-journal-failed
umount /srv/tank; mdadm -q /dev/md127 --remove /dev/ubdd
state md-journal-removed
stop_all; gone ubda ubdb ubdc ubdd
# The only free disk lacks a sector.
$create /dev/md/tank -l1 -n2 /dev/ubda /dev/ubdb; idle; mdadm -q /dev/md127 --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md127 --remove /dev/ubdb; gone ubdb
for one in b c d e f g h; do mkfs.ext4 -qF /dev/ubd$one; done
state public-only-a-smaller-disk-free
stop_all; gone ubda ubdb ubdc ubdd ubde ubdf ubdg ubdh
# No disk is free, and another array has a hot spare.
$create /dev/md/one -l1 -n2 -x1 /dev/ubda /dev/ubdb /dev/ubdc; $create /dev/md/two -l1 -n2 /dev/ubdd /dev/ubde; idle
mdadm --detail --scan | sed 's/spares=1//;s/$/ spare-group=g/' >>/etc/mdadm/mdadm.conf; mdadm -q /dev/md/two --fail /dev/ubde; sleep 0.5
for one in f g h i; do mkfs.ext4 -qF /dev/ubd$one; done
state md-spare-in-another-array
cp /run/conf /etc/mdadm/mdadm.conf; stop_all; gone ubda ubdb ubdc ubdd ubde ubdf ubdg ubdh ubdi
# A mirror over stripes of which one lacks a disk.
$create /dev/md/l -l0 -n2 /dev/ubda /dev/ubdb; $create /dev/md/r -l0 -n2 /dev/ubdc /dev/ubdd; udevadm settle
$create /dev/md/top -l1 -n2 --bitmap=internal /dev/md/l /dev/md/r; idle; mkfs.ext4 -qF /dev/md/top; stop_all; gone ubdd; stop_all
mdadm -q --assemble /dev/md/l /dev/ubda /dev/ubdb; mdadm -q -I /dev/ubdc; mdadm -q --assemble --run /dev/md/top /dev/md/l; udevadm settle
state md-on-md-lower-not-started
stop_all; gone ubda ubdb ubdc
# A volume group on an array that is not started, and on a disk.
$create /dev/md/tank -l5 -n3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle; pvcreate -qq /dev/md127 /dev/ubdd; vgcreate -qq vg /dev/md127 /dev/ubdd
lvcreate -qq -y -l100%FREE -n data vg; mkfs.ext4 -qF /dev/vg/data; vgchange -qq -an vg; stop_all; mdadm -q -I /dev/ubda; udevadm settle; pvscan --cache
state lvm-beside-an-array-not-started
vgchange -an vg; stop_all; gone ubda ubdb ubdc ubdd
# md's files cannot be read.
$create /dev/md/tank -l1 -n2 /dev/ubda /dev/ubdb; idle; mkfs.ext4 -qF /dev/md127; mount /dev/md127 /srv/tank; mkdir -p /run/empty; mount --bind /run/empty /sys/block/md127/md
state md-not-readable-in-sysfs
