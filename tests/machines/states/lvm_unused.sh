# --disks 2x160MiB
# A volume group lost a disk on which nothing of it is.
{
    vgcreate tank /dev/ubda /dev/ubdb
    lvcreate --yes --name data --size 100M tank /dev/ubda
    mkfs.ext4 -q /dev/tank/data
    mkdir -p /srv/tank
    mount /dev/tank/data /srv/tank
    lab pull LAB-0002
    sleep 2
} >&2
state lvm-unused-pv-missing-active
{
    umount /srv/tank
    vgchange -an tank
} >&2
state lvm-unused-pv-missing-inactive
