# --disks 6x256MiB
mkdir -p /srv/tank /run/keep
# The replacement of a missing disk ended without an error, and nobody balanced.
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; umount /srv/tank
gone ubdb; btrfs device scan --forget; btrfs device scan
mount -o degraded /dev/ubda /srv/tank; btrfs replace start -B 2 /dev/ubdc /srv/tank
state public-replaced-and-not-balanced
umount /srv/tank; gone ubda ubdc; btrfs device scan --forget
# RAID10 of four, one missing.
mkfs.btrfs -q -f -L ten -d raid10 -m raid1c3 /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd; btrfs device scan; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=40 status=none; umount /srv/tank
gone ubdd; btrfs device scan --forget; btrfs device scan; mount -o degraded /dev/ubda /srv/tank
state public-btrfs-raid10-one-missing
umount /srv/tank; gone ubdc; btrfs device scan --forget; btrfs device scan
state public-btrfs-raid10-two-missing
gone ubda ubdb; btrfs device scan --forget
# No disk is free.
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan; mount /dev/ubda /srv/tank; umount /srv/tank
gone ubdb; for one in b c d e f; do mkfs.ext4 -qF /dev/ubd$one; done; btrfs device scan --forget; btrfs device scan; mount -o degraded /dev/ubda /srv/tank
state btrfs-device-missing-no-disk-free
