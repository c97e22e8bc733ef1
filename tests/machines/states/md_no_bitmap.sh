# --disks 2x101GiB
# A large mirror whose bitmap somebody turned off, because writes were slow.
$create /dev/md/tank --level=1 --assume-clean --bitmap=internal --raid-devices=2 /dev/ubda /dev/ubdb; udevadm settle; mkfs.xfs -qf /dev/md/tank 2>/dev/null || mkfs.ext4 -qF -E lazy_itable_init=1,lazy_journal_init=1 /dev/md/tank
state md-large-with-a-bitmap
mdadm -q --grow --bitmap=none /dev/md/tank; udevadm settle
state md-large-without-a-bitmap
