# --engine qemu --disks 8xscsi:512MiB
d() { lsblk -dnro PATH,SERIAL | awk -v serial="LAB-000$1" '$2 == serial { print $1 }'; }
blank() {
    local disk
    zpool destroy -f tank
    for disk in 1 2 3 4 5 6 7 8; do
        lsblk -dnro SERIAL | grep -q LAB-000$disk || lab plug LAB-000$disk
        until [ -n "$(d $disk)" ]; do sleep 0.2; done
        wipefs -qa $(d $disk)?* $(d $disk)
        blkdiscard -f $(d $disk)
        blockdev --rereadpt $(d $disk)
    done
    udevadm settle
} >&2 2>/dev/null
make() {
    zpool create -f -o ashift=12 -m /srv/tank tank "$@"
    udevadm settle
    dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none
    zpool sync tank
} >&2
# A disk that was pulled is noticed at the next write.
touched() { sleep 3; mkdir /srv/tank/touched; zpool sync tank; sleep 3; } >&2
still=/sys/module/zfs/parameters/zfs_scan_suspend_progress

make raidz2 $(d 1) $(d 2) $(d 3) $(d 4) $(d 5)
zpool offline -f tank $(d 2)
lab pull LAB-0003 >&2
touched
state zfs-raidz2-two-failed
blank
make raidz1 $(d 1) $(d 2) $(d 3)
echo 1 >$still
zpool offline -f tank $(d 2)
zpool replace -f tank $(d 2) $(d 4)
sleep 2
state zfs-replacing
echo 0 >$still
blank
make raidz1 $(d 1) $(d 2) $(d 3)
echo 1 >$still
zpool replace -f tank $(d 2) $(d 4)
sleep 2
lab pull LAB-0004 >&2
touched
echo 0 >$still
sleep 8
state zfs-replacement-gone
blank
make mirror $(d 1) $(d 2) log $(d 3) cache $(d 4) special mirror $(d 5) $(d 6)
lab pull LAB-0004 >&2
touched
state zfs-cache-gone
lab pull LAB-0003 LAB-0006 >&2 || { lab pull LAB-0003; lab pull LAB-0006; } >&2
rmdir /srv/tank/touched
touched
state zfs-special-and-log-gone
