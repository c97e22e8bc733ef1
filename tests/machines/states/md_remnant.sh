# --disks 2x160MiB
# The disks of a mirror were partitioned, each for something else, and its superblocks at their ends were left.
mdadm --create /dev/md/old --run --quiet --homehost=lab --metadata=1.0 --level=1 --raid-devices=2 /dev/ubda /dev/ubdb; idle; stop_all
for one in a b; do printf 'label: dos\n2048,\n' | sfdisk -q --force --wipe never --wipe-partitions never /dev/ubd$one; done; stop_all
mdadm -q --assemble --scan --config=partitions; udevadm settle
state md-members-partitioned-each-for-itself
