# --disks 4x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc
idle
mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
seq 1000000 >/srv/tank/data; sync
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 1; mdadm -q /dev/md/tank --fail /dev/ubdc; sleep 1
umount /srv/tank; udevadm settle
state md-two-failed-unmounted
