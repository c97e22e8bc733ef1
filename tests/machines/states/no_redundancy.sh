# --disks 4x256MiB
mkdir -p /srv/tank
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb; lvcreate -qq -y -n data -l 100%FREE tank
mkfs.ext4 -q /dev/tank/data; mount /dev/tank/data /srv/tank; dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; sync
state lvm-linear
umount /srv/tank; vgremove -qq -f -y tank; pvremove -qq /dev/ubda /dev/ubdb
mkfs.btrfs -q -f -L tank /dev/ubda /dev/ubdb; btrfs device scan; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; sync
state btrfs-single
umount /srv/tank; btrfs device scan --forget; wipefs -qa /dev/ubda /dev/ubdb
mdadm -q --create /dev/md/tank --run --level=0 -n2 /dev/ubda /dev/ubdb; udevadm settle
mkfs.ext4 -q -E nodiscard /dev/md/tank; mount /dev/md/tank /srv/tank
state md-raid0
