# --engine qemu --disks 5xscsi:256MiB
# A hub lost its power: the disks vanish together, and come back under other names. md keeps the last copy of a mirror.
disk() { lsblk -dnro PATH,SERIAL | awk -v serial=$1 '$2 == serial { print $1 }'; }
{
    mkdir -p /srv/zero /srv/two
    create="mdadm --create --run --quiet --homehost=$(hostname) --metadata=1.2"
    $create /dev/md/zero --level=0 --raid-devices=2 $(disk LAB-0001) $(disk LAB-0002)
    $create /dev/md/two --level=1 --bitmap=internal --assume-clean --raid-devices=2 $(disk LAB-0003) $(disk LAB-0004)
    udevadm settle
    for name in zero two; do
        mkfs.ext4 -q /dev/md/$name
        mount /dev/md/$name /srv/$name
        dd if=/dev/urandom of=/srv/$name/data bs=1M count=20 status=none
    done
    sync
    { mdadm --detail --scan; echo MAILADDR root; } >>/etc/mdadm/mdadm.conf
    for number in 1 2 3 4; do lab pull LAB-000$number; done
    for name in zero two; do dd if=/dev/urandom of=/srv/$name/more bs=1M count=5 status=none; sync -f /srv/$name; done
    sleep 3
} >&2
state public-hub-without-power
{
    lab plug
    sleep 6
} >&2
state public-hub-has-power-again
