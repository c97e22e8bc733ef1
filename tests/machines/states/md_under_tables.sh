# --disks 3x160MiB
# A mirror with its superblock at the end of whole disks, where a new partition table has its copy.
mdadm --create --run --quiet --homehost=lab --metadata=1.0 /dev/md/tank --level=1 --raid-devices=2 /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank; seq 100000 >/srv/tank/data; umount /srv/tank; stop_all
for disk in ubda ubdb; do echo 'size=+' | sfdisk -q -X gpt /dev/$disk; done; udevadm settle
state md-mirror-under-new-tables
