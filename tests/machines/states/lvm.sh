# --disks 6x160MiB
export LVM_SUPPRESS_FD_WARNINGS=1
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc
lvcreate -qq -y --type raid5 --stripes 2 -L 64M -n data tank
mkfs.ext4 -qF /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank
until dmsetup status tank-data | grep -q 'AAA .* idle'; do sleep 0.2; done
mkdir -p /run/keep
away() { dd if=/dev/$1 of=/run/keep/$1 bs=1M count=160 status=none; gone $1; pvscan -qq --cache >/dev/null 2>&1; }
state lvm-well
dd if=/dev/ubdb of=/dev/ubde bs=1M status=none; udevadm settle; pvscan --cache
state lvm-clone-beside-active
gone ubde; pvscan --cache
away ubdb
state lvm-pv-missing-active
umount /srv/tank; vgchange -an tank
state lvm-pv-missing-inactive
vgchange -ay --activationmode degraded tank
state lvm-pv-missing-degraded
mount /dev/tank/data /srv/tank; dd if=/dev/urandom of=/srv/tank/x bs=1M count=4 status=none; sync
dd if=/run/keep/ubdb of=/dev/ubdb bs=1M status=none; udevadm settle; pvscan --cache
state lvm-pv-back
gone ubdb; pvscan --cache; vgchange --addtag t tank
dd if=/run/keep/ubdb of=/dev/ubdb bs=1M status=none; udevadm settle; pvscan --cache
state lvm-pv-back-marked
umount /srv/tank; vgchange -an tank; away ubdb; away ubdc
state lvm-two-pvs-missing
gone ubda ubdb ubdc; rm -f /run/keep/*
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq plain /dev/ubda /dev/ubdb; lvcreate -qq -y -n films -l 100%FREE plain
mkfs.ext4 -qF /dev/plain/films; vgchange -an plain; gone ubdb; pvscan --cache
state lvm-linear-pv-missing
