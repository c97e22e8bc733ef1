# --disks 4x2GiB
mkfs.btrfs -fq -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; mkdir -p /srv/tank; mount /dev/ubda /srv/tank
for n in 1 2 3 4 5 6 7 8; do dd if=/dev/urandom of=/srv/tank/f$n bs=1M count=100 status=none; done; sync
btrfs replace start -f 1 /dev/ubdc /srv/tank; sleep 0.5; mount -o remount,ro /srv/tank
state btrfs-replacement-interrupted-read-only
umount /srv/tank
state btrfs-replacement-interrupted
gone ubda; btrfs device scan --forget; btrfs device scan
state btrfs-replacement-interrupted-source-gone
# The other way round: the new disk is gone.
wipefs -aq /dev/ubdb /dev/ubdc; mkfs.btrfs -fq -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; mount /dev/ubda /srv/tank
for n in 1 2 3 4 5 6 7 8; do dd if=/dev/urandom of=/srv/tank/f$n bs=1M count=100 status=none; done; sync
btrfs replace start -f 1 /dev/ubdc /srv/tank; sleep 0.5; mount -o remount,ro /srv/tank; umount /srv/tank
gone ubdc; btrfs device scan --forget; btrfs device scan
state btrfs-replacement-interrupted-target-gone
mount -o degraded /dev/ubda /srv/tank
state btrfs-replacement-interrupted-target-gone-mounted
btrfs replace cancel /srv/tank; umount /srv/tank
state btrfs-replacement-canceled
