# --disks 6x512MiB
# The kernel stopped a filesystem, or counted errors in it; the units below are whole.
modprobe xfs; modprobe btrfs; modprobe dm-mod
mkdir -p /srv/tank /srv/films /srv/photos
$create /dev/md/tank --level=1 --raid-devices=2 --assume-clean /dev/ubda /dev/ubdb
mkfs.ext4 -qF /dev/md/tank; mount -o errors=remount-ro /dev/md/tank /srv/tank
echo 1 >/sys/fs/ext4/md127/trigger_fs_error
state public-ext4-errors
umount /srv/tank; mdadm -q --stop /dev/md/tank; gone ubda ubdb
$create /dev/md/tank --level=1 --raid-devices=2 --assume-clean /dev/ubda /dev/ubdb
mkfs.xfs -qf /dev/md/tank; mount /dev/md/tank /srv/tank
xfs_io -x -c shutdown /srv/tank
state public-xfs-shut-down
umount /srv/tank; mdadm -q --stop /dev/md/tank; gone ubda ubdb
for disk in c d; do dmsetup create $disk --table "0 $(blockdev --getsz /dev/ubd$disk) linear /dev/ubd$disk 0"; done
mkfs.btrfs -qf -draid1 -mraid1 /dev/mapper/c /dev/mapper/d; mount /dev/mapper/c /srv/photos
dd if=/dev/urandom of=/srv/photos/file bs=1M count=5 status=none; sync
for disk in c d; do
    dmsetup suspend --noflush --nolockfs $disk
    dmsetup load $disk --table "0 $(blockdev --getsz /dev/ubd$disk) error"
    dmsetup resume $disk
done
dd if=/dev/urandom of=/srv/photos/more bs=1M count=5 status=none; sync; sleep 1
for disk in c d; do
    dmsetup load $disk --table "0 $(blockdev --getsz /dev/ubd$disk) linear /dev/ubd$disk 0"; dmsetup resume $disk
done
state public-btrfs-read-only
