#!/bin/sh
# First process of the guest. The host's tree is its root, read-only; an overlay makes it writable, and what is
# written stays in the guest: in memory, or on the state disk when there is one.
# The kernel hands over RT_CONTROL, a folder of the host with: config, env, rules, command; it takes the answer.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
mount -t proc proc /proc
. "$RT_CONTROL/config" # GUEST_ENV STATE DISKS SHARE MODE CONTROL_IN

if [ -n "$GUEST_ENV" ]; then
    # The kernel cannot save the wide registers of this processor, so nobody may use them (vectors.py).
    . "$RT_CONTROL/vectors"
fi

fail() {
    echo "raidtui lab: $*"
    printf '%s\n' "$*" >"$ANSWER/broken" 2>/dev/null
    sync
    echo o >/proc/sysrq-trigger
    sleep 10
}
ANSWER=/nowhere

modules=/usr/lib/uml/modules/$(uname -r)
base=/mnt
if [ -n "$STATE" ]; then
    mknod_dev=$(cat "/sys/block/$STATE/dev" 2>/dev/null)
    [ -n "$mknod_dev" ] || { mount -t sysfs sysfs /sys && mknod_dev=$(cat "/sys/block/$STATE/dev"); }
    mount -t devtmpfs devtmpfs /dev 2>/dev/null
    mount -t ext4 "/dev/$STATE" $base || fail "the state disk cannot be mounted"
else
    mount -t tmpfs -o size=75% tmpfs $base || fail "no memory for the overlay"
fi
mkdir -p $base/upper $base/work $base/root $base/lib/modules
for module in fs/overlayfs/overlay; do
    insmod "$modules/kernel/$module.ko" || fail "the overlay module does not load"
done
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" $base/root || fail "the overlay cannot be mounted"
root=$base/root

mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
mount -t devtmpfs devtmpfs $root/dev
mkdir -p $root/dev/pts $root/dev/shm
mount -t devpts devpts $root/dev/pts -o ptmxmode=0666,newinstance
mount -t tmpfs tmpfs $root/dev/shm
mount -t tmpfs -o mode=755 tmpfs $root/run
mkdir -p $root/run/lock $root/run/mdadm $root/run/udev/rules.d $root/run/raidtui-lab $root/lib/modules
mkdir -p "$root/lib/modules/$(uname -r)"
mount --bind "$modules" "$root/lib/modules/$(uname -r)"
mount -t hostfs -o "$RT_CONTROL" none $root/run/raidtui-lab || fail "the control folder cannot be mounted"
ANSWER=$root/run/raidtui-lab
if [ -n "$SHARE" ]; then
    mkdir -p "$root$SHARE"
    mount -t hostfs -o "$SHARE" none "$root$SHARE" || fail "the shared folder cannot be mounted"
fi
cp "$RT_CONTROL/rules" $root/run/udev/rules.d/59-raidtui-lab.rules

# The host's arrays and mounts are not the guest's.
if [ ! -e $base/upper/.raidtui-lab ]; then
    mkdir -p $root/etc/mdadm $root/usr/local/bin
    printf 'HOMEHOST <system>\n' >$root/etc/mdadm/mdadm.conf
    : >$root/etc/fstab
    cp "$RT_CONTROL/raidtui" $root/usr/local/bin/raidtui
    chmod 755 $root/usr/local/bin/raidtui
    rm -rf $root/var/lib/raidtui
    : >$base/upper/.raidtui-lab
fi
echo lab >/proc/sys/kernel/hostname
echo 127.0.0.1 localhost lab >$root/etc/hosts
ip link set lo up 2>/dev/null
for name in loop md-mod raid0 raid1 raid10 raid456 linear dm-mod dm-raid dm-flakey; do
    chroot $root modprobe -q $name
done

SYSTEMD_IGNORE_CHROOT=1
export SYSTEMD_IGNORE_CHROOT
udevd=/lib/systemd/systemd-udevd
[ -x $udevd ] || udevd=/usr/bin/udevadm
chroot $root $udevd --daemon >/dev/null 2>&1 </dev/null
chroot $root udevadm trigger --subsystem-match=block --action=add
chroot $root udevadm settle --timeout=20
# What systemd does for the arrays and mounts of fstab on a real boot.
if [ -s $root/etc/fstab ]; then
    chroot $root mdadm --assemble --scan >/dev/null 2>&1
    chroot $root udevadm settle --timeout=10
    chroot $root mount --all >/dev/null 2>&1
fi

cat >$root/run/raidtui-lab-run <<'EOF'
. /run/raidtui-lab/env
cd "$RT_CWD" 2>/dev/null || cd /
. /run/raidtui-lab/command
EOF

case $MODE in
    terminal) # con1 is the caller's terminal; its size comes as files, since the kernel hears of no change
        (
            while sleep 1; do
                for size in $ANSWER/winsize.*; do
                    [ -e "$size" ] || continue
                    # shellcheck disable=SC2046  # rows N cols N
                    stty -F $root/dev/tty1 $(cat "$size")
                    rm "$size"
                done
            done
        ) &
        chroot $root setsid --ctty --wait sh /run/raidtui-lab-run <>$root/dev/tty1 >&0 2>&0
        code=$?
        stty -F $root/dev/tty1 sane
        ;;
    command) # con2 and con3 are stdout and stderr, as they are: no newline is translated
        stty -F $root/dev/tty2 raw -echo
        stty -F $root/dev/tty3 raw -echo
        chroot $root setsid --wait sh /run/raidtui-lab-run </dev/null >$root/dev/tty2 2>$root/dev/tty3
        code=$?
        # Changing a setting waits until everything has been written.
        stty -F $root/dev/tty2 raw -echo
        stty -F $root/dev/tty3 raw -echo
        ;;
    agent) # requests come as files
        chroot $root setsid --wait sh /run/raidtui-lab-run </dev/null >/dev/null 2>&1
        code=$?
        ;;
esac
echo "$code" >$ANSWER/code
sync
chroot $root umount --all --types ext4,xfs,btrfs 2>/dev/null
echo o >/proc/sysrq-trigger
sleep 10
