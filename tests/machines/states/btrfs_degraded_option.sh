# --disks 3x2GiB
mkfs.btrfs -fq -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; mkdir -p /srv/tank /srv/photos
uuid=$(blkid -s UUID -o value /dev/ubda)
echo "UUID=$uuid /srv/tank btrfs degraded 0 0" >>/etc/fstab
echo "/dev/ubda /srv/photos btrfs nofail,degraded,noatime 0 0" >>/etc/fstab
mount /srv/tank
state btrfs-degraded-in-fstab
umount /srv/tank; gone ubdb; btrfs device scan --forget; btrfs device scan; mount /srv/tank
state btrfs-degraded-in-fstab-one-gone
