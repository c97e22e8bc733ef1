# --disks 4x512MiB
# The device mapper lets a device fail, as a disk that drops off its bus does; the disk itself can be read again.
mkdir -p /srv/tank
error() { dmsetup suspend --noflush --nolockfs $1; dmsetup load $1 --table "0 $(blockdev --getsz /dev/mapper/$1) error"; dmsetup resume $1; }
begin() { for d in a b; do dmsetup create d$d --table "0 $(blockdev --getsz /dev/ubd$d) linear /dev/ubd$d 0"; done; udevadm settle; $*; }
begin mkfs.btrfs -fq -L tank -d raid1 -m raid1 /dev/mapper/da /dev/mapper/db; mount /dev/mapper/da /srv/tank
echo "UUID=$(blkid -s UUID -o value /dev/mapper/da) /srv/tank btrfs defaults 0 0" >> /etc/fstab
dd if=/dev/urandom of=/srv/tank/a bs=1M count=20 status=none; sync
error db; dd if=/dev/urandom of=/srv/tank/b bs=1M count=20 status=none; sync; udevadm trigger --action=change --settle /dev/ubdb
state btrfs-device-errors-and-back
error da; dd if=/dev/urandom of=/srv/tank/c bs=1M count=20 status=none; sync; udevadm trigger --action=change --settle /dev/ubda
state btrfs-both-errors-and-back-read-only
# The same of an array: what md noted of the member that failed is no lack of the other.
umount /srv/tank; dmsetup remove da; dmsetup remove db; gone ubda ubdb; sed -i '/tank/d' /etc/fstab
begin $create /dev/md/tank --level=1 --bitmap=internal --raid-devices=2 /dev/mapper/da /dev/mapper/db; idle; mkfs.ext4 -qF /dev/md/tank; mount /dev/md/tank /srv/tank
mdadm --detail --scan > /etc/mdadm/mdadm.conf; echo MAILADDR root >> /etc/mdadm/mdadm.conf
echo "100000 8" > /sys/block/md127/md/dev-dm-1/bad_blocks; sleep 0.5
error db; dd if=/dev/urandom of=/srv/tank/b bs=1M count=20 status=none; sync
state md-failed-with-bad-blocks
