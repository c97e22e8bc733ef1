# --disks 4x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc
idle
mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
mdadm --detail --brief /dev/md/tank >>/etc/mdadm/mdadm.conf
seq 1000000 >/srv/tank/data; umount /srv/tank; stop_all
echo 100 >/proc/sys/dev/raid/speed_limit_min; echo 100 >/proc/sys/dev/raid/speed_limit_max
$create /dev/md/tank --level=5 --raid-devices=3 /dev/ubdb /dev/ubda /dev/ubdc; sleep 2
state md-created-again-and-syncing
stop_all
state md-created-again-and-stopped-in-its-sync
# As at the next boot: udev takes it up again.
for one in a b c; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle; sleep 1
state md-created-again-and-started-in-its-sync
