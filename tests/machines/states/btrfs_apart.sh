# --disks 2x256MiB --memory 2GiB
# Each half of a mirror was mounted degraded and written to, while the other was away; now both are here.
mkfs.btrfs -qf -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; mkdir -p /mnt/x /run/keep; mount /dev/ubda /mnt/x; echo 1 >/mnt/x/f; umount /mnt/x
used() { gone $2; btrfs device scan --forget; mount -o degraded /dev/$1 /mnt/x; for n in $(seq $3); do echo $n >/mnt/x/$1$n; sync; done; umount /mnt/x; }
dd if=/dev/ubdb of=/run/keep/b bs=1M status=none; used ubda ubdb 2; dd if=/dev/ubda of=/run/keep/a bs=1M status=none
dd if=/run/keep/b of=/dev/ubdb bs=1M status=none; used ubdb ubda 4; dd if=/run/keep/a of=/dev/ubda bs=1M status=none
udevadm trigger; udevadm settle; btrfs device scan
state btrfs-used-apart
