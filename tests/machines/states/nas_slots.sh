# --disks 4x160MiB
for d in a b c; do printf 'label: gpt\nsize=8MiB\nsize=20MiB,type=R\nsize=20MiB,type=R\ntype=R\n' | sfdisk -q /dev/ubd$d; done; udevadm settle
empty=$(printf 'missing %.0s' {1..21})
nas="mdadm --create --run --quiet --homehost=TNAS --metadata=1.2"
$nas /dev/md9 --name=TNAS:system --level=1 --raid-devices=24 /dev/ubd[abc]2 $empty
$nas /dev/md8 --name=TNAS:swap --level=1 --raid-devices=24 /dev/ubd[abc]3 $empty
$nas /dev/md0 --name=TNAS:data --level=5 --raid-devices=3 /dev/ubd[abc]4; idle
mkfs.ext4 -qF /dev/md9; mkswap /dev/md8 >/dev/null; mkfs.ext4 -qF /dev/md0; stop_all
state nas-with-slots-stopped
mdadm --assemble --scan --quiet; udevadm settle
state nas-with-slots-auto-read-only
stop_all; gone ubdc; blockdev --rereadpt /dev/ubdc; udevadm settle; mdadm --assemble --scan --quiet; udevadm settle
state nas-with-slots-one-gone
data=$(readlink -f /dev/md/TNAS:data); mkdir -p /srv/data; mount $data /srv/data
state nas-with-slots-in-use
