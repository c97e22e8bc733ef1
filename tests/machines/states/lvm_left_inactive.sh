# --disks 2x160MiB
# Somebody set that LVM does not activate a volume: it is whole.
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb
lvcreate -qq -y --type raid1 -m1 -L 40M -n data tank; until dmsetup status tank-data | grep -q 'AA .* idle'; do sleep 0.2; done
lvchange -qq -ky tank/data; vgchange -qq -an tank
state lvm-activation-skipped
# Of a cluster, say: its configuration lists the groups that LVM activates.
lvchange -qq -kn tank/data; printf 'activation {\n volume_list = [ "root", "vg/home" ]\n}\n' >>/etc/lvm/lvmlocal.conf
state lvm-not-in-its-volume-list
# A copy was split off from a mirror, for a backup, and never taken back.
rm /etc/lvm/lvmlocal.conf; vgchange -qq -ay tank; lvconvert -qq -y --splitmirrors 1 --trackchanges tank/data
state lvm-image-split-off
