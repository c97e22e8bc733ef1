# --disks 6x160MiB
# A power cut during a growth by two disks, and one of these is gone: the reshape waits for the first write.
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle
mdadm -q /dev/md/tank --add /dev/ubdd /dev/ubde; echo 500 >/sys/block/md127/md/sync_speed_max
mdadm -q --grow /dev/md/tank --raid-devices=5; sleep 2; echo frozen >/sys/block/md127/md/sync_action
stop_all; gone ubde; for one in a b c d; do mdadm -q --incremental /dev/ubd$one; done; mdadm -q --run /dev/md127; udevadm settle
state md-reshape-parked-a-new-member-gone
stop_all; gone ubda ubdb ubdc ubdd
# A member is a device that lies on a disk as a whole, such as one that hides its bad sectors: both show its superblock.
dmsetup create below --table "0 $(blockdev --getsz /dev/ubdb) linear /dev/ubdb 0"
$create /dev/md/tank --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/mapper/below; idle; mkfs.ext4 -qF /dev/md127
mdadm -q /dev/md/tank --fail /dev/ubda; sleep 1; mdadm -q /dev/md/tank --remove /dev/ubda; gone ubda
state md-member-below-another-device
