# --disks 2x160MiB
# A disk shows less than it had: of the volumes on it one is whole, and one reaches beyond its end.
export LVM_SUPPRESS_FD_WARNINGS=1
modprobe loop; truncate -s 200M /run/a; a=$(losetup -f --show /run/a); udevadm settle
pvcreate -qq $a /dev/ubdb; vgcreate -qq vg $a /dev/ubdb
lvcreate -qq -y -n first -L 100M vg $a; lvcreate -qq -y -n second -l 100%PVS vg $a; lvcreate -qq -y -n third -L 60M vg /dev/ubdb
for one in first second third; do mkfs.ext4 -qF /dev/vg/$one; mkdir -p /srv/$one; mount /dev/vg/$one /srv/$one; seq 100000 >/srv/$one/f; umount /srv/$one; done
vgchange -qq -an vg; losetup -d $a; udevadm settle; dd if=/run/a of=/dev/ubda bs=1M count=160 status=none; udevadm settle; pvscan -qq --cache
vgchange -qq -ay vg
state lvm-one-volume-beyond-the-end-of-a-disk
