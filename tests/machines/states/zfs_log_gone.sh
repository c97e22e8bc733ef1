# --engine qemu --disks 3xscsi:256MiB
# The SSD with the log died while the pool was exported: its data is whole.
d() { lsblk -dnro PATH,SERIAL | awk -v serial="LAB-000$1" '$2 == serial { print $1 }'; }
{
    zpool create -f -o ashift=12 -m /srv/tank tank mirror $(d 1) $(d 2) log $(d 3)
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool export tank
    wipefs -qa $(d 3)1 $(d 3)
    dd if=/dev/zero of=$(d 3) bs=1M status=none
    blockdev --rereadpt $(d 3)
    udevadm settle
} >&2
state zfs-log-gone
