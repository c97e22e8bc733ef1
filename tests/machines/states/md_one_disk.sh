# --disks 4x160MiB
for one in a b; do printf 'label: gpt\nsize=40MiB,type=R\nsize=40MiB,type=R\n' | sfdisk -q /dev/ubd$one; done; udevadm settle
$create /dev/md/root --level=1 --bitmap=none --raid-devices=2 /dev/ubda1 /dev/ubda2; idle; mkfs.ext4 -qF /dev/md/root; mkdir -p /srv/root; mount /dev/md/root /srv/root
state md-both-members-on-one-disk
mdadm -q /dev/md/root --fail /dev/ubda2; sleep 0.5; mdadm -q /dev/md/root --remove /dev/ubda2
state md-both-members-on-one-disk-one-failed
umount /srv/root; stop_all; gone ubda1 ubda2
mdadm --build --quiet --assume-clean /dev/md5 --level=1 --raid-devices=2 /dev/ubdc /dev/ubdd; udevadm settle; mkfs.ext4 -qF /dev/md5
state md-without-superblocks
