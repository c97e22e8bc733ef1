# --disks 5x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc
idle
mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
echo write_error >/sys/block/md127/md/dev-ubdb/state; echo want_replacement >/sys/block/md127/md/dev-ubdb/state
sleep 0.5
state md-write-error
echo -want_replacement >/sys/block/md127/md/dev-ubdb/state; echo -write_error >/sys/block/md127/md/dev-ubdb/state
echo 24 >/sys/block/md127/md/dev-ubdb/errors
state md-errors-counted
echo 0 >/sys/block/md127/md/dev-ubdb/errors
dd if=/dev/urandom of=/dev/ubdc bs=1M seek=50 count=1 conv=notrunc oflag=direct status=none
echo check >/sys/block/md127/md/sync_action; idle
state md-mismatches
mdadm -q /dev/md/tank --add-spare /dev/ubdd; echo 500 >/sys/block/md127/md/sync_speed_max
mdadm -q /dev/md/tank --replace /dev/ubdb --with /dev/ubdd; sleep 1
state md-hot-replace-running
