# --disks 4x160MiB
# A mirror was started and written to with one disk, then with the other; now that one runs and the first is here again.
for disk in ubda ubdb; do printf 'label: gpt\nsize=120MiB, type=R\n' | sfdisk -q /dev/$disk; done; udevadm settle
$create --assume-clean /dev/md/tank -l1 -n2 /dev/ubda1 /dev/ubdb1; mkfs.ext4 -qF /dev/md/tank
for half in ubda1 ubdb1; do
  stop_all; mdadm --assemble --run -q /dev/md/tank /dev/$half
  mount /dev/md/tank /mnt; echo $half > /mnt/$half; umount /mnt
done
mount /dev/md/tank /mnt
state md-used-apart-one-runs
dd if=/dev/urandom of=/dev/ubdc bs=1M count=8 status=none; mkfs.ext4 -qF /dev/ubdc; mkfs.ext4 -qF /dev/ubdd
state md-used-apart-one-runs-no-disk-free
umount /mnt; stop_all
# The same with three disks: two of them run, and could take the third one at once.
gone ubda ubdb ubdc
$create --assume-clean /dev/md/tank -l1 -n3 /dev/ubda /dev/ubdb /dev/ubdc; mkfs.ext4 -qF /dev/md/tank
stop_all; mdadm --assemble --run -q /dev/md/tank /dev/ubdc; mount /dev/md/tank /mnt; echo alone > /mnt/alone; umount /mnt
stop_all; mdadm --assemble --run -q /dev/md/tank /dev/ubda /dev/ubdb; mount /dev/md/tank /mnt; echo both > /mnt/both
state md-used-apart-two-run
