# --disks 2x160MiB
$create /dev/md/tank --level=1 --bitmap=none --raid-devices=2 --size=60M /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
mdadm -q --grow /dev/md/tank --size=120M; idle; udevadm trigger --settle /dev/md127
state space-unused-mounted
umount /srv/tank; udevadm trigger --settle /dev/md127
state space-unused-not-mounted
stop_all; gone ubda ubdb
vgcreate -qq data /dev/ubda; lvcreate -qq -y -n films -L 60M data; mkfs.ext4 -qF /dev/data/films
mount /dev/data/films /srv/tank; lvextend -qq -L 120M data/films; udevadm trigger --settle $(readlink -f /dev/data/films)
state space-unused-volume
