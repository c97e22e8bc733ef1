# --disks 5x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc
idle
mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
echo "ARRAY /dev/md/tank metadata=1.2 UUID=$(mdadm --detail --export /dev/md/tank | sed -n s/MD_UUID=//p)" >>/etc/mdadm/mdadm.conf
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank ext4 defaults,nofail 0 2" >>/etc/fstab
state md-well
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5
state md-failed
mdadm -q /dev/md/tank --remove /dev/ubdb
echo x >/srv/tank/x; sync
state md-failed-and-removed
mkfs.ext4 -qF /dev/ubdd; mkfs.ext4 -qF /dev/ubde
gone ubdb; mkfs.ext4 -qF /dev/ubdb
state md-missing-no-disk-free
wipefs -qa /dev/ubdd; gone ubdd
state md-missing
umount /srv/tank; mdadm -q --stop /dev/md/tank; udevadm settle; stop_all
state md-stopped-degraded
mdadm -q --assemble --run /dev/md/tank /dev/ubda /dev/ubdc; udevadm settle
state md-degraded-not-mounted
mount /dev/md/tank /srv/tank
mdadm -q /dev/md/tank --add /dev/ubdd; echo 500 >/sys/block/md127/md/sync_speed_max; sleep 1
state md-rebuilding
echo frozen >/sys/block/md127/md/sync_action; sleep 0.5
state md-rebuild-frozen
