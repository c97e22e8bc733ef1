# --disks 4x96MiB
# A member was written by itself, as in a rescue system, and udev has assembled the mirror since.
mkdir -p /srv/tank
for metadata in 1.0 0.90 1.2; do
    mdadm --create --run --quiet --homehost=lab --metadata=$metadata /dev/md/tank -l1 -n2 /dev/ubda /dev/ubdb; idle; mkfs.ext4 -qF /dev/md127
    stop_all
    device=/dev/ubdb; offset=$(mdadm --examine /dev/ubdb | sed -n 's/.*Data Offset : \([0-9]*\) .*/\1/p')
    if [ "${offset:-0}" != 0 ]; then
        dmsetup create alone --table "0 $(($(blockdev --getsz /dev/ubdb) - offset)) linear /dev/ubdb $offset"; device=/dev/mapper/alone
    fi
    mount -t ext4 $device /srv/tank; echo more >/srv/tank/new; umount /srv/tank; [ $device = /dev/ubdb ] || dmsetup remove alone
    udevadm settle; mdadm --stop --scan --quiet; mdadm --assemble --quiet --run /dev/md/tank /dev/ubda /dev/ubdb; udevadm settle
    state md-members-differ-$metadata
    stop_all; gone ubda ubdb
done
