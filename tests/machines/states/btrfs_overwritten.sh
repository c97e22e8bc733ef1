# --disks 3x256MiB
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan
mkdir -p /srv/tank; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; umount /srv/tank
dd if=/dev/zero of=/dev/ubda bs=1M count=1 conv=notrunc status=none; btrfs device scan --forget; udevadm settle
state btrfs-superblock-zeroed
printf 'label: gpt\n' | sfdisk -q /dev/ubdb; wipefs -qa -t btrfs /dev/ubdb; btrfs device scan --forget; udevadm settle
state btrfs-both-superblocks-gone
mkfs.ext4 -qF /dev/ubda; udevadm settle
state btrfs-superblock-gone-beside-its-successor
mkfs.btrfs -q -f -L alone /dev/ubdc; wipefs -qa /dev/ubdc; gone ubda ubdb; btrfs device scan --forget; udevadm settle
state btrfs-alone-wiped
