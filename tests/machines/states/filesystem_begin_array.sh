# --disks 2x400MiB
# The beginning of the filesystem on an array was overwritten; fstab mounts it, and the copies of its superblock are there.
{
    $create /dev/md/tank --level=1 --raid-devices=2 --assume-clean /dev/ubda /dev/ubdb
    udevadm settle
    mkfs.xfs -q -L photos /dev/md/tank
    mkdir -p /srv/tank
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf
    echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank xfs defaults,nofail 0 0" >>/etc/fstab
    dd if=/dev/zero of=/dev/md/tank bs=1M count=1 status=none
    udevadm settle
} >&2
state filesystem-on-an-array-without-its-beginning
