# --disks 4x160MiB
conf() { mkdir -p /etc/lvm/devices; printf 'devices {\n%s\n}\n' "$1" > /etc/lvm/lvmlocal.conf; }
vgcreate -qq data /dev/ubda /dev/ubdb; lvcreate -qq -y --type raid1 -m1 -n films -l 100%FREE --nosync data
mkfs.ext4 -qF /dev/data/films; vgchange -qq -an data; udevadm settle
conf 'global_filter = [ "r|/dev/ubdb.*|" ]'
state lvm-filter-hides-one
vgchange -qq -ay data
state lvm-filter-hides-one-active
vgchange -qq -an data; conf 'global_filter = [ "r|/dev/ubd.*|" ]'
state lvm-filter-hides-all
conf 'use_devicesfile = 1'
printf 'VERSION=1.1.1\nIDTYPE=devname IDNAME=/dev/ubdd DEVNAME=/dev/ubdd PVID=none\n' > /etc/lvm/devices/system.devices
state lvm-not-in-its-file-of-devices
rm /etc/lvm/lvmlocal.conf /etc/lvm/devices/system.devices
for disk in ubda ubdb; do dd if=/dev/zero of=/dev/$disk bs=512 seek=8 count=2000 conv=notrunc status=none; done; udevadm settle
state lvm-metadata-damaged
for disk in ubda ubdb; do dd if=/dev/zero of=/dev/$disk bs=1M count=2 conv=notrunc status=none; done; udevadm settle
$create /dev/md/tank --level=1 --bitmap=none --raid-devices=2 /dev/ubda /dev/ubdb; idle
vgcreate -qq data /dev/md/tank; lvcreate -qq -y -n films -l 100%FREE data; vgchange -qq -an data
conf 'filter = [ "a|/dev/ubd.*|", "r|.*|" ]'
state lvm-filter-hides-an-array
conf 'use_devicesfile = 1'
printf 'VERSION=1.1.1\nIDTYPE=devname IDNAME=/dev/ubdd DEVNAME=/dev/ubdd PVID=none\n' > /etc/lvm/devices/system.devices
state lvm-on-md-not-in-its-file-of-devices
rm /etc/lvm/lvmlocal.conf /etc/lvm/devices/system.devices
dd if=/dev/zero of=/dev/md/tank bs=512 seek=8 count=2000 conv=notrunc status=none; udevadm settle
state lvm-metadata-damaged-on-an-array
