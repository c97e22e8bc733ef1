# --disks 5x160MiB
# What a crash, or a person, leaves behind in md.
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle
md=/sys/block/md127/md
echo frozen >$md/sync_action; state left-md-frozen; echo idle >$md/sync_action
echo 65536 >$md/sync_min; state left-md-sync-min; echo 0 >$md/sync_min
echo 131072 >$md/sync_max; state left-md-sync-max; echo max >$md/sync_max
echo 5 >$md/sync_speed_min; echo 10 >$md/sync_speed_max; state left-md-speed
echo system >$md/sync_speed_max; echo system >$md/sync_speed_min
mdadm -q --readonly /dev/md/tank; state left-md-read-only; mdadm -q --readwrite /dev/md/tank
blockdev --setro /dev/ubdb; state left-disk-read-only; blockdev --setrw /dev/ubdb
stop_all; gone ubda ubdb ubdc
# And in LVM.
vgcreate -q tank /dev/ubda /dev/ubdb /dev/ubdc; lvcreate -qy --type raid1 -m1 -L32M -n data tank; lvcreate -qy -L32M -n plain tank
until dmsetup status --target raid | grep -q idle; do sleep 0.2; done
dmsetup message tank-data 0 frozen; state left-lvm-frozen; dmsetup message tank-data 0 idle
dmsetup suspend tank-data; state left-lvm-suspended; dmsetup resume tank-data
dmsetup suspend tank-plain; state left-lvm-plain-suspended; dmsetup resume tank-plain
lvchange -qy --maxrecoveryrate 1k tank/data; state left-lvm-speed
