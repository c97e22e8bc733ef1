"""Persistence as Fedora and openSUSE do it, on a real kernel: their files, and dracut and restorecon that write down their words.

Neither distribution runs here. The tree of each is made from its documentation: where os-release, mdadm.conf and the
images are, what dracut takes and lsinitrd prints.
"""

from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import raidtui, serials, spec_text

# Debian's own programs go first: raidtui must not find them. The kernel of the guest has no SELinux, so a folder
# stands for what it shows.
TREE = r"""
set -e
release=$(uname -r)
rm -rf /etc/mdadm /etc/os-release /etc/debian_version
rm -f /usr/bin/unmkinitramfs /usr/bin/lsinitramfs /usr/sbin/update-initramfs
printf '%s\n' "$OS_RELEASE" >/usr/lib/os-release
ln -s ../usr/lib/os-release /etc/os-release
mkdir -p "/lib/modules/$release" /boot /etc/dracut.conf.d
image=$(echo "$IMAGE" | sed "s/RELEASE/$release/")
echo 'the image of the installer' >"$image"

cat >/usr/bin/dracut <<EOF
#!/bin/sh
echo "dracut \$*" >>/root/log
[ ! -e /root/dracut-fails ] || { echo "dracut: no space left" >&2; exit 1; }
[ "\$*" = "--force --kver $release" ] || exit 2
echo 'made by dracut' >"$image"
. /etc/dracut.conf.d/90-mdadmconf.conf
[ "\$mdadmconf" != yes ] || [ ! -e /etc/mdadm.conf ] || cat /etc/mdadm.conf >>"$image"
EOF
cat >/usr/bin/lsinitrd <<EOF
#!/bin/sh
if [ "\$1" = -f ]; then
    [ "\$2 \$3" = "etc/mdadm.conf $image" ] && sed 1d "$image"
else
    [ -e "\$1" ] || exit 1
    echo "Image: \$1: 33M"
fi
EOF
printf '#!/bin/sh\necho "restorecon $*" >>/root/log\n' >/usr/sbin/restorecon
chmod 755 /usr/bin/dracut /usr/bin/lsinitrd /usr/sbin/restorecon
if [ -n "$SELINUX" ]; then
    mount -t tmpfs tmpfs /sys/fs
    mkdir /sys/fs/selinux
    echo "$SELINUX" >/sys/fs/selinux/enforce
fi
"""
FEDORA = {
    "OS_RELEASE": 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=42',
    "IMAGE": "/boot/initramfs-RELEASE.img",
    "SELINUX": "1",
}
SUSE = {
    "OS_RELEASE": 'NAME="openSUSE Leap"\nID="opensuse-leap"\nID_LIKE="suse opensuse"',
    "IMAGE": "/boot/initrd-RELEASE",
    "SELINUX": "",
}
DISKS = serials(2)


def elsewhere(own_guest: Callable[[str], Guest], tree: dict[str, str]) -> Guest:
    """A guest that looks like another distribution."""
    guest = own_guest("2x160MiB")
    values = "".join(f"{name}='{value}'\n" for name, value in tree.items())
    guest.shell(values + TREE)
    return guest


def log(guest: Guest) -> list[str]:
    """What dracut and restorecon were called with since the last time."""
    return guest.shell("cat /root/log; : >/root/log", check=False).stdout.splitlines()


@pytest.mark.first(0)
@pytest.mark.parametrize("tree", [FEDORA, SUSE], ids=["Fedora", "openSUSE"])
def test_an_array_is_written_down_labeled_and_forgotten(
    own_guest: Callable[[str], Guest], tree: dict[str, str]
) -> None:
    guest = elsewhere(own_guest, tree)
    release = guest.shell("uname -r").stdout.strip()
    image = tree["IMAGE"].replace("RELEASE", release)
    rebuilt = f"dracut --force --kver {release}"

    built = raidtui(
        guest, "apply", "-", "--erase", ",".join(DISKS), "--json", stdin=spec_text("raid1", DISKS)
    )
    assert built.code == 0, built.stderr
    uuid = guest.shell("mdadm --detail --export /dev/md/tank | sed -n s/^MD_UUID=//p").stdout.strip()
    line = f"ARRAY /dev/md/tank metadata=1.2 UUID={uuid}"
    assert line in guest.shell("cat /etc/mdadm.conf").stdout.splitlines()
    assert guest.shell("ls /etc/mdadm", check=False).returncode != 0
    assert guest.shell("cat /etc/dracut.conf.d/90-mdadmconf.conf").stdout == 'mdadmconf="yes"\n'
    assert line in guest.shell(f"cat {image}").stdout.splitlines()
    assert " /srv/tank ext4 " in guest.shell("cat /etc/fstab").stdout
    assert log(guest) == [rebuilt, *(["restorecon /srv/tank"] if tree["SELINUX"] else [])]

    removed = raidtui(guest, "teardown", "tank", "--erase", ",".join(DISKS), "--json")
    assert removed.code == 0, removed.stderr
    assert "tank" not in guest.shell(f"cat /etc/mdadm.conf /etc/fstab {image}").stdout
    assert guest.shell(f"head -n 1 {image}").stdout == "made by dracut\n"
    assert log(guest) == [rebuilt]


@pytest.mark.first(0)
def test_a_dracut_that_fails_fails_the_step_and_a_rollback_forgets_the_array(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = elsewhere(own_guest, FEDORA)
    guest.shell("touch /root/dracut-fails")
    built = raidtui(
        guest, "apply", "-", "--erase", ",".join(DISKS), "--json", stdin=spec_text("raid1", DISKS)
    )
    assert built.code == 4
    assert "dracut: no space left" in built.stderr
    guest.shell("rm /root/dracut-fails")
    job = guest.shell("ls /var/lib/raidtui/jobs").stdout.strip()
    back = raidtui(guest, "rollback", job)
    assert back.code == 0, back.stderr
    assert "tank" not in guest.shell("cat /etc/mdadm.conf /etc/fstab /proc/mdstat").stdout
    release = guest.shell("uname -r").stdout.strip()
    assert "ARRAY" not in guest.shell(f"cat /boot/initramfs-{release}.img").stdout
