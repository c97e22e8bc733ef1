# --disks 4x256MiB
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan; mkdir -p /srv/tank; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; sync
dd if=/dev/ubdb of=/dev/ubdc bs=1M status=none; udevadm settle
for n in 1 2 3; do dd if=/dev/urandom of=/srv/tank/more$n bs=1M count=1 status=none; btrfs filesystem sync /srv/tank; done
state btrfs-older-clone-beside-mounted
umount /srv/tank; udevadm settle
state btrfs-older-clone-beside
