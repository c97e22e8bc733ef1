# --engine qemu --disks 3xsata:512MiB
set -- $(ls /dev/disk/by-id/ata-*LAB* | grep -v part | head -3)
{
    zpool create -f -o ashift=12 -m /srv/tank tank raidz1 $1 $2 $3
    zfs create tank/photos
    zfs create -o canmount=off tank/never
    zfs create -o mountpoint=legacy tank/legacy
    echo 'a good passphrase' | zfs create -o encryption=on -o keyformat=passphrase tank/mail
    zfs create tank/mail/archive
    zfs unmount tank/mail/archive
    zfs unmount tank/mail
    zfs unload-key tank/mail
} >&2
state zfs-locked
zfs unmount tank/photos >&2
state zfs-not-mounted
echo 'a good passphrase' | zfs mount -al >&2
zfs unmount tank/photos >&2
state zfs-one-not-mounted
