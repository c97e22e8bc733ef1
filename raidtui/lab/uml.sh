# Runs as process 1 of the guest, on the host's tree, read-only. raidtui.lab.uml writes the settings PYTHON, AGENT,
# MODULES, STATE, SHARE, FOLDER, SCSI, SCSI_MODULES, RULES, WRAPPER, LAB and MDADM_CONF before these lines.
# It builds the guest's root (the host's tree under an overlay), starts udev and execs the agent.
set -e
unset seccomp # a kernel before 6.16 does not know the word, and leaves it in the environment
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LIBMOUNT_FORCE_MOUNT2=always # hostfs takes its folder as a bare option, which only mount(2) passes on

read -r version </proc/sys/kernel/osrelease 2>/dev/null || version=$(uname -r)
if [ "${1-}" != inside ]; then
    mount -n -t tmpfs -o mode=755 lab /mnt
    mkdir /mnt/upper /mnt/work /mnt/root
    insmod "$MODULES/$version"/kernel/fs/overlayfs/overlay.ko* 2>/dev/null || : # may be built in
    mount -n -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
    cd /mnt/root
    # As switch_root does it: a bare Debian from forky on has no pivot_root(8).
    mount -n --move . /
    exec chroot . /bin/sh "$0" inside
fi

mkdir -p proc sys dev run tmp
mount -n -t proc -o nosuid,nodev,noexec proc proc
mount -n -t sysfs -o nosuid,nodev,noexec sysfs sys
mount -n -t devtmpfs -o mode=755,nosuid devtmpfs dev
ln -s /proc/self/fd dev/fd # systemd makes these elsewhere; bash needs the first for <( )
for link in 0:stdin 1:stdout 2:stderr; do ln -s "fd/${link%:*}" "dev/${link#*:}"; done
mount -n -t tmpfs -o mode=755,nosuid,nodev tmpfs run
mkdir -p dev/pts dev/shm
mount -n -t devpts -o nosuid,noexec,gid=5,mode=620,ptmxmode=666 devpts dev/pts
mount -n -t tmpfs -o nosuid,nodev tmpfs dev/shm
mkdir -p "usr/lib/modules/$version"
mount -n --bind "$MODULES/$version" "usr/lib/modules/$version"
mkdir -p run/lock run/mdadm run/mount run/udev/rules.d run/lab/bin

# The guest's own settings instead of the host's, which name disks that do not exist here.
mkdir -p etc/mdadm var/lib/raidtui
mount -n -t tmpfs -o mode=755,nosuid,nodev raidtui var/lib/raidtui
if [ -n "$STATE" ]; then
    mount -n -t hostfs -o "$STATE/etc" none etc
    mount -n -t hostfs -o "$STATE/raidtui" none var/lib/raidtui
else
    : >etc/fstab
    printf '%s' "$MDADM_CONF" >etc/mdadm/mdadm.conf
    echo lab >etc/hostname
    echo '127.0.1.1 lab' >>etc/hosts # sudo looks the host up
fi
read -r name <etc/hostname && echo "$name" >proc/sys/kernel/hostname
if [ -n "$SHARE" ]; then
    mkdir -p "./$SHARE"
    mount -n -t hostfs -o "$SHARE" none "./$SHARE"
fi
printf '%s' "$RULES" >run/udev/rules.d/59-raidtui-lab.rules
printf '%s' "$WRAPPER" >run/lab/bin/raidtui
printf '%s' "$LAB" >run/lab/bin/lab
chmod 755 run/lab/bin/raidtui run/lab/bin/lab

export SYSTEMD_IGNORE_CHROOT=1
modprobe -a md_mod dm_mod || :
# Files in FOLDER behind the kernel's own SCSI target; a line of SCSI has LUN, bytes of a sector, size and file.
if [ -n "$SCSI" ]; then
    modprobe -a $SCSI_MODULES
    target=/sys/kernel/config/target
    mount -n -t configfs configfs /sys/kernel/config
    mkdir /run/lab/disks
    mount -n -t hostfs -o "$FOLDER" none /run/lab/disks
    port=$target/loopback/naa.3000000000000001/tpgt_1
    mkdir -p "$port"
    echo naa.3000000000000002 >"$port/nexus"
    printf '%s' "$SCSI" | while read -r lun sector size file; do
        disk=$target/core/fileio_0/lun_$lun
        mkdir -p "$disk" "$port/lun/lun_$lun"
        echo "fd_dev_name=/run/lab/disks/$file,fd_dev_size=$size,fd_buffered_io=1" >"$disk/control"
        echo 1 >"$disk/enable"
        echo "$sector" >"$disk/attrib/block_size"
        echo ATA >"$disk/wwn/vendor_id" # as SATA disks have it: the model alone names the maker
        ln -s "$disk" "$port/lun/lun_$lun/disk"
    done
    umount -n -l /run/lab/disks
fi
/usr/lib/systemd/systemd-udevd --daemon
udevadm trigger --subsystem-match=block --action=add
udevadm settle --timeout=60
# Done here because there is no systemd: start arrays that lack a member (it has a timer), and mount fstab.
if grep -q inactive /proc/mdstat; then mdadm --incremental --run --scan || :; fi
if [ -s /etc/fstab ]; then
    sed -n 's/^[^#[:space:]][^[:space:]]*[[:space:]]\{1,\}\(\/[^[:space:]]*\).*/\1/p' /etc/fstab | while read -r point; do
        mkdir -p "$(printf '%b' "$point")"
    done
    mount -a || :
fi
exec "$PYTHON" -I -S "$AGENT" /dev/ttyS0 </dev/null >/dev/console 2>&1
