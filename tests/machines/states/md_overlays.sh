# --disks 4x160MiB
modprobe dm-snapshot
$create /dev/md/tank --level=5 --bitmap=none --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank; stop_all
printf 'label: gpt\nsize=40MiB\nsize=40MiB\nsize=40MiB\n' | sfdisk -q /dev/ubdd; udevadm settle
n=0; for one in a b c; do
n=$((n + 1)); echo "0 $(blockdev --getsz /dev/ubd$one) snapshot /dev/ubd$one /dev/ubdd$n P 8" | dmsetup create over$one; done; udevadm settle; stop_all
state md-overlays-stopped
mdadm --assemble --quiet /dev/md/tank /dev/mapper/overa /dev/mapper/overb /dev/mapper/overc; udevadm settle
state md-overlays
