# --disks 3x160MiB
# Disks of another computer, with two arrays on them. Its name has letters that no command needs; so has that of an array.
for disk in ubda ubdb; do printf '%s\n' 'label: gpt' 'size=60MiB, type=R' 'size=60MiB, type=R' | sfdisk -q /dev/$disk; done; udevadm settle
make="mdadm --create --run --quiet --assume-clean --homehost=größe --metadata=1.2 --bitmap=none --level=1 --raid-devices=2"
$make /dev/md/fotos /dev/ubda1 /dev/ubdb1; $make /dev/md/texte --name="Alte Texte" /dev/ubda2 /dev/ubdb2
mkfs.ext4 -qF /dev/md/fotos; mkfs.ext4 -qF /dev/md/texte; stop_all
state oldpc-two-arrays
