# --disks 4x160MiB
# A container on an array that crypttab opens at boot.
lock() { printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/$1 -; }
unlock() { printf secret | cryptsetup open /dev/$1 $2 -; udevadm settle; }
$create /dev/md/tank --level=1 --raid-devices=2 /dev/ubda /dev/ubdb; idle
lock md/tank; unlock md/tank safe; mkfs.ext4 -q /dev/mapper/safe; mkdir -p /srv/tank; mount /dev/mapper/safe /srv/tank
echo "safe UUID=$(blkid -s UUID -o value /dev/md/tank) none luks" >>/etc/crypttab
echo "/dev/mapper/safe /srv/tank ext4 nofail 0 2" >>/etc/fstab
state container-open
umount /srv/tank; cryptsetup close safe
state container-closed
sed -i "s|^/dev/mapper/safe|UUID=c0ffee00-0000-4000-8000-000000000001|" /etc/fstab
state container-closed-mounted-by-uuid
sed -i /c0ffee/d /etc/fstab; stop_all
state container-on-a-stopped-array
mdadm --assemble --quiet /dev/md/tank /dev/ubda /dev/ubdb; udevadm settle; unlock md/tank safe; mount /dev/mapper/safe /srv/tank
# Somebody wrote over its beginning: a partitioning program, or dd with the wrong name.
dd if=/dev/zero of=/dev/md/tank bs=1M count=8 conv=notrunc,fsync status=none; udevadm trigger --settle /dev/md127
state container-header-gone-open
umount /srv/tank; cryptsetup close safe
state container-header-gone
