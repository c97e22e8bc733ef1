# --disks 4x160MiB
# The first rebuild of a RAID5 was cut, and the array was started from the two members that were complete.
echo 500 >/proc/sys/dev/raid/speed_limit_min; echo 500 >/proc/sys/dev/raid/speed_limit_max
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; sleep 2
stop_all; echo 1000 >/proc/sys/dev/raid/speed_limit_min; echo 200000 >/proc/sys/dev/raid/speed_limit_max
mdadm -q --assemble --run /dev/md/tank /dev/ubda /dev/ubdb; udevadm settle
state md-rebuild-left-out
