# --disks 2x160MiB
# Thin pools and snapshots with little room left. What is on them shows free space.
pvcreate -qq /dev/ubda; vgcreate -qq tank /dev/ubda
pool() { lvcreate -qq -y --poolmetadatasize 4M -L $1M -T tank/pool; lvcreate -qq -y -V 200M -T tank/pool -n data; }
fill() { dd if=/dev/urandom of=/dev/tank/$2 bs=1M count=$1 oflag=direct status=none; sleep 1; }
pool 40; fill 34 data
state lvm-thin-pool-filling
dd if=/dev/urandom of=/dev/tank/data bs=1M seek=34 count=5 oflag=direct status=none; sleep 1
state lvm-thin-pool-almost-full
lvremove -qq -y tank; pool 40
many() { for id in $(seq $1 $2); do dmsetup message tank-pool-tpool 0 "create_thin $id" || break; done; sleep 1; }
many 1000 1840
state lvm-thin-pool-metadata-filling
many 1841 1999
state lvm-thin-pool-metadata-full
lvremove -qq -y tank
# dmeventd extends it, until the group has no room.
sed -i 's/.*thin_pool_autoextend_threshold = .*/\tthin_pool_autoextend_threshold = 70/' /etc/lvm/lvm.conf
pool 40; lvcreate -qq -y -n rest -l 100%FREE tank; fill 34 data; sleep 12
state lvm-thin-pool-cannot-grow
lvremove -qq -y tank
# One snapshot fills up, and one has room for all of its origin.
lvcreate -qq -y -n data -L 40M tank; lvcreate -qq -y -s -L 24M -n backup tank/data; lvcreate -qq -y -s -L 44M -n whole tank/data
fill 20 data
state lvm-snapshot-filling
