# --disks 3x256MiB
# A filesystem of one disk got a second one, and only its data was converted.
mkdir -p /srv/tank
mkfs.btrfs -q -f -L tank -d single -m dup /dev/ubda; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=40 status=none
btrfs device add -f /dev/ubdb /srv/tank; btrfs balance start -dconvert=raid1 /srv/tank
state public-btrfs-metadata-on-one-disk
