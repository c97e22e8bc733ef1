# --disks 3x160MiB
# Groups of disks that were larger: something hides their end now.
export LVM_SUPPRESS_FD_WARNINGS=1
modprobe loop; truncate -s 176M /run/a /run/b; a=$(losetup -f --show /run/a); b=$(losetup -f --show /run/b); udevadm settle
pvcreate -qq $a $b /dev/ubdc; vgcreate -qq plain $a; lvcreate -qq -y -n films -l 100%FREE plain; mkfs.ext4 -qF /dev/plain/films
vgcreate -qq mirror $b /dev/ubdc; lvcreate -qq -y --type raid1 -m1 --nosync -n data -l 36 mirror; mkfs.ext4 -qF /dev/mirror/data
lvcreate -qq -y -n rest -l 100%FREE mirror $b
vgchange -qq -an plain mirror; losetup -d $a $b; udevadm settle; for one in a b; do dd if=/run/$one of=/dev/ubd$one bs=1M count=160 status=none; done; udevadm settle; pvscan -qq --cache
state lvm-end-of-a-disk-hidden
