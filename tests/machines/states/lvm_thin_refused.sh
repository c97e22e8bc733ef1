# --disks 2x160MiB
# The metadata of the group and of its thin pool do not fit each other, as after a restored backup: LVM refuses the pool.
pvcreate -qq /dev/ubda; vgcreate -qq tank /dev/ubda; lvcreate -qq -y -Wn -L 24M -n root tank
lvcreate -qq -y --poolmetadatasize 4M -L 60M -T tank/pool; lvcreate -qq -y -Wn -V 40M -T tank/pool -n guests; vgchange -qq -an tank
vgcfgbackup -f /tmp/tank tank; sed -i 's/transaction_id = 1/transaction_id = 4/' /tmp/tank; vgcfgrestore --force -f /tmp/tank tank
vgchange -ay tank
state lvm-thin-pool-refused
lvchange -qq -an tank/root; lvremove -qq -ff -y tank/root; lvrename -qq tank/guests tank/data
state lvm-thin-pool-refused-with-all
