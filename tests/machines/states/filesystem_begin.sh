# --disks 2x160MiB
mkfs.ext4 -qF /dev/ubda; dd if=/dev/zero of=/dev/ubda bs=1M count=1 conv=notrunc status=none; udevadm settle
state filesystem-without-its-beginning
