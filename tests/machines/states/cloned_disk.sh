# --disks 4x160MiB
# A disk was copied to a new one (dd), and both stayed connected: fstab means either.
mkdir -p /srv/films
echo 'type=linux' | sfdisk -q -X gpt /dev/ubda; udevadm settle; mkfs.ext4 -qF /dev/ubda1
dd if=/dev/ubda of=/dev/ubdb bs=1M status=none; blockdev --rereadpt /dev/ubdb; udevadm settle
echo "UUID=$(blkid -s UUID -o value /dev/ubda1) /srv/films ext4 defaults 0 2" >>/etc/fstab; mount /dev/ubda1 /srv/films
state public-cloned-disk-in-fstab
umount /srv/films; sed -i /srv/d /etc/fstab; gone ubda ubdb; blockdev --rereadpt /dev/ubda /dev/ubdb
# Members with the superblock at the end show what is on the array, and a mirror may have one member alone.
mdadm --create /dev/md/tank --run --quiet --homehost=lab --metadata=1.0 --level=1 --raid-devices=2 /dev/ubda /dev/ubdb
mdadm --create /dev/md/one --run --quiet --homehost=lab --force --level=1 --raid-devices=1 /dev/ubdc; idle
mkfs.ext4 -qF /dev/md/tank; udevadm settle
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/films ext4 defaults 0 2" >>/etc/fstab; mount /dev/md/tank /srv/films
state md-mirror-of-one
