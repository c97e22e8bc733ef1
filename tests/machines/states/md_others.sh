# --disks 6x160MiB
$create /dev/md/left --level=1 --bitmap=none --raid-devices=2 /dev/ubda /dev/ubdb
$create /dev/md/right --level=1 --bitmap=none --raid-devices=2 /dev/ubdc /dev/ubdd; idle
$create /dev/md/top --level=0 --raid-devices=2 /dev/md/left /dev/md/right
mkfs.ext4 -qF /dev/md/top; mkdir -p /srv/top; mount /dev/md/top /srv/top
mdadm -q /dev/md/left --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/left --remove /dev/ubdb; gone ubdb
state md-on-md-lower-degraded
umount /srv/top; mdadm -q --stop /dev/md/top; stop_all; gone ubda ubdc ubdd
$create /dev/md/tank --level=1 --bitmap=none --raid-devices=2 /dev/ubda /dev/ubdb; idle
pvcreate -qq /dev/md/tank; vgcreate -qq data /dev/md/tank; lvcreate -qq -y -n films -l 100%FREE data
mkfs.ext4 -qF /dev/data/films; mkdir -p /srv/films; mount /dev/data/films /srv/films
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb; gone ubdb
state lvm-on-md-degraded
umount /srv/films; vgchange -qq -an data; stop_all; gone ubda
for one in a b; do printf 'label: gpt\nsize=40MiB,type=R\nsize=40MiB,type=R\ntype=R\n' | sfdisk -q /dev/ubd$one; done; udevadm settle
for n in 1 2 3; do $create /dev/md/m$n --level=1 --bitmap=none --raid-devices=2 /dev/ubda$n /dev/ubdb$n; idle; done
for n in 1 2 3; do mdadm -q /dev/md/m$n --fail /dev/ubdb$n; sleep 0.5; mdadm -q /dev/md/m$n --remove /dev/ubdb$n; done
gone ubdb1 ubdb2 ubdb3; sfdisk -q --delete /dev/ubdb; gone ubdb; blockdev --rereadpt /dev/ubdb; udevadm settle
state md-three-arrays-on-the-lost-disk
stop_all; sfdisk -q --delete /dev/ubda; gone ubda; blockdev --rereadpt /dev/ubda
$create /dev/md/ten --level=10 --raid-devices=4 /dev/ubd[a-d]; idle
mdadm -q /dev/md/ten --fail /dev/ubda; sleep 0.5
state md-raid10-one-failed
mdadm -q /dev/md/ten --fail /dev/ubdb; sleep 0.5
state md-raid10-both-of-a-pair-failed
stop_all; gone ubda ubdb ubdc ubdd
$create /dev/md/zero --level=0 --raid-devices=2 /dev/ubda /dev/ubdb; udevadm settle; stop_all; gone ubdb; stop_all
mdadm -q --incremental /dev/ubda; udevadm settle
state md-raid0-one-gone
stop_all; gone ubda
$create /dev/md/tank --level=1 --bitmap=internal --raid-devices=2 /dev/ubda /dev/ubdb --spare-devices=1 /dev/ubdc; idle
mdadm -q /dev/md/tank --fail /dev/ubda; idle
state md-spare-took-over
