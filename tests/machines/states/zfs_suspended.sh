# --engine qemu --disks 4xscsi:256MiB
disk() { lsblk -dnro PATH,SERIAL | awk -v serial=$1 '$2 == serial { print $1 }'; }
by_id() { for link in /dev/disk/by-id/scsi-3*; do [ "$(readlink -f $link)" = "$(disk $1)" ] && echo $link; done; }
{
    zpool create -f -o ashift=12 -m /srv/tank tank mirror $(by_id LAB-0001) $(by_id LAB-0002)
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool sync tank
    lab pull LAB-0001
    lab pull LAB-0002
    sleep 1
    (dd if=/dev/urandom of=/srv/tank/more bs=1M count=20 status=none) &
    sleep 8
} >&2
state zfs-suspended
{
    lab plug
    sleep 5
} >&2
state zfs-suspended-disks-back
