# --disks 4x160MiB
$create /dev/md/tank --level=5 --bitmap=internal --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank; stop_all
for one in a b c; do dd if=/dev/urandom of=/dev/ubd$one bs=4096 seek=2 count=1 conv=notrunc status=none; done; udevadm settle
state md-bitmap-damaged-inactive
stop_all
state md-bitmap-damaged-stopped
gone ubdc
state md-bitmap-damaged-one-gone
