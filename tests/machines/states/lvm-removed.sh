# --disks 5x160MiB
export LVM_SUPPRESS_FD_WARNINGS=1
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb
lvcreate -qq -y -n data -L 100M tank; lvcreate -qq -y -n other -L 60M tank
mkfs.ext4 -qF /dev/tank/data
printf 'UUID=%s /srv/tank ext4 defaults,nofail 0 2\n' "$(blkid -o value -s UUID /dev/tank/data)" >/etc/fstab
lvremove -qq -y tank/data
state lvm-volume-removed
printf '/dev/mapper/tank-data /srv/tank ext4 defaults,nofail 0 2\n' >/etc/fstab
state lvm-volume-removed-by-name
vgremove -qq -y tank
printf 'LABEL=tank /srv/tank ext4 defaults,nofail 0 2\n' >/etc/fstab
state lvm-group-removed
vgcreate -qq tank /dev/ubda; lvcreate -qq -y -n data -l 100%FREE tank
state lvm-group-removed-and-one-made
vgremove -qq -f -y tank; gone ubda ubdb
$create --level=1 --raid-devices=2 --assume-clean --name=tank /dev/md/tank /dev/ubda /dev/ubdb
pvcreate -qq /dev/md/tank; vgcreate -qq tank /dev/md/tank; lvcreate -qq -y -n data -l 100%FREE tank
vgremove -qq -f -y tank
state lvm-group-on-an-array-removed
mdadm --stop --quiet /dev/md/tank; gone ubda ubdb
$create --level=1 --raid-devices=2 --assume-clean --name=tank-1 /dev/md/tank-1 /dev/ubda /dev/ubdb
$create --level=1 --raid-devices=2 --assume-clean --name=tank-2 /dev/md/tank-2 /dev/ubdc /dev/ubdd
vgcreate -qq tank /dev/md/tank-1 /dev/md/tank-2; lvcreate -qq -y -n data -l 100%FREE tank
vgremove -qq -f -y tank
state lvm-group-on-two-arrays-removed
