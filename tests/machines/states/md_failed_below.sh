# --disks 6x160MiB
# An array has failed below a volume group: LVM only says that a disk is missing.
export LVM_SUPPRESS_FD_WARNINGS=1
mkdir -p /srv/tank
$create /dev/md/one --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; $create /dev/md/two --level=1 --raid-devices=2 --bitmap=internal --assume-clean /dev/ubdd /dev/ubde; idle
mdadm --detail --scan > /etc/mdadm/mdadm.conf; echo MAILADDR root >> /etc/mdadm/mdadm.conf
pvcreate -qq /dev/md/one /dev/md/two; vgcreate -qq vg /dev/md/one /dev/md/two; lvcreate -qq -y -n data -l 100%FREE vg; mkfs.ext4 -qF /dev/vg/data; mount /dev/vg/data /srv/tank
dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none; sync
mdadm -q /dev/md/one --fail /dev/ubda; mdadm -q /dev/md/one --fail /dev/ubdb; sleep 1
state lvm-on-arrays-one-failed
