# --disks 3x160MiB
# A degraded mirror with its superblock at the end is mounted, and its former member too, without the array.
mdadm --create --run --quiet --homehost=lab --metadata=1.0 /dev/md/tank --level=1 --raid-devices=2 /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md/tank; mdadm --detail --scan >>/etc/mdadm/mdadm.conf; stop_all; mdadm -q --assemble --run /dev/md/tank /dev/ubda
mkdir -p /srv/tank /mnt/x; echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank ext4 nofail 0 2" >>/etc/fstab
mount /dev/md/tank /srv/tank; mount -t ext4 /dev/ubdb /mnt/x; echo 1 >/mnt/x/f; sync
state md-former-mounted-by-itself
mkfs.ext4 -qF /dev/ubdc
state md-former-mounted-by-itself-no-disk-free
