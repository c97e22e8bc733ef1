# --disks 4x700MiB
# A volume group on arrays has what a group on disks has.
export LVM_SUPPRESS_FD_WARNINGS=1
$create /dev/md/one --level=1 --bitmap=none --assume-clean --raid-devices=2 /dev/ubda /dev/ubdb; $create /dev/md/two --level=1 --bitmap=none --assume-clean --raid-devices=2 /dev/ubdc /dev/ubdd
mdadm --detail --scan > /etc/mdadm/mdadm.conf; echo MAILADDR root >> /etc/mdadm/mdadm.conf; pvcreate -qq /dev/md/one /dev/md/two; vgcreate -qq tank /dev/md/one /dev/md/two
lvcreate -qq -y -n root -L 40M tank /dev/md/one; lvcreate -qq -y -L 40M -T tank/pool; lvcreate -qq -y -V 200M -T tank/pool -n data
dd if=/dev/urandom of=/dev/tank/data bs=1M count=50 oflag=direct status=none; sleep 1
state lvm-on-arrays-thin-pool-full
mdadm -q /dev/md/one --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/one --remove /dev/ubdb
state lvm-on-arrays-degraded-and-thin-pool-full
mdadm -q /dev/md/one --add /dev/ubdb; idle; lvremove -qq -ff -y tank/pool
dmsetup suspend tank-root
state lvm-on-arrays-suspended
dmsetup resume tank-root; lvchange -qq -ky tank/root; vgchange -qq -an tank
state lvm-on-arrays-activation-skipped
lvremove -qq -ff -y tank/root; lvcreate -qq -y -n data -l 90%PVS tank /dev/md/one; mkfs.ext4 -q /dev/tank/data
timeout -s KILL 1.5 pvmove -i 1 /dev/md/one /dev/md/two; sleep 1
state lvm-on-arrays-move-interrupted
