# --disks 4x160MiB
# What md knows it cannot read, and a spare that waits in vain.
tank() { $create /dev/md/tank --level=$1 --bitmap=internal --raid-devices=$2 ${@:3}; idle; mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank; mdadm --detail --scan > /etc/mdadm/mdadm.conf; echo MAILADDR root >> /etc/mdadm/mdadm.conf; }
cannot() { echo "100000 8" > /sys/block/md127/md/dev-$1/bad_blocks; sleep 0.5; }
tank 5 3 /dev/ubda /dev/ubdb /dev/ubdc; cannot ubda
state md-bad-blocks-on-one
cannot ubdb
state md-bad-blocks-on-two
umount /srv/tank; stop_all; gone ubda ubdb ubdc; tank 1 2 /dev/ubda /dev/ubdb
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb; gone ubdb
mdadm -q --grow /dev/md/tank --raid-devices=1 --force; mdadm -q /dev/md/tank --add /dev/ubdc; sleep 0.5
state public-mirror-of-one-with-a-spare
