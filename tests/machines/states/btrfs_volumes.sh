# --disks 3x256MiB
# A Btrfs on logical volumes of two groups, one of which is not active.
for disk in a b; do pvcreate -qq /dev/ubd$disk; vgcreate -qq vg$disk /dev/ubd$disk; lvcreate -qq -y -l 100%FREE -n data vg$disk; done
mkfs.btrfs -qf -L tank -d raid1 -m raid1 /dev/vga/data /dev/vgb/data; udevadm settle
state btrfs-on-volumes
vgchange -qq -an vgb; udevadm settle; btrfs device scan --forget
state btrfs-on-volumes-one-not-active
mkdir -p /srv/tank; mount -o degraded /dev/vga/data /srv/tank; dd if=/dev/urandom of=/srv/tank/new bs=1M count=8 status=none; sync
state btrfs-on-volumes-one-not-active-mounted
umount /srv/tank; vgchange -qq -ay vgb; udevadm settle
state btrfs-on-volumes-one-out-of-date
