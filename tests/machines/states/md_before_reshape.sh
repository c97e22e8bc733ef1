# --disks 3x160MiB
# A third copy was taken out as a backup, and the mirror made one of two. At boot the copy came first.
$create /dev/md/tank --level=1 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank
mdadm -q /dev/md/tank --fail /dev/ubda; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubda; mdadm -q --grow /dev/md/tank --raid-devices=2
stop_all; for one in a b c; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle
state md-held-by-a-member-from-before-a-reshape
