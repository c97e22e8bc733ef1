# --disks 4x160MiB
export LVM_SUPPRESS_FD_WARNINGS=1
# The first copy of a mirror of the older type is gone: LVM activates the other only after --repair.
pvcreate -qq /dev/ubd[abc]; vgcreate -qq vg /dev/ubd[abc]
lvcreate -qq -y --type mirror -m1 --mirrorlog core -L 64M -n old vg /dev/ubda /dev/ubdb
until lvs --noheadings -o copy_percent vg/old | grep -q 100; do sleep 0.2; done
vgchange -qq -an vg; gone ubda; pvscan --cache
state lvm-older-mirror-pv-missing
gone ubdb ubdc; pvscan --cache; udevadm settle
# A volume whose images have integrity lacks a disk: LVM does not activate it degraded.
pvcreate -qq /dev/ubd[abc]; vgcreate -qq vg /dev/ubd[abc]
lvcreate -qq -y --type raid1 -m1 --raidintegrity y -L 64M -n checked vg /dev/ubda /dev/ubdb
until dmsetup status vg-checked | grep -q 'AA .* idle'; do sleep 0.2; done
vgchange -qq -an vg; gone ubdb; pvscan --cache
state lvm-integrity-pv-missing
gone ubda ubdc; pvscan --cache; udevadm settle
# The disk of a writecache is gone: what the cached volume is on is whole.
pvcreate -qq /dev/ubd[abc]; vgcreate -qq vg /dev/ubd[abc]
lvcreate -qq -y --type raid1 -m1 -L 64M -n data vg /dev/ubda /dev/ubdb
until dmsetup status vg-data | grep -q 'AA .* idle'; do sleep 0.2; done
lvcreate -qq -y -L 32M -n fast vg /dev/ubdc; vgchange -qq -an vg
lvconvert -qq -y --type writecache --cachevol fast vg/data; vgchange -qq -an vg; gone ubdc; pvscan --cache
state lvm-writecache-pv-missing
gone ubda ubdb; pvscan --cache; udevadm settle
# An exported group lacks a disk.
pvcreate -qq /dev/ubd[ab]; vgcreate -qq vg /dev/ubd[ab]
lvcreate -qq -y --type raid1 -m1 -L 64M -n data vg /dev/ubda /dev/ubdb
until dmsetup status vg-data | grep -q 'AA .* idle'; do sleep 0.2; done
vgchange -qq -an vg; vgexport -qq vg; gone ubdb; pvscan --cache
state lvm-exported-pv-missing
