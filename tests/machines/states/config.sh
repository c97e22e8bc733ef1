# --disks 3x160MiB
echo "ARRAY /dev/md/tank metadata=1.2 UUID=11111111:22222222:33333333:44444444" >>/etc/mdadm/mdadm.conf
echo "UUID=6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f001 /srv/tank ext4 defaults,nofail 0 2" >>/etc/fstab
state config-of-nothing
sed -i /ARRAY/d /etc/mdadm/mdadm.conf; sed -i /srv/d /etc/fstab
$create /dev/md/tank --level=1 --bitmap=internal --raid-devices=2 /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md/tank
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank ext4 defaults 0 2" >>/etc/fstab
state md-fstab-not-mounted
stop_all; gone ubda ubdb; sed -i /srv/d /etc/fstab
export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
mdadm -q --create /dev/md/imsm --run -e imsm -n 2 /dev/ubda /dev/ubdb
mdadm -q --create /dev/md/vol0 --run -l 1 -n 2 /dev/md/imsm; sleep 3; idle
mdadm -q /dev/md/vol0 --fail /dev/ubdb; sleep 1
state imsm-member-failed
mdadm -q --stop /dev/md/vol0; mdadm -q --stop /dev/md/imsm; udevadm settle
state imsm-stopped
gone ubda ubdb; stop_all
mdadm -q --create /dev/md/ddf --run -e ddf -n 2 /dev/ubda /dev/ubdb
mdadm -q --create /dev/md/vol0 --run -l 1 -n 2 /dev/md/ddf; sleep 2; idle
state ddf-well
mdadm -q --stop /dev/md/vol0; mdadm -q --stop --scan; udevadm settle
state ddf-stopped
