# --disks 3x160MiB
# An array with a partition: its filesystem, then the start of its table, then both copies of the table were overwritten.
dirty() { dd if=/dev/zero of=/dev/md/$1 conv=notrunc,fsync status=none bs=$2 count=1 seek=${3:-0}; }
read_anew() { partx --delete /dev/md/tank; blockdev --rereadpt /dev/md/tank; udevadm trigger --settle; echo 3 >/proc/sys/vm/drop_caches; }
{
    $create /dev/md/tank --level=5 --raid-devices=3 --assume-clean /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf
    printf 'label: gpt\n,,\n' | sfdisk --quiet /dev/md/tank; udevadm settle
    mkfs.ext4 -q /dev/md/tank1; mkdir -p /srv/tank; udevadm settle
    echo "UUID=$(blkid -s UUID -o value /dev/md/tank1) /srv/tank ext4 defaults,nofail 0 0" >>/etc/fstab
    dd if=/dev/md/tank1 of=/tmp/begin bs=16K count=1 status=none
    dirty tank1 16K; read_anew
} >&2
state filesystem-on-a-partition-of-an-array-without-its-beginning
{ dd if=/tmp/begin of=/dev/md/tank1 bs=16K conv=notrunc,fsync status=none; dirty tank 512K; read_anew; } >&2
state partition-table-of-an-array-only-at-its-end
{ dirty tank 16896 $(($(blockdev --getsize64 /dev/md/tank) / 16896 - 1)); dirty tank 512 $(($(blockdev --getsz /dev/md/tank) - 1)); read_anew; } >&2
state partition-table-of-an-array-gone
