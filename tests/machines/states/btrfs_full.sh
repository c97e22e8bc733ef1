# --disks 2x320MiB
mkfs.btrfs -q -L pool -m raid1 -d raid1 /dev/ubda /dev/ubdb; mkdir -p /srv/pool; mount /dev/ubda /srv/pool
i=0; while dd if=/dev/urandom of=/srv/pool/f$i bs=1M count=8 status=none 2>/dev/null; do i=$((i+1)); done; sync
python3 -c '
import os
try:
    for n in range(60000):
        os.mkdir(f"/srv/pool/s{n}")
        os.setxattr(f"/srv/pool/s{n}", "user.x", os.urandom(3500))
except OSError:
    pass'
sync; state btrfs-metadata-full
rm -r /srv/pool/s2*; sync
state btrfs-metadata-filling
