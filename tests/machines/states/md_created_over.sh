# --disks 4x160MiB
# Somebody ran mdadm --create again with the members in another order, to start an array that did not start.
$create /dev/md/tank --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank
mkdir -p /srv/tank; echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank ext4 nofail 0 2" >>/etc/fstab
mdadm --detail --scan >>/etc/mdadm/mdadm.conf; stop_all
$create /dev/md/tank --level=5 --raid-devices=3 /dev/ubdb /dev/ubda /dev/ubdc; idle
state md-created-again-in-another-order
sed -i /^ARRAY/d /etc/mdadm/mdadm.conf
state md-created-again-not-in-mdadm-conf
stop_all; gone ubda ubdb ubdc
# An installer partitioned every disk of an array, so that nothing is left of its superblocks.
$create /dev/md/tank --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank
dd if=/dev/urandom of=/dev/md/tank bs=1M seek=40 count=200 conv=notrunc status=none; stop_all
for one in a b c; do printf 'label: gpt\ntype=R\n' | sfdisk -q --force --wipe never /dev/ubd$one; done; udevadm settle
state md-all-members-got-a-table
