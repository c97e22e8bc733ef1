# --engine qemu --disks 6xsata:512MiB
ls /dev/disk/by-id | grep -v part >&2
set -- $(ls /dev/disk/by-id/ata-*LAB* | grep -v part | head -6)
mkdir -p /run/keep
zpool create -f -o ashift=12 -m /srv/tank tank raidz1 $1 $2 $3 >&2; zpool add -f tank spare $4 >&2; udevadm settle
dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none; zpool sync tank
state zfs-well
zpool offline tank $2; state zfs-offline
zpool online tank $2; sleep 2
zpool offline -f tank $2; sleep 1; state zfs-faulted-spare-available
zpool remove tank $4; sleep 1; state zfs-faulted
zpool clear tank; zpool online tank $2; sleep 2; zpool scrub -w tank
part=$(readlink -f $3-part1); dd if=/dev/urandom of=$part bs=1M seek=5 count=200 oflag=direct conv=notrunc status=none; zpool scrub -w tank
state zfs-checksum-errors
zpool clear tank; zpool scrub -w tank; zpool clear tank
zpool export tank; state zfs-exported-whole
dd if=$2 of=/run/keep/two bs=1M status=none 2>/dev/null || true
wipefs -qa $2-part1 $2; dd if=/dev/zero of=$2 bs=1M status=none; udevadm settle; zpool import -d /dev/disk/by-id tank; sleep 1
state zfs-missing
