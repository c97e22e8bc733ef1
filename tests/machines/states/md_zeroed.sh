# --disks 4x200MiB
for one in a b c; do printf 'label: gpt\nsize=150MiB,type=R\n' | sfdisk -q /dev/ubd$one; done; udevadm settle
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda1 /dev/ubdb1 /dev/ubdc1
idle
mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
for number in $(seq 20); do seq $number 30000 >/srv/tank/list$number; done; umount /srv/tank
stop_all; mdadm --zero-superblock /dev/ubd[abc]1; udevadm settle
state md-all-superblocks-zeroed
