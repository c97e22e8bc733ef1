# --disks 3x160MiB
# A reboot ended a rebuild: it waits for the first write, and /proc/mdstat shows nothing of it.
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=none /dev/ubda /dev/ubdb /dev/ubdc; idle
mdadm -q /dev/md/tank --fail /dev/ubdc; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdc; mdadm -q --zero-superblock /dev/ubdc
echo 500 >/sys/block/md127/md/sync_speed_max; mdadm -q /dev/md/tank --add /dev/ubdc; sleep 1
stop_all; for one in a b c; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle
state md-rebuild-parked
