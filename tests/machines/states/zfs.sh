# --engine qemu --disks 6xsata:512MiB
set -- $(ls /dev/disk/by-id/ata-*LAB* | grep -v part | head -6)
{
    zpool create -f -o ashift=12 -m /srv/tank tank raidz1 $1 $2 $3
    zpool add -f tank spare $4
    udevadm settle
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool sync tank
} >&2
state zfs-well
zpool offline tank $2
state zfs-offline
zpool online tank $2
sleep 2
zpool offline -f tank $2
sleep 1
state zfs-spare-took-over
zpool detach tank $4
zpool clear tank
zpool online tank $2
sleep 2
zpool scrub -w tank
dd if=/dev/urandom of=$3-part1 bs=1M seek=5 count=200 oflag=direct conv=notrunc status=none
zpool scrub -w tank
state zfs-checksum-errors
zpool clear tank
zpool scrub -w tank
zpool clear tank
zpool export tank
state zfs-exported-whole
wipefs -qa $2-part1 $2
dd if=/dev/zero of=$2 bs=1M status=none
udevadm settle
zpool import -d /dev/disk/by-id tank
sleep 1
state zfs-missing
