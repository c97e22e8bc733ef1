# --disks 4x256MiB
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan
mkdir -p /srv/tank /run/keep; mount /dev/ubda /srv/tank
echo "UUID=$(blkid -s UUID -o value /dev/ubda) /srv/tank btrfs defaults,nofail 0 0" >>/etc/fstab
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; umount /srv/tank
dd if=/dev/ubdb of=/run/keep/b bs=1M status=none; gone ubdb; btrfs device scan --forget; btrfs device scan
mount -o degraded /dev/ubda /srv/tank
dd if=/run/keep/b of=/dev/ubdb bs=1M status=none; udevadm settle; btrfs device scan
state btrfs-device-back-mounted
