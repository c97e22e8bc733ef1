# --engine qemu --disks 6xsata:512MiB
set -- $(ls /dev/disk/by-id/ata-*LAB* | grep -v part | head -6)
{
    zpool create -f -o ashift=12 -m /srv/tank tank mirror $1 $2
    zpool add -f tank $3
    udevadm settle
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none
    zpool sync tank
} >&2
state zfs-disk-alone-beside-a-mirror
{
    zpool destroy tank
    udevadm settle
    zpool create -f -o ashift=12 -m /srv/tank tank raidz1 $1 $2 $3
    zpool add -f tank $4
    udevadm settle
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none
    zpool sync tank
} >&2
state zfs-disk-alone-beside-a-raidz
zpool destroy tank
udevadm settle
state zfs-destroyed
