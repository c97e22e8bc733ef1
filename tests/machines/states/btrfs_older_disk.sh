# --disks 4x256MiB
# Data without copies: one of the disks has what was on it before the others were written, as after a loose cable, or a restored image.
mkdir -p /srv/tank /run/keep
for profile in raid1 single; do
mkfs.btrfs -q -f -L wide -d single -m $profile /dev/ubda /dev/ubdb /dev/ubdc; btrfs device scan; mount /dev/ubda /srv/tank; dd if=/dev/urandom of=/srv/tank/a bs=1M count=20 status=none; umount /srv/tank
dd if=/dev/ubdc of=/run/keep/c bs=1M status=none
mount /dev/ubda /srv/tank; for n in 1 2 3 4 5 6 7; do dd if=/dev/urandom of=/srv/tank/f$n bs=1M count=20 status=none; sync; done; umount /srv/tank
dd if=/run/keep/c of=/dev/ubdc bs=1M status=none; udevadm settle; btrfs device scan --forget; btrfs device scan
[ $profile = raid1 ] && state public-btrfs-older-disk-of-single-data || state public-btrfs-older-disk-of-single-metadata
[ -z "$TRY" ] || { raidtui recover wide; echo rc $?; mount /dev/ubda /srv/tank; echo mounted $?; ls /srv/tank; cat /srv/tank/* | wc; umount /srv/tank; dmesg | tail -5; }
gone ubda ubdb ubdc; btrfs device scan --forget; done
