# --disks 6x160MiB
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=none /dev/ubda /dev/ubdb /dev/ubdc
idle
mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none; umount /srv/tank
stop_all
mkdir -p /run/keep; dd if=/dev/ubda of=/run/keep/a bs=1M count=2 status=none
dd if=/dev/zero of=/dev/ubda bs=32K count=1 conv=notrunc status=none; stop_all
state md-superblock-zeroed
printf 'label: gpt\n' | sfdisk -q /dev/ubda; stop_all
state md-empty-gpt-over-a-member
dd if=/dev/zero of=/dev/ubdb bs=32K count=1 conv=notrunc status=none; stop_all
state md-two-superblocks-overwritten
for one in a b c; do wipefs -qa /dev/ubd$one; gone ubd$one; done
printf 'label: gpt\n' | sfdisk -q /dev/ubde; udevadm settle
state empty-gpt-over-nothing
$create /dev/md/tank --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb; idle
pvcreate -qq /dev/md/tank; vgcreate -qq data /dev/md/tank; lvcreate -qq -y -n films -L 32M data; mkfs.ext4 -qF /dev/data/films
vgchange -qq -an data; mdadm -q --stop /dev/md/tank; stop_all
for one in a b; do dd if=/dev/zero of=/dev/ubd$one bs=32K count=1 conv=notrunc status=none; done; stop_all
state md-lvm-both-superblocks-zeroed
