# --engine qemu --disks 6xscsi:512MiB
for serial in LAB-0001 LAB-0002 LAB-0003; do
    set -- "$@" "$(lsblk -dnro PATH,SERIAL | awk -v serial=$serial '$2 == serial { print $1 }')"
done
{
    zpool create -f -o ashift=12 -m /srv/tank tank raidz1 $1 $2 $3
    udevadm settle
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool export tank
    for disk in $2 $3; do
        wipefs -qa ${disk}1 $disk
        dd if=/dev/zero of=$disk bs=1M status=none
    done
    udevadm settle
} >&2
state zfs-two-lost
{
    zpool labelclear -f ${1}1
    wipefs -qa ${1}1 $1
    for disk in $1 $2; do
        printf 'label: gpt\n,200MiB,6A898CC3-1DD2-11B2-99A6-080020736631\n' | sfdisk -q $disk
    done
    udevadm settle
    zpool create -f -o ashift=12 -m /srv/tank tank ${1}1
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool sync tank
    echo 1 >/sys/module/zfs/parameters/zfs_scan_suspend_progress
    zpool attach tank ${1}1 ${2}1
    sleep 2
} >&2
state zfs-attaching
