# --disks 4x160MiB
$create --level=5 --raid-devices=3 --assume-clean --name=tank /dev/md/tank /dev/ubda /dev/ubdb /dev/ubdc
mkfs.ext4 -qF /dev/md/tank
alone() { udevadm settle; udevadm control --stop-exec-queue; mdadm -q --stop /dev/md/tank; }
# A timer starts it before two of its disks are there; mdadm then takes no other member.
alone; mdadm -q --incremental /dev/ubda; mdadm --run /dev/md127; mdadm --incremental /dev/ubdb; mdadm --incremental /dev/ubdc
udevadm control --start-exec-queue; state md-start-failed
mdadm -q --stop /dev/md127; mdadm -q --assemble /dev/md/tank /dev/ubd[abc]; udevadm settle
mdadm -q /dev/md/tank --fail /dev/ubdb; mdadm -q /dev/md/tank --remove /dev/ubdb; mkfs.ext4 -qF /dev/md/tank
alone; mdadm -q --incremental /dev/ubda; mdadm -q --incremental /dev/ubdb; mdadm --run /dev/md127; mdadm --incremental /dev/ubdc
udevadm control --start-exec-queue; state md-start-failed-one-out-of-date
