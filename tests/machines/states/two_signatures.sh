# --disks 4x360MiB
# XFS with the superblock of an older ext4 beside its own, and with the labels of an older pool: neither gets a name.
$create /dev/md/tank --level=1 --raid-devices=2 /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md/tank; dd if=/dev/md/tank of=/tmp/older bs=1k skip=1 count=1 status=none; wipefs -aq /dev/md/tank
mkfs.xfs -qf -s size=4096 /dev/md/tank; mkdir -p /srv/tank
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank xfs nofail 0 2" >>/etc/fstab
dd if=/tmp/older of=/dev/md/tank bs=1k seek=1 count=1 conv=notrunc status=none; udevadm trigger --settle /dev/md127
state two-signatures
dd if=/dev/zero of=/dev/md/tank bs=1k seek=1 count=1 conv=notrunc status=none
# The uberblocks of its last label.
python3 - <<'P'
import os, struct
fd = os.open("/dev/md/tank", os.O_RDWR)
size = os.lseek(fd, 0, os.SEEK_END) // (256 << 10) * (256 << 10)
for label in (size - (512 << 10), size - (256 << 10)):
    for slot in range(32):
        os.pwrite(fd, struct.pack("<QQQ", 0x00BAB10C, 5000, slot), label + (128 << 10) + slot * 1024)
P
udevadm trigger --settle /dev/md127
state two-signatures-of-a-pool
