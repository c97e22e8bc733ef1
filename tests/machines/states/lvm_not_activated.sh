# --disks 3x160MiB
# Parts of volumes are active by themselves, as an interrupted activation leaves them; LVM refuses the volumes until they are not.
export LVM_SUPPRESS_FD_WARNINGS=1
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq pve /dev/ubda; lvcreate -qq -y -Wn -L 24M -n root pve
lvcreate -qq -y --poolmetadatasize 4M -L 60M -T pve/data; lvcreate -qq -y -Wn -V 40M -T pve/data -n vm-100-disk-0; vgchange -qq -an pve
lvchange -qq -y -ay pve/data_tmeta; lvchange -qq -y -ay pve/data_tdata; vgchange -qq -ay pve
state public-parts-of-a-pool-active
lvchange -qq -an pve/root pve/data_tmeta pve/data_tdata; lvremove -qq -ff -y pve; vgextend -qq pve /dev/ubdb
lvcreate -qq -y -Wn --type raid1 -m1 --nosync -L 40M -n home pve; lvcreate -qq -y -Wn -L 24M -n root pve; vgchange -qq -an pve
lvchange -qq -y -ay pve/home_rimage_0
state lvm-image-of-a-mirror-active
vgchange -qq -an pve; lvremove -qq -ff -y pve; vgremove -qq -y pve
# A type that another LVM made: QNAP's.
vgcreate -qq vg288 /dev/ubda; for one in lv1 tp1; do lvcreate -qq -y -Wn -L 24M -n $one vg288; done; vgchange -qq -an vg288
vgcfgbackup -qq -f /run/vg vg288; sed -i '/tp1 {/,$s/type = "striped"/type = "tier-thin-pool"/' /run/vg; vgcfgrestore -qq --force -f /run/vg vg288
state public-type-of-another-lvm
vgchange -qq -ay vg288
state lvm-type-not-known-beside-active
vgchange -qq -an vg288; dd if=/dev/zero of=/dev/ubda bs=1M count=4 status=none; udevadm settle; pvscan -qq --cache
# A group of an older cluster.
pvcreate -qq /dev/ubda; vgcreate -qq shared /dev/ubda; lvcreate -qq -y -Wn -L 24M -n data shared; vgchange -qq -an shared
vgcfgbackup -qq -f /run/vg shared; sed -i '0,/"WRITE"/s//"WRITE", "CLUSTERED"/' /run/vg; vgcfgrestore -qq --force -f /run/vg shared
state public-group-of-an-older-cluster
