# --disks 4x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --write-journal /dev/ubdd /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank
mdadm -q /dev/md/tank --fail /dev/ubda; sleep 0.5; stop_all
state md-with-a-journal-degraded-stopped
mdadm -q --incremental /dev/ubdb; udevadm settle
state md-with-a-journal-degraded-inactive
