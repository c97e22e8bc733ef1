# --disks 4x160MiB
made() { $create /dev/md/tank --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank; stop_all; }
# Created again in its order with another layout: the first chunk is the same, and so is the beginning of its filesystem.
made; $create /dev/md/tank --level=5 --raid-devices=3 --assume-clean --layout=left-asymmetric /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle
state md-created-again-with-another-layout
