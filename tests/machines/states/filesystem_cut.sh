# --disks 4x160MiB
$create /dev/md/tank --level=1 --bitmap=none --raid-devices=2 /dev/ubda /dev/ubdb; idle; mkfs.ext4 -qF /dev/md/tank
mdadm -q --grow /dev/md/tank --size=100M; idle; udevadm trigger --settle /dev/md127
state filesystem-cut-array
stop_all; gone ubda ubdb
vgcreate -qq data /dev/ubda; lvcreate -qq -y -n films -L 120M data; lvcreate -qq -y -n small -L 20M data; mkfs.btrfs -fq /dev/data/films; mkfs.ext4 -qF /dev/data/small
lvreduce -qq -f -L 112M data/films; udevadm trigger --settle $(readlink -f /dev/data/films)
state filesystem-cut-volume
vgremove -qqff data; gone ubda
printf 'label: gpt\nsize=140MiB\n' | sfdisk -q /dev/ubdc; udevadm settle; mkfs.ext4 -qF /dev/ubdc1
printf 'label: gpt\nsize=120MiB\n' | sfdisk -q -f --wipe never --wipe-partitions never /dev/ubdc; udevadm settle
state filesystem-cut-partition
