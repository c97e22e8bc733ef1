# --disks 4x160MiB
# Two disks from USB enclosures that showed sectors of 4096 bytes, now on a controller that shows 512.
modprobe loop
for one in a b; do
    loop=$(losetup -b 4096 --show -f /dev/ubd$one)
    printf 'label: gpt\nstart=256, size=30000, type=raid\n' | sfdisk -q "$loop"
    partx -a "$loop"; parts="$parts ${loop}p1"
done
udevadm settle
$create /dev/md/tank --level=1 --raid-devices=2 --bitmap=none $parts; idle
mkfs.ext4 -qF /dev/md/tank; stop_all
for loop in /dev/loop[0-9]; do partx -d "$loop"; losetup -d "$loop"; done 2>/dev/null
stop_all
state public-table-in-other-sectors
# Two disks of which a mainboard hides the last MiB since their array was made.
gone ubda ubdb; parts=
for one in c d; do
    truncate -s 161M /run/$one; loop=$(losetup --show -f /run/$one)
    printf 'label: gpt\nstart=2048, type=raid\n' | sfdisk -q "$loop"
    partx -a "$loop"; parts="$parts ${loop}p1"
done
udevadm settle
$create /dev/md/tank --level=1 --raid-devices=2 --bitmap=none $parts; idle
mkfs.ext4 -qF /dev/md/tank; stop_all
for loop in /dev/loop[0-9]; do partx -d "$loop"; losetup -d "$loop"; done 2>/dev/null
for one in c d; do dd if=/run/$one of=/dev/ubd$one bs=1M count=160 status=none; done
stop_all
state public-end-of-a-disk-hidden
# An MBR of an enclosure that showed sectors of 4096 bytes: the kernel takes each place for an eighth of what it is.
gone ubda; printf 'label: dos\nstart=256, size=40000, type=83\n' | sfdisk -q --no-reread --force /dev/ubda
loop=$(losetup --show -f -o 1048576 /dev/ubda); mkfs.ext4 -qF "$loop"; losetup -d "$loop"; blockdev --rereadpt /dev/ubda; gone ubdc ubdd
state public-mbr-in-other-sectors
