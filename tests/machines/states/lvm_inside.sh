# --disks 4x160MiB
# Mirrors below a cache and below a thin pool lack a disk: LVM keeps them under names of their own.
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc
lvcreate -qq -y --type raid1 -m1 -L 40M -n data tank /dev/ubda /dev/ubdb; until dmsetup status tank-data | grep -q 'AA .* idle'; do sleep 0.2; done
lvcreate -qq -y --type cache-pool -L 24M -n fast tank /dev/ubdc; lvconvert -qq -y --type cache --cachemode writethrough --cachepool tank/fast tank/data
mkfs.ext4 -qF /dev/tank/data
state lvm-cached-mirror
gone ubdb; pvscan --cache; dd if=/dev/urandom of=/dev/tank/data bs=1M seek=10 count=4 oflag=direct status=none; sleep 1
state lvm-cached-mirror-degraded
lvremove -qq -ffy tank; vgremove -qq -ffy tank; gone ubda ubdb ubdc; dmsetup remove_all
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb
lvcreate -qq -y --type raid1 -m1 -L 40M -n pool tank; until dmsetup status tank-pool | grep -q 'AA .* idle'; do sleep 0.2; done
lvconvert -qq -y --type thin-pool tank/pool; lvcreate -qq -y -V 100M -T tank/pool -n data
gone ubdb; pvscan --cache; dd if=/dev/urandom of=/dev/tank/data bs=1M seek=10 count=4 oflag=direct status=none; sleep 1
state lvm-thin-pool-on-a-mirror-degraded
