# --disks 6x160MiB
export LVM_SUPPRESS_FD_WARNINGS=1
mkdir -p /run/keep
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb
lvcreate -qq -y --type raid1 -m1 -L 64M -n data tank; until dmsetup status tank-data | grep -q 'AA .* idle'; do sleep 0.2; done
dd if=/dev/ubdb of=/run/keep/b bs=1M status=none; gone ubdb; pvscan --cache
# The missing one was replaced and removed, and comes back.
vgextend -qq tank /dev/ubdc; lvconvert -qq -y --repair tank/data /dev/ubdc; sleep 3; vgreduce -qq --removemissing tank
dd if=/run/keep/b of=/dev/ubdb bs=1M status=none; udevadm settle; pvscan --cache
state public-removed-pv-is-back
gone ubdb; pvscan --cache
# Two groups of one name.
pvcreate -qq /dev/ubdd; vgcreate -qq other /dev/ubdd; lvcreate -qq -y -n data -L 32M other; vgchange -qq -an other
dd if=/dev/ubdd of=/run/keep/d bs=1M status=none; gone ubdd; pvscan --cache; vgrename -qq tank other
dd if=/run/keep/d of=/dev/ubdd bs=1M status=none; udevadm settle; pvscan --cache
state public-two-groups-of-one-name
gone ubda ubdb ubdc ubdd; pvscan --cache; dmsetup remove_all; udevadm settle
# A check found mismatches.
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc
lvcreate -qq -y --type raid5 --stripes 2 -L 64M -n data tank; until dmsetup status tank-data | grep -q 'AAA .* idle'; do sleep 0.2; done
dd if=/dev/urandom of=/dev/mapper/tank-data_rimage_1 bs=1M count=1 seek=8 oflag=direct conv=notrunc status=none
lvchange --syncaction check tank/data; sleep 4
state lvm-mismatches
