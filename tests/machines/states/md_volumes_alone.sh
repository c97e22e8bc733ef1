# --disks 4x160MiB
# A group lies on a mirror whose superblocks are at the end, and is activated on one member by itself, as a boot without mdadm does.
mkdir -p /srv/root
mdadm --create /dev/md/sys --run --quiet --homehost=lab --metadata=1.0 -l1 -n2 /dev/ubda /dev/ubdb; idle
pvcreate -qq /dev/md127; vgcreate -qq sys /dev/md127; lvcreate -qq -y -Wn -L 60M -n root sys; mkfs.ext4 -qF /dev/sys/root; vgchange -qq -an sys; stop_all
state lvm-on-a-mirror-with-data-first
vgchange -qq -ay sys --config 'devices { md_component_detection=0 filter=["a|/dev/ubda|", "r|.*|"] }'; mount /dev/sys/root /srv/root; echo more >/srv/root/new
state public-group-active-on-one-member
mdadm --assemble --run --quiet /dev/md/sys /dev/ubdb; udevadm settle
state public-group-active-on-one-member-beside-the-array
stop_all; umount /srv/root; vgchange -qq -an sys --config 'devices { md_component_detection=0 filter=["a|/dev/ubda|", "r|.*|"] }'; udevadm settle
state public-group-was-active-on-one-member
gone ubda ubdb
# A partitioned mirror, one partition of which was mounted by one member.
mdadm --create /dev/md/sys --run --quiet --homehost=lab --metadata=1.0 -l1 -n2 /dev/ubda /dev/ubdb; idle
printf 'label: gpt\nsize=60M\nsize=60M\n' | sfdisk -q /dev/md127; udevadm settle; mkfs.ext4 -qF /dev/md127p1; mkfs.ext4 -qF /dev/md127p2; stop_all
start=$(sfdisk -d /dev/ubdb | sed -n 's/.*start= *\([0-9]*\), size= *\([0-9]*\).*/\1 \2/p' | sed -n 2p); stop_all
echo "0 ${start#* } linear /dev/ubdb ${start% *}" | dmsetup create second; mount /dev/mapper/second /srv/root; echo more >/srv/root/new
state md-partition-of-one-member-mounted
umount /srv/root; dmsetup remove second; stop_all
state md-partition-of-one-member-written
