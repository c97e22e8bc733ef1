# --disks 4x256MiB
lock() { printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/$1 -; }
unlock() { printf secret | cryptsetup open /dev/$1 $2 -; udevadm settle; }
for disk in ubda ubdb ubdc; do lock $disk; unlock $disk c$disk; done
$create /dev/md/tank -l5 -n3 --bitmap=internal /dev/mapper/cubda /dev/mapper/cubdb /dev/mapper/cubdc; idle; mkfs.ext4 -qF /dev/md127
mdadm -q /dev/md127 --fail /dev/mapper/cubdb
state md-on-luks-failed
mdadm -q /dev/md127 --remove failed; cryptsetup close cubdb
state md-on-luks-running-one-locked
