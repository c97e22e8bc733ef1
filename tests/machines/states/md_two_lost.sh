# --disks 5x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc
idle
mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb
dd if=/dev/urandom of=/srv/tank/data bs=1M count=8 status=none; sync
mdadm -q /dev/md/tank --fail /dev/ubdc; sleep 0.5
state md-two-failed
mdadm -q /dev/md/tank --remove /dev/ubdc
state md-two-failed-and-removed
umount -l /srv/tank; sleep 1; mdadm --stop /dev/md/tank; udevadm settle; stop_all
state md-two-failed-stopped
mdadm -q --incremental /dev/ubda; udevadm settle
state md-two-failed-inactive
stop_all; gone ubdc; stop_all
state md-two-failed-one-gone
mdadm --stop --scan; gone ubda ubdb; stop_all
$create /dev/md/six --level=6 --raid-devices=4 /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd
idle
mdadm -q /dev/md/six --fail /dev/ubda; sleep 0.5
state md-raid6-one-failed
mdadm -q /dev/md/six --fail /dev/ubdb; sleep 0.5
state md-raid6-two-failed
mdadm -q /dev/md/six --fail /dev/ubdc; sleep 0.5
state md-raid6-three-failed
