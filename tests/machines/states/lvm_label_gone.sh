# --disks 4x160MiB
# A physical volume lost its label: its first blocks were erased, or somebody made it anew.
pvcreate -qq /dev/ubd[a-c]; vgcreate -qq data /dev/ubda /dev/ubdb /dev/ubdc; lvcreate -qq -l 100%FREE -n films data
mkfs.ext4 -qF /dev/data/films; dd if=/dev/urandom of=/dev/data/films bs=1M seek=160 count=120 conv=notrunc status=none; vgchange -qq -an data; dd if=/dev/zero of=/dev/ubdb bs=1M count=1 conv=notrunc status=none
state lvm-label-erased
pvcreate -qq -ff -y /dev/ubdb
state lvm-label-made-anew
