# --disks 3x160MiB
# A group was reduced by force while a disk was missing, which took its volume away; then the disk came back.
export LVM_SUPPRESS_FD_WARNINGS=1
mkdir -p /run/keep
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y -n data -l 100%FREE vg; mkfs.ext4 -qF /dev/vg/data; vgchange -qq -an vg
dd if=/dev/ubdb of=/run/keep/b bs=1M status=none; gone ubdb; pvscan -qq --cache; vgreduce -qq --removemissing --force vg
dd if=/run/keep/b of=/dev/ubdb bs=1M status=none; udevadm settle; pvscan -qq --cache
state public-volume-removed-with-a-missing-disk
