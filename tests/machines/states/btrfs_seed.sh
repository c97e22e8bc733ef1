# --disks 2x256MiB
mkfs.btrfs -q -f -L seed /dev/ubda; mkdir -p /srv/tank; mount /dev/ubda /srv/tank
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=20 status=none; umount /srv/tank
btrfstune -S 1 /dev/ubda; mount /dev/ubda /srv/tank; btrfs device add -f /dev/ubdb /srv/tank
mount -o remount,rw /srv/tank; echo more >/srv/tank/more; sync; udevadm settle
state btrfs-grown-from-a-seed-mounted
umount /srv/tank; udevadm settle
state btrfs-grown-from-a-seed
raidtui status
mount /dev/ubdb /srv/tank && ls /srv/tank; umount /srv/tank
gone ubda; btrfs device scan --forget; btrfs device scan
state btrfs-seed-missing
