# --disks 5x160MiB
# A virtual machine has these disks, as of a computer that passes them through: what is on them is its own.
$create --assume-clean /dev/md/tank -l1 -n2 /dev/ubda /dev/ubdb; mkfs.ext4 -qF /dev/md/tank
pvcreate -qq /dev/ubdc; vgcreate -qq guest /dev/ubdc; lvcreate -qq -y -Wn -L50M -n root guest
mkfs.btrfs -qf -draid1 -mraid1 /dev/ubdd /dev/ubde
vgchange -qq -an guest; stop_all
cp /bin/bash /tmp/qemu-system-x86_64; mkfifo /tmp/wait
/tmp/qemu-system-x86_64 -c 'exec 3<>/dev/ubda 4<>/dev/ubdb 5<>/dev/ubdc 6<>/dev/ubdd 7<>/dev/ubde; read -r line <>/tmp/wait' &
sleep 1
state disks-of-a-virtual-machine
kill $!
