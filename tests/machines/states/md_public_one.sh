# --disks 6x160MiB
# Three of four members were disconnected together, in an array with the oldest superblock: all are held as spares.
mdadm --create /dev/md0 --run --quiet --metadata=0.90 --level=5 --raid-devices=4 /dev/ubd[a-d]; idle
mkfs.ext4 -qF /dev/md0
mdadm -q /dev/md0 --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md0 --remove /dev/ubdb; stop_all
mkdir -p /run/keep; for one in c d; do dd if=/dev/ubd$one of=/run/keep/$one bs=1M status=none; done
mdadm -q --assemble --run /dev/md0 /dev/ubda /dev/ubdc /dev/ubdd
for n in 1 2 3; do dd if=/dev/urandom of=/dev/md0 bs=1M count=1 seek=$((80 + n)) oflag=direct status=none; sleep 0.5; done; stop_all
for one in c d; do dd if=/run/keep/$one of=/dev/ubd$one bs=1M status=none; done; stop_all
for one in a b c d; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle
state public-three-of-four-out-of-date
stop_all; gone ubda ubdb ubdc ubdd
# A disk was pulled as a test: one member is held, and the others are here too (a NAS).
$create /dev/md/nas --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle
stop_all; mdadm -q --incremental /dev/ubdd; mdadm -q --incremental /dev/ubdb; udevadm settle
state public-one-held-two-outside
stop_all
# Another member fails while the first one is rebuilt.
mdadm -q --assemble --run /dev/md/nas /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle
mdadm -q /dev/md/nas --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/nas --remove /dev/ubdb
mdadm -q --zero-superblock /dev/ubdb; echo 500 >/sys/block/md127/md/sync_speed_max
mdadm -q /dev/md/nas --add /dev/ubdb; sleep 2; mdadm -q /dev/md/nas --fail /dev/ubdc; sleep 1
state public-second-failure-during-rebuild
stop_all
state public-second-failure-during-rebuild-stopped
stop_all; gone ubda ubdb ubdc
# A power cut while a degraded array was being written to: copies of the disks at that moment.
$create /dev/md/nas --level=5 --raid-devices=3 --bitmap=none /dev/ubda /dev/ubdb /dev/ubdc; idle
mkfs.ext4 -qF /dev/md127; mdadm -q /dev/md/nas --fail /dev/ubdc; sleep 0.5; mdadm -q /dev/md/nas --remove /dev/ubdc; gone ubdc
mkdir -p /mnt/x; mount /dev/md127 /mnt/x; (while :; do dd if=/dev/urandom of=/mnt/x/f bs=64K count=16 conv=fsync status=none; done) & writer=$!
sleep 2; dd if=/dev/ubda of=/dev/ubdd bs=1M iflag=direct status=none; dd if=/dev/ubdb of=/dev/ubde bs=1M iflag=direct status=none
kill $writer; wait $writer; umount /mnt/x; stop_all; gone ubda ubdb; stop_all
state public-cut-while-degraded-stopped
mdadm -q --incremental /dev/ubdd; mdadm -q --incremental /dev/ubde; udevadm settle
state public-cut-while-degraded-inactive
