# --disks 3x160MiB
# An array was created again below a volume group, whose metadata is in the first chunk and stays right.
mkdir -p /srv/tank
$create /dev/md/tank --level=5 --raid-devices=3 --chunk=512 /dev/ubda /dev/ubdb /dev/ubdc; idle; pvcreate -qq /dev/md/tank; vgcreate -qq vg /dev/md/tank
lvcreate -qq -y -n data -l 90%FREE vg; mkfs.ext4 -q /dev/vg/data; echo "UUID=$(blkid -s UUID -o value -p /dev/vg/data) /srv/tank ext4 defaults 0 0" >> /etc/fstab
again() { vgchange -qq -an vg; stop_all; $create /dev/md/tank --level=5 --raid-devices=3 --assume-clean --chunk=512 $*; udevadm settle; vgchange -qq -ay vg; udevadm settle; mdadm --detail --scan > /etc/mdadm/mdadm.conf; echo MAILADDR root >> /etc/mdadm/mdadm.conf; }
again /dev/ubda /dev/ubdc /dev/ubdb
state md-created-again-below-a-volume
again --layout=left-asymmetric /dev/ubda /dev/ubdb /dev/ubdc
state md-created-again-below-a-volume-that-seems-empty
