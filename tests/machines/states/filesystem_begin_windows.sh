# --disks 2x160MiB
# An array with NTFS, then exFAT, and the boot sector of each was overwritten: needs mkfs.ntfs (ntfs-3g) and mkfs.exfat.
over() { dd if=/dev/zero of=/dev/md/tank bs=4K count=1 conv=notrunc,fsync status=none; udevadm trigger --settle; }
{
    $create /dev/md/tank --level=1 --raid-devices=2 --assume-clean /dev/ubda /dev/ubdb; udevadm settle
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf; mkdir -p /srv/tank
    mkfs.ntfs --quick --force /dev/md/tank
    echo "UUID=$(blkid -p -s UUID -o value /dev/md/tank) /srv/tank ntfs3 nofail 0 0" >/etc/fstab; over
} >&2
state ntfs-on-an-array-without-its-beginning
{
    dd if=/dev/zero of=/dev/md/tank bs=1M status=none || :
    mkfs.exfat /dev/md/tank
    echo "UUID=$(blkid -p -s UUID -o value /dev/md/tank) /srv/tank exfat nofail 0 0" >/etc/fstab; over
} >&2
state exfat-on-an-array-without-its-beginning
