# --disks 2x160MiB
# The LUKS header on an array or volume was overwritten while the container was closed.
lock() { printf secret | cryptsetup luksFormat --type $2 --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $1 -; }
anew() {
    wipefs --all --quiet /dev/md/tank; dd if=/dev/zero of=/dev/md/tank bs=1M count=20 status=none
    lock /dev/md/tank $1; udevadm settle
}
by_path() { echo "safe /dev/md/tank none luks" >/etc/crypttab; }
by_uuid() { echo "safe UUID=$(cryptsetup luksUUID /dev/md/tank) none luks" >/etc/crypttab; }
over() { dd if=/dev/zero of=$1 bs=$2 count=1 conv=notrunc,fsync status=none; udevadm trigger --settle $1; }
{
    $create /dev/md/tank --level=1 --raid-devices=2 --assume-clean /dev/ubda /dev/ubdb; udevadm settle
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf
    mkdir -p /srv/tank; echo "/dev/mapper/safe /srv/tank ext4 nofail 0 2" >>/etc/fstab
    anew luks2; by_path; over /dev/md/tank 4K
} >&2
state luks-first-header-overwritten
{ anew luks2; by_uuid; wipefs --all /dev/md/tank; } >&2
state luks-marks-erased
{ anew luks2; by_path; printf 'label: gpt\n,,\n' | sfdisk --quiet /dev/md/tank; } >&2
state luks-under-a-gpt
{ sfdisk --quiet --delete /dev/md/tank; anew luks1; by_uuid; printf 'label: dos\n,,\n' | sfdisk --quiet /dev/md/tank; } >&2
state luks1-under-an-mbr
{ sfdisk --quiet --delete /dev/md/tank; anew luks1; by_uuid; printf 'label: gpt\n,,\n' | sfdisk --quiet /dev/md/tank; } >&2
state luks1-under-a-gpt
{ sfdisk --quiet --delete /dev/md/tank; anew luks2; by_path; over /dev/md/tank 1M; } >&2
state luks-header-overwritten
{ anew luks2; by_path; mkfs.ext4 -qF /dev/md/tank; udevadm trigger --settle /dev/md127; } >&2
state luks-header-under-ext4
{
    : >/etc/crypttab; : >/etc/fstab; anew luks2
    printf secret | cryptsetup open /dev/md/tank safe -; wipefs --all --force --quiet /dev/md/tank; udevadm trigger --settle /dev/md/tank
} >&2
state luks-marks-erased-while-open
{
    cryptsetup close safe; anew luks2
    printf secret | cryptsetup open /dev/md/tank safe -
    mkfs.ext4 -q /dev/mapper/safe; over /dev/mapper/safe 16K
} >&2
state filesystem-in-a-container-without-its-beginning
{
    cryptsetup close safe; wipefs --all --quiet /dev/md/tank; vgcreate --quiet vault /dev/md/tank
    lvcreate --yes --quiet --name photos --size 40M vault; lock /dev/vault/photos luks1; wipefs --all /dev/vault/photos; udevadm trigger --settle /dev/vault/photos
} >&2
state luks1-marks-erased-on-a-volume
