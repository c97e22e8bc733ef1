# --disks 5x256MiB
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan
mkdir -p /srv/tank /run/keep; mount /dev/ubda /srv/tank
echo "UUID=$(blkid -s UUID -o value /dev/ubda) /srv/tank btrfs defaults,nofail 0 0" >>/etc/fstab
dd if=/dev/urandom of=/srv/tank/photos bs=1M count=30 status=none; sync
state btrfs-well
dd if=/dev/ubdb of=/dev/ubdc bs=1M status=none; udevadm settle
state btrfs-clone-beside-mounted
gone ubdc
dd if=/dev/urandom of=/dev/ubdb bs=1M seek=70 count=180 conv=notrunc oflag=direct status=none; echo 3 >/proc/sys/vm/drop_caches
btrfs scrub start -B /srv/tank
state btrfs-errors-counted
btrfs device stats -z /srv/tank; umount /srv/tank
dd if=/dev/ubdb of=/run/keep/b bs=1M status=none; gone ubdb; btrfs device scan --forget; btrfs device scan
state btrfs-device-missing-not-mounted
mount -o degraded /dev/ubda /srv/tank
state btrfs-device-missing
dd if=/dev/urandom of=/srv/tank/more bs=1M count=60 status=none; sync
state btrfs-device-missing-written
umount /srv/tank; btrfs device scan --forget
dd if=/run/keep/b of=/dev/ubdb bs=1M status=none; udevadm settle; btrfs device scan
state btrfs-device-back-not-mounted
mount /dev/ubda /srv/tank
state btrfs-single-chunks-left
umount /srv/tank; btrfs device scan --forget; cp /dev/ubdb /dev/ubdc 2>/dev/null || dd if=/dev/ubdb of=/dev/ubdc bs=1M; udevadm settle
state btrfs-clone-beside
sed -i /srv/d /etc/fstab; gone ubda ubdb ubdc
mkfs.btrfs -q -f -L wide -d raid0 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan
mount /dev/ubda /srv/tank; dd if=/dev/urandom of=/srv/tank/photos bs=1M count=40 status=none; umount /srv/tank
gone ubdb; btrfs device scan --forget; btrfs device scan
state btrfs-raid0-device-missing
