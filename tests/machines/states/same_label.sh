# --disks 4x160MiB
# Two filesystems with one label, as people give them, and fstab mounts by it.
mkdir -p /srv/films
mkfs.ext4 -qF -L films /dev/ubda; mkfs.xfs -qf -L films /dev/ubdb 2>/dev/null || mkfs.ext4 -qF -L films /dev/ubdb; udevadm settle
echo "LABEL=films /srv/films auto defaults 0 2" >>/etc/fstab; mount /dev/ubda /srv/films
state public-two-filesystems-of-one-label
umount /srv/films; gone ubda ubdb
# One of them on a volume; and partitions with one name.
pvcreate -qq /dev/ubda; vgcreate -qq tank /dev/ubda; lvcreate -qq -y -n data -L 60M tank; mkfs.ext4 -qF -L films /dev/tank/data; mkfs.ext4 -qF -L films /dev/ubdb; udevadm trigger --settle /dev/dm-0
state public-volume-and-disk-of-one-label
lvremove -qq -y tank; vgremove -qq -y tank; gone ubda ubdb; sed -i /srv/d /etc/fstab
for disk in ubda ubdb; do printf 'label: gpt\nname=films\n' | sfdisk -q -X gpt /dev/$disk; udevadm settle; mkfs.ext4 -qF /dev/${disk}1; done
echo "PARTLABEL=films /srv/films ext4 defaults 0 2" >>/etc/fstab; udevadm settle
state public-two-partitions-of-one-name
sed -i /srv/d /etc/fstab; for disk in ubda ubdb; do blkdiscard -f /dev/$disk; blockdev --rereadpt /dev/$disk; done; udevadm settle
# Disks of Windows: a dynamic disk, a storage pool, and a dynamic disk with an old table.
printf 'label: gpt\nsize=16M, type=5808C8AA-7E8F-42E0-85D2-E1E90434CFB3, name="LDM metadata partition"\nsize=16M, type=E3C9E316-0B5C-4DB8-817D-F92DF00215AE\ntype=AF9B60A0-1431-4F62-BC68-3311714A69AD, name="LDM data partition"\n' | sfdisk -q /dev/ubda
printf 'label: gpt\nsize=16M, type=E3C9E316-0B5C-4DB8-817D-F92DF00215AE\ntype=E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D, name="Storage pool"\n' | sfdisk -q /dev/ubdb
printf 'label: dos\ntype=42\n' | sfdisk -q /dev/ubdc; udevadm settle
state public-disks-of-windows
