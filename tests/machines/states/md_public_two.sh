# --disks 6x160MiB
# A disk with two arrays was pulled and put back: both lack it.
for one in a b; do printf 'label: gpt\nsize=60MiB,type=R\ntype=R\n' | sfdisk -q /dev/ubd$one; done; udevadm settle
for n in 1 2; do $create /dev/md/m$n --level=1 --bitmap=internal --raid-devices=2 /dev/ubda$n /dev/ubdb$n; idle; done
for n in 1 2; do mdadm -q /dev/md/m$n --fail /dev/ubdb$n; sleep 0.5; mdadm -q /dev/md/m$n --remove /dev/ubdb$n; done
state public-pulled-and-put-back
stop_all; for one in a b; do sfdisk -q --delete /dev/ubd$one; gone ubd$one; blockdev --rereadpt /dev/ubd$one; done; udevadm settle
# A pulled member was re-added to the failed array: its place is lost.
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle
mkfs.ext4 -qF /dev/md127; mdadm -q /dev/md/tank --fail /dev/ubdc; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdc
dd if=/dev/zero of=/dev/md127 bs=1M count=4 seek=20 oflag=direct status=none
mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb; mdadm /dev/md/tank --re-add /dev/ubdb; sleep 0.5
state public-re-added-to-a-failed-array
stop_all
state public-re-added-to-a-failed-array-stopped
stop_all; gone ubda ubdb ubdc
# One half of a mirror from another computer.
mdadm --create --run --quiet --homehost=oldnas --metadata=1.0 /dev/md/photos --level=1 --bitmap=internal --raid-devices=2 /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md127; stop_all; gone ubdb; stop_all
state public-half-of-a-foreign-mirror
gone ubda; stop_all
# Two computers had an array of one name.
for host in lab other; do
    a=/dev/ubda b=/dev/ubdb; [ $host = other ] && a=/dev/ubdc b=/dev/ubdd
    mdadm --create --run --quiet --homehost=$host --metadata=1.2 /dev/md/$host --name=data --level=1 --bitmap=none --raid-devices=2 $a $b; idle
done
mdadm -q /dev/md/other --fail /dev/ubdd; sleep 0.5; mdadm -q /dev/md/other --remove /dev/ubdd; gone ubdd
state public-two-of-one-name
stop_all; gone ubda ubdb ubdc
# RAID6 with one failed member and one that is missing, and a spare that takes over.
$create /dev/md/six --level=6 --raid-devices=4 --spare-devices=1 /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde; idle
echo 500 >/sys/block/md127/md/sync_speed_max; mdadm -q /dev/md/six --fail /dev/ubda; sleep 2
state public-spare-rebuilding
mdadm -q /dev/md/six --fail /dev/ubdb; sleep 1
state public-second-failure-while-a-spare-rebuilds
stop_all; gone ubda ubdb ubdc ubdd ubde
# The journal device of an array is gone.
$create /dev/md/tank --level=5 --raid-devices=3 --write-journal=/dev/ubdd /dev/ubda /dev/ubdb /dev/ubdc; idle
mkfs.ext4 -qF /dev/md127; stop_all; gone ubdd; stop_all
for one in a b c; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle
state public-journal-gone
