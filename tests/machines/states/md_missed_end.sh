# --disks 4x96MiB
$create /dev/md/tank --level=5 --raid-devices=4 --chunk=64 --size=80M /dev/ubd[abcd]
idle
mkfs.ext4 -q /dev/md/tank
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank ext4 defaults,nofail 0 0" >>/etc/fstab
mdadm --detail --scan >>/etc/mdadm/mdadm.conf
stop_all
python3 tests/machines/states/missed_end.py 256 /dev/ubda /dev/ubdb
stop_all
udevadm settle
state md-missed-end-stopped
mdadm --assemble --scan
state md-missed-end-running
