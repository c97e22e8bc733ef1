# --disks 3x160MiB
# The start of a partition table was damaged, and its copy is intact; of the second disk the first MiB was overwritten.
for one in a b; do
    echo 'type=linux' | sfdisk -q -X gpt /dev/ubd$one; udevadm settle; mkfs.ext4 -qF /dev/ubd${one}1
done
dd if=/dev/zero of=/dev/ubda bs=512 seek=1 count=1 conv=notrunc status=none
dd if=/dev/zero of=/dev/ubdb bs=1M count=1 conv=notrunc status=none
for one in a b; do blockdev --rereadpt /dev/ubd$one; done
state public-partition-tables-damaged
