# --engine qemu --disks 4xenclosure:256MiB
# A USB enclosure: its bridge has one serial number, which udev gives to all its disks; the links differ in the bay.
{
    mkdir -p /srv/tank
    $create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal --assume-clean /dev/sda /dev/sdb /dev/sdc
    udevadm settle
    mkfs.ext4 -q /dev/md/tank
    mount /dev/md/tank /srv/tank
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf
    mdadm --quiet /dev/md/tank --fail /dev/sdb
    sleep 1
} >&2
state usb-enclosure-member-failed
{
    mdadm --quiet /dev/md/tank --remove /dev/sdb
    echo 1 >/sys/block/sdb/device/delete
    sleep 2
} >&2
state usb-enclosure-disk-gone
