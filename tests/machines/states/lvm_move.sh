# --disks 2x2GiB
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y -n data -l 90%PVS vg /dev/ubda
timeout -s KILL 3 pvmove -i 1 /dev/ubda /dev/ubdb; sleep 1
state lvm-move-interrupted
pvmove -i 1
state lvm-move-ended
