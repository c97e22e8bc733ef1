# Makes the system that QEMU guests run: sh recipe.sh RELEASE FOLDER
# FOLDER gets root.img (ext4), boot with the initramfs, and vmlinux, the kernel. Lines that begin with "step: " say how far it is.
# raidtui.lab.qemu.image runs it, and keeps what it makes under the hash of these files.
# Needs mmdebstrap and mke2fs; who is not root needs uidmap and fakeroot besides.
set -eu
release=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

packages=linux-image-amd64,systemd-sysv,udev,kmod,initramfs-tools,lz4,procps,fdisk,e2fsprogs,python3
packages=$packages,mdadm,lvm2,xfsprogs,btrfs-progs,fio,bonnie++,smartmontools,nvme-cli,cryptsetup-bin
packages=$packages,zfsutils-linux
# For the ZFS module and to unpack the kernel, and gone again after that.
packages=$packages,linux-headers-amd64,gcc,make,libc6-dev,xz-utils,zstd

echo 'step: fetching and unpacking Debian packages'
mmdebstrap --variant=minbase --components=main,contrib --include="$packages" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --customize-hook="upload '$here/image.sh' /root/image.sh" \
    --customize-hook='echo "step: building the ZFS module"' \
    --customize-hook='cd "$1/root" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get --quiet download zfs-dkms zfs-zed' \
    --customize-hook='chroot "$1" sh -eu /root/image.sh' \
    --customize-hook="download /vmlinux '$folder/vmlinux'" --customize-hook='rm "$1/vmlinux"' \
    --customize-hook="sync-out /boot '$folder/boot'" \
    "$release" "$folder/root.tar"

echo 'step: writing the image'
as_root=
[ "$(id -u)" -eq 0 ] || as_root=fakeroot
$as_root sh -eu -c '
    mkdir "$1/tree"
    tar --extract --numeric-owner --file "$1/root.tar" --directory "$1/tree"
    rm "$1/root.tar"
    mke2fs -q -t ext4 -E lazy_itable_init=1,lazy_journal_init=1 -L lab-root -d "$1/tree" "$1/root.img" 6G
' sh "$folder"
rm -rf "$folder/tree"
