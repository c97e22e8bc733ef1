# --disks 4x96MiB
# Members whose data begins where they begin: one is mounted by itself, without the array, and written.
for metadata in 1.0 0.90; do
    mdadm --create --run --quiet --homehost=lab --metadata=$metadata /dev/md/tank -l1 -n2 /dev/ubda /dev/ubdb; idle; mkfs.ext4 -qF /dev/md127
    stop_all
    [ $metadata = 0.90 ] || state md-members-with-data-first
    mkdir -p /srv/tank; mount -t ext4 /dev/ubdb /srv/tank; echo more >/srv/tank/new; umount /srv/tank
    state md-member-written-alone-$metadata
    gone ubda ubdb
done
