# --disks 3x160MiB
# A container whose header is gone wholly, and where it was when it was last seen.
lock() { printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $1 -; }
over() { dd if=/dev/zero of=$1 bs=1M count=20 conv=notrunc,fsync status=none; udevadm trigger --settle $1; }
{
    $create /dev/md/tank --level=1 --raid-devices=2 --assume-clean /dev/ubda /dev/ubdb; udevadm settle
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf
    lock /dev/md/tank; echo "safe UUID=$(cryptsetup luksUUID /dev/md/tank) none luks" >/etc/crypttab
    over /dev/md/tank; mkfs.ext4 -qF /dev/md/tank; udevadm trigger --settle /dev/md127
} >&2
state luks-header-gone-never-seen
{
    wipefs --all --quiet /dev/md/tank; over /dev/md/tank; lock /dev/md/tank
    echo "safe UUID=$(cryptsetup luksUUID /dev/md/tank) none luks" >/etc/crypttab; udevadm settle; raidtui status
    over /dev/md/tank; mkfs.ext4 -qF /dev/md/tank; udevadm trigger --settle /dev/md127
} >&2
state luks-header-gone-as-seen
{ stop_all; } >&2
state luks-on-a-stopped-array-as-seen
{
    mdadm --assemble --quiet /dev/md/tank /dev/ubda /dev/ubdb; printf 'label: gpt\n,,\n' | sfdisk --quiet /dev/ubdc
    udevadm settle; lock /dev/ubdc1; udevadm settle
    echo "safe UUID=$(cryptsetup luksUUID /dev/ubdc1) none luks" >/etc/crypttab; raidtui status; over /dev/ubdc1
} >&2
state luks-header-gone-on-a-disk-as-seen
{ sfdisk --quiet --delete /dev/ubdc; udevadm settle; } >&2
state luks-partition-gone-as-seen
