# --disks 4x2GiB
# A replacement was interrupted, and more than one disk is gone afterwards.
mkdir -p /srv/tank
begin() { mkfs.btrfs -fq -L tank -d $1 -m $1 /dev/ubda /dev/ubdb /dev/ubdc; mount /dev/ubda /srv/tank
for n in 1 2 3 4 5 6; do dd if=/dev/urandom of=/srv/tank/f$n bs=1M count=100 status=none; done; sync
btrfs replace start -f 1 /dev/ubdd /srv/tank; sleep 0.5; mount -o remount,ro /srv/tank; umount /srv/tank; }
lose() { gone $*; btrfs device scan --forget; btrfs device scan; }
begin raid1; lose ubda ubdd
state btrfs-replacement-interrupted-both-disks-gone
mount -o degraded /dev/ubdb /srv/tank
state btrfs-replacement-interrupted-both-disks-gone-mounted
umount /srv/tank; gone ubdb ubdc; begin raid1c3; lose ubdb
state btrfs-replacement-interrupted-another-gone
lose ubda
state btrfs-replacement-interrupted-two-gone
