# --disks 5x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=none /dev/ubda /dev/ubdb /dev/ubdc
idle
mdadm -q --stop /dev/md/tank; udevadm settle; stop_all
state md-stopped
mdadm -q --incremental /dev/ubda; mdadm -q --incremental /dev/ubdb; udevadm settle
state md-inactive-one-outside
mdadm -q --incremental /dev/ubdc; udevadm settle
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb
mkfs.ext4 -qF /dev/md/tank
state md-former-stale
gone ubdd ubde; mkfs.ext4 -qF /dev/ubdd; mkfs.ext4 -qF /dev/ubde
state md-former-stale-no-disk-free
stop_all; gone ubda ubdb ubdc ubdd ubde
$create /dev/md/mirror --level=1 --raid-devices=2 --bitmap=internal /dev/ubda /dev/ubdb; idle
stop_all
dd if=/dev/ubda of=/dev/ubdc bs=1M status=none; stop_all
state md-clone-all-stopped
mdadm -q --assemble --run /dev/md/mirror /dev/ubda /dev/ubdb; udevadm settle
state md-clone-beside-running
