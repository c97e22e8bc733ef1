# --engine qemu --disks 3xscsi:512MiB
# The partition table of a disk with a vdev was overwritten, at both ends; then of a further one, as ZFS partitions disks itself.
for serial in LAB-0001 LAB-0002 LAB-0003; do
    set -- "$@" "$(lsblk -dnro PATH,SERIAL | awk -v serial=$serial '$2 == serial { print $1 }')"
done
lost() { for one; do
    dd if=/dev/zero of=$one bs=512 count=34 conv=notrunc status=none
    dd if=/dev/zero of=$one bs=512 seek=$(($(blockdev --getsz $one) - 33)) conv=notrunc status=none
    blockdev --rereadpt $one
done 2>/dev/null; udevadm settle; }
{
    for disk in $1 $2; do printf 'label: gpt\nsize=400MiB,type=6A898CC3-1DD2-11B2-99A6-080020736631\n' | sfdisk -q $disk; done
    udevadm settle
    zpool create -f -o ashift=12 -m /srv/tank tank raidz2 ${1}1 ${2}1 $3; udevadm settle
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool export tank
    sfdisk -d $3; lost $1 $3
} >&2
state zfs-partition-tables-gone
