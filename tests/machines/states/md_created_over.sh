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
# With other defaults than those of the old array, and without a line in mdadm.conf.
stop_all; gone ubda ubdb ubdc; sed -i '/^ARRAY/d' /etc/mdadm/mdadm.conf; sed -i /tank/d /etc/fstab
made() { $create /dev/md/tank --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle; mkfs.ext4 -qF /dev/md/tank; stop_all; }
made; mdadm --create --run --quiet --metadata=0.90 /dev/md0 --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle
state md-created-again-0.90
stop_all; gone ubda ubdb ubdc; made
$create /dev/md/tank --level=5 --raid-devices=3 --data-offset=8M /dev/ubda /dev/ubdb /dev/ubdc; idle
state md-created-again-at-another-offset
stop_all; gone ubda ubdb ubdc
# A new array on blank disks has nothing on it either.
$create /dev/md/tank --level=5 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc; idle
state md-new
stop_all; gone ubda ubdb ubdc
# Created again in its order with another layout: the first chunk is the same, and so is the beginning of its filesystem.
made; $create /dev/md/tank --level=5 --raid-devices=3 --assume-clean --layout=left-asymmetric /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle
state md-created-again-with-another-layout
