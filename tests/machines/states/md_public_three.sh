# --disks 5x160MiB
# A new, empty partition table was written to a disk whose array runs, and nothing has been written to the array since.
$create /dev/md/nas --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle
mkfs.ext4 -qF /dev/md/nas; sleep 1
printf 'label: gpt\n' | sfdisk -q --no-reread --force --wipe never /dev/ubdc
state public-new-table-while-running
stop_all
# Somebody partitioned every member while the array was stopped.
for one in a b c; do printf 'label: gpt\nsize=20MiB\n' | sfdisk -q --force --wipe never /dev/ubd$one; done
state public-all-members-partitioned
gone ubda ubdb ubdc
# The partition of a member was made smaller than what it held.
for one in a b c; do printf 'label: gpt\nsize=100MiB, type=R\n' | sfdisk -q /dev/ubd$one; done; udevadm settle
$create /dev/md/nas --level=5 --raid-devices=3 --bitmap=internal /dev/ubda1 /dev/ubdb1 /dev/ubdc1; idle
stop_all; printf 'label: gpt\nsize=50MiB, type=R\n' | sfdisk -q --force --wipe never /dev/ubda; stop_all
state public-partition-made-smaller
mdadm -q --assemble --run /dev/md/nas /dev/ubdb1 /dev/ubdc1
state public-partition-made-smaller-running
stop_all; for one in a b c; do wipefs -qaf /dev/ubd${one}1; done; gone ubda ubdb ubdc
for one in a b c; do blockdev --rereadpt /dev/ubd$one; done
# The array was made again under its name, and mdadm.conf has the line of the one before.
$create /dev/md/nas --level=1 --raid-devices=2 --bitmap=internal /dev/ubda /dev/ubdb; idle; mkfs.ext4 -qF /dev/md/nas
echo 'ARRAY /dev/md/nas metadata=1.2 UUID=11111111:22222222:33333333:44444444' >>/etc/mdadm/mdadm.conf
state public-line-of-an-old-uuid
sed -i /^ARRAY/d /etc/mdadm/mdadm.conf; stop_all; gone ubda ubdb
# A computer that boots from a mirror lost a disk; each had a partition to boot from.
for one in a b; do printf 'label: gpt\nsize=33MiB, type=U\ntype=R\n' | sfdisk -q /dev/ubd$one; done; udevadm settle
$create /dev/md/root --level=1 --raid-devices=2 --bitmap=internal /dev/ubda2 /dev/ubdb2; idle
mdadm -q /dev/md/root --fail /dev/ubda2; sleep 0.5; mdadm -q /dev/md/root --remove /dev/ubda2
gone ubda; blockdev --rereadpt /dev/ubda; udevadm settle
state public-boot-disk-lost
