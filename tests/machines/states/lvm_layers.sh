# --disks 4x160MiB
clean() { dmsetup remove_all --force 2>/dev/null; udevadm settle; gone "$@"; pvscan --cache -qq; }
# A disk under a thin pool is missing.
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq vg /dev/ubda /dev/ubdb
lvcreate -qq -y -L120M -T vg/pool; lvcreate -qq -y -V 100M -T vg/pool -n thin; lvcreate -qq -y -L24M -n plain vg /dev/ubda; mkfs.ext4 -qF /dev/vg/plain
vgchange -qq -an vg; gone ubdb; pvscan --cache -qq
state lvm-thin-pool-pv-missing
lvchange -ay vg/plain; mkdir -p /srv/p; mount /dev/vg/plain /srv/p
state lvm-thin-pool-pv-missing-active
umount /srv/p; vgchange -an vg; clean ubda ubdb
# The disk of a cache is missing.
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y -L80M -n data vg /dev/ubda; lvcreate -qq -y -L40M -n fast vg /dev/ubdb
lvconvert -y --type cache --cachevol fast --cachemode writeback vg/data; vgchange -qq -an vg; gone ubdb; pvscan --cache -qq
state lvm-cache-pv-missing
clean ubda ubdb
# The missing disk has only another volume.
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -qq vg /dev/ubda /dev/ubdb /dev/ubdc; lvcreate -qq -y --type raid1 -m1 -L40M -n safe vg /dev/ubda /dev/ubdb
lvcreate -qq -y -L40M -n scratch vg /dev/ubdc; sleep 2; vgchange -qq -an vg; gone ubdc; pvscan --cache -qq; lvchange -ay vg/safe
state lvm-pv-of-another-volume-missing
vgchange -an vg; clean ubda ubdb ubdc
# A thin pool is full.
pvcreate -qq /dev/ubda; vgcreate -qq vg /dev/ubda; lvcreate -qq -y -L24M --errorwhenfull y -T vg/pool; lvcreate -qq -y -V 80M -T vg/pool -n thin
mkfs.ext4 -qF /dev/vg/thin; mkdir -p /srv/d; mount /dev/vg/thin /srv/d; timeout 20 dd if=/dev/urandom of=/srv/d/x bs=1M count=60 oflag=direct status=none
state public-thin-pool-full
