# --disks 6x256MiB
lock() { printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/$1 -; }
unlock() { printf secret | cryptsetup open /dev/$1 $2 -; udevadm settle; }
# One of two LUKS containers is locked.
mkdir -p /srv/two; lock ubda; lock ubdb; unlock ubda ca; unlock ubdb cb
mkfs.btrfs -q -f -L two -d raid1 -m raid1 /dev/mapper/ca /dev/mapper/cb; btrfs device scan --forget; cryptsetup close cb; btrfs device scan
mount -o degraded /dev/mapper/ca /srv/two
state public-btrfs-on-luks-one-locked
umount /srv/two; cryptsetup close ca; gone ubda ubdb
lock ubda; lock ubdb; unlock ubda ca; unlock ubdb cb
$create /dev/md/tank -l1 -n2 --bitmap=internal /dev/mapper/ca /dev/mapper/cb; idle; mkfs.ext4 -qF /dev/md127; stop_all
cryptsetup close cb; stop_all; mdadm -q -I /dev/mapper/ca
state md-on-luks-one-locked
stop_all; cryptsetup close ca; gone ubda ubdb
# Btrfs on two arrays, of which one is stopped.
$create /dev/md/a -l1 -n2 /dev/ubda /dev/ubdb; $create /dev/md/b -l1 -n2 /dev/ubdc /dev/ubdd; idle
mkfs.btrfs -q -f -L two -d raid1 -m raid1 /dev/md/a /dev/md/b; btrfs device scan --forget; stop_all
mdadm -q --assemble /dev/md/a /dev/ubda /dev/ubdb; udevadm settle; btrfs device scan
state btrfs-over-arrays-one-stopped
