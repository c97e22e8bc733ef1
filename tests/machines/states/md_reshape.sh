# --disks 5x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle
mkfs.ext4 -qF /dev/md127
mdadm -q /dev/md/tank --add /dev/ubdd; echo 500 >/sys/block/md127/md/sync_speed_max
mdadm -q --grow /dev/md/tank --raid-devices=4; sleep 2
state md-reshape-running
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 1
state md-reshape-degraded
mdadm -q --stop /dev/md/tank; udevadm settle; mdadm --stop --scan -q; udevadm settle
state md-reshape-stopped
mdadm -q --assemble --readonly --run /dev/md/tank /dev/ubda /dev/ubdc /dev/ubdd; udevadm settle
state md-reshape-parked
mdadm -q --readwrite /dev/md/tank; echo max >/sys/block/md127/md/sync_speed_max; idle
state md-reshape-ended
