# Runs inside the new system, as root of it: settings of a guest, and the ZFS module. recipe.sh beside this
# file calls it. Nothing of raidtui itself goes in: what a guest runs comes from the host's files at each boot.
set -eu
version=$(ls /lib/modules)

echo lab >/etc/hostname
echo '127.0.0.1 localhost' >/etc/hosts
echo '127.0.1.1 lab' >>/etc/hosts
: >/etc/fstab
: >/etc/machine-id
printf 'HOMEHOST <system>\nMAILADDR root\n' >/etc/mdadm/mdadm.conf

# Drivers of every bus a disk can be on, so that arrays come up in the initramfs as on real computers. They are only
# there, for udev to load: each that is loaded for nothing costs an emulated processor half a second.
cat >/etc/initramfs-tools/hooks/raidtui-lab <<'END'
#!/bin/sh
[ "${1-}" != prereqs ] || exit 0
. /usr/share/initramfs-tools/hook-functions
manual_add_modules virtio_pci virtio_blk virtio_scsi ext4 sd_mod ahci nvme xhci_pci usb_storage megaraid_sas
END
chmod +x /etc/initramfs-tools/hooks/raidtui-lab
# What the virtual computer has, and nobody needs.
printf 'blacklist %s\n' floppy pcspkr serio_raw i2c_piix4 ata_piix ata_generic \
    >/etc/modprobe.d/raidtui-lab.conf
sed -i 's/^MODULES=.*/MODULES=list/; s/^COMPRESS=.*/COMPRESS=lz4/' /etc/initramfs-tools/initramfs.conf

cat >/etc/systemd/system/raidtui-lab.service <<END
[Unit]
Description=Commands for the host
After=local-fs.target systemd-udev-trigger.service zfs.target
[Service]
ExecStartPre=mkdir -p /run/lab
ExecStartPre=mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose first /run/lab
ExecStart=sh /run/lab/start
StandardOutput=journal+console
KillMode=process
OOMScoreAdjust=-900
[Install]
WantedBy=multi-user.target
END
systemctl enable -q raidtui-lab.service
# Nothing that waits for a network, looks for news, starts by the clock, asks for a name and a password, or sets up
# what no disk needs.
mkdir -p /etc/systemd/system-generators
for unit in getty.target getty-static.service serial-getty@ttyS0.service systemd-timesyncd.service \
    systemd-networkd.service systemd-binfmt.service systemd-pstore.service e2scrub_reap.service \
    nvmf-autoconnect.service nvmefc-boot-connections.service smartmontools.service remote-fs.target \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer systemd-sysusers.service uuidd.socket \
    modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service modprobe@configfs.service \
    sys-fs-fuse-connections.mount sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
    dev-hugepages.mount dev-mqueue.mount; do
    ln -sf /dev/null "/etc/systemd/system/$unit"
done
for part in bless-boot debug getty gpt-auto hibernate-resume integritysetup rc-local run ssh system-update sysv tpm2 \
    veritysetup; do
    ln -sf /dev/null "/etc/systemd/system-generators/systemd-$part-generator"
done

# The module from the source that zfs-dkms carries, without dkms: twice as quick, and without debug symbols.
cd /root
dpkg-deb --fsys-tarfile zfs-dkms_*.deb | tar --extract
cd usr/src/zfs-*
export KCFLAGS=-g0
rm -f "/lib/modules/$version/build/vmlinux" # or BTF is made, of the debug symbols that are left out
./configure --prefix=/usr --with-config=kernel \
    --with-linux="$(readlink -f "/lib/modules/$version/source")" \
    --with-linux-obj="$(readlink -f "/lib/modules/$version/build")"
make --silent "-j$(($(nproc) + 1))"
mkdir -p "/lib/modules/$version/extra"
find module -name '*.ko' -exec cp '{}' "/lib/modules/$version/extra/" ';'
cd /

# zfs-zed puts spares in and depends on a package with the module, which this stands for.
mkdir -p /root/modules/DEBIAN
printf '%s\n' 'Package: zfs-modules-lab' 'Version: 1' 'Architecture: all' 'Provides: zfs-modules' \
    'Maintainer: raidtui <root@lab>' 'Description: the ZFS module of this image' >/root/modules/DEBIAN/control
dpkg-deb --build /root/modules /root/zfs-modules-lab.deb
dpkg --install /root/zfs-modules-lab.deb /root/zfs-zed_*.deb
rm -rf /root/usr /root/modules /root/*.deb

# The kernel as it lies in memory. QEMU starts it as it is; to unpack it takes an emulated processor six seconds.
# Where it begins and how long it is says its header (the boot protocol's setup_sects, payload_offset, payload_length).
number() { od -An -t "u$2" -j "$1" -N "$2" "/boot/vmlinuz-$version" | tr -d ' '; }
begin=$((($(number 497 1) + 1) * 512 + $(number 584 4)))
packed() { tail -c "+$((begin + 1))" "/boot/vmlinuz-$version" | head -c "$(($(number 588 4) - 4))"; } # then its size
case $(packed | od -An -t x1 -N 4 | tr -d ' ') in
    fd377a58) packed | xz -d ;;
    28b52ffd) packed | zstd -d ;;
    *) packed | gzip -d ;;
esac >/vmlinux

apt-get --quiet --yes purge --autoremove linux-headers-amd64 gcc make libc6-dev xz-utils zstd
depmod "$version"
update-initramfs -u
rm -f /root/image.sh /initrd.img.old /vmlinuz.old
