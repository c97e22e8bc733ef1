# --disks 4x160MiB
vgcreate -qq data /dev/ubda /dev/ubdb /dev/ubdc; lvcreate -qq -y --type raid5 -i2 -n films -L 100M data; mkfs.ext4 -qF /dev/data/films
vgchange -qq -an data; gone ubdc; vgreduce -qq --removemissing --force data; vgchange -qq -an data
state lvm-part-removed-by-force-inactive
vgchange -qq -ay data
state lvm-part-removed-by-force
