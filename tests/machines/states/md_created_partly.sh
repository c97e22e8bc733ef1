# --disks 5x160MiB
# Created again without the disk that was thought bad, in another order: that one has the superblock of the older array.
$create /dev/md/tank --level=5 --raid-devices=4 /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd; idle; mkfs.ext4 -qF /dev/md/tank; stop_all; sleep 1
$create /dev/md/tank --level=5 --raid-devices=4 --assume-clean /dev/ubdb /dev/ubda /dev/ubdc missing
state md-created-again-with-one-missing
stop_all; sleep 1
# Or of fewer members: the filesystem is there, and too large.
$create /dev/md/tank --level=5 --raid-devices=3 --assume-clean /dev/ubda /dev/ubdb /dev/ubdc
state md-created-again-of-fewer-members
