# --disks 3x160MiB
# Members that are devices over disks: multipath devices with one path each, and devices with dm-integrity.
sectors=$(blockdev --getsz /dev/ubda)
paths() { for disk in ubda ubdb; do dmsetup create mpath_$disk -u mpath-3600$disk --table "0 $sectors linear /dev/$disk 0"; done; udevadm settle; }
paths; $create --assume-clean /dev/md/tank -l1 -n2 /dev/mapper/mpath_ubda /dev/mapper/mpath_ubdb; mkfs.ext4 -qF /dev/md/tank
mdadm -q /dev/md/tank --fail /dev/mapper/mpath_ubdb; mdadm -q /dev/md/tank --remove /dev/mapper/mpath_ubdb
state md-on-multipath-degraded
stop_all
state md-on-multipath-stopped
dmsetup remove mpath_ubda mpath_ubdb; wipefs -aqf /dev/ubda /dev/ubdb
for disk in ubda ubdb; do
  integritysetup format -q --no-wipe /dev/$disk; integritysetup open --integrity-recalculate /dev/$disk on_$disk
done
udevadm settle; sleep 3
$create --assume-clean /dev/md/tank -l1 -n2 /dev/mapper/on_ubda /dev/mapper/on_ubdb; mkfs.ext4 -qF /dev/md/tank; stop_all
integritysetup close on_ubdb; udevadm settle
state md-on-integrity-one-not-open
