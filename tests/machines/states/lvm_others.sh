# --disks 2x160MiB
# A volume group of another computer, and one that this computer owns by its system ID (lvmsystemid(7)).
sed -i 's/^\(\s*\)#* *system_id_source = .*/\1system_id_source = "uname"/' /etc/lvm/lvm.conf
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq own /dev/ubda; lvcreate -qq -y -n data -L 20M own
state lvm-of-this-system
vgcreate -qq theirs /dev/ubdb; lvcreate -qq -y -n data -L 20M theirs; vgchange -qq -an theirs; vgchange -qq -y --systemid nas2 theirs
state lvm-of-another-system
raidtui status >&2
