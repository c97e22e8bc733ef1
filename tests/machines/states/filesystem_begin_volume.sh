# --disks 2x400MiB
# The beginning of the filesystem on one of two volumes was overwritten; fstab mounts it.
{
    vgcreate tank /dev/ubda /dev/ubdb
    lvcreate --yes --name photos --size 350M tank
    lvcreate --yes --name other --size 100M tank
    udevadm settle
    mkfs.xfs -q /dev/tank/photos
    mkfs.ext4 -q /dev/tank/other
    mkdir -p /srv/tank
    echo "UUID=$(blkid -s UUID -o value /dev/tank/photos) /srv/tank xfs defaults,nofail 0 0" >>/etc/fstab
    dd if=/dev/zero of=/dev/tank/photos bs=64K count=1 status=none
    udevadm settle
} >&2
state filesystem-on-a-volume-without-its-beginning
raidtui care >&2
raidtui recover tank --stop >&2 || :
