# --disks 4x160MiB
# A disk of a firmware RAID failed; only the metadata on the others says which.
export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
mdadm --create --run --quiet /dev/md/imsm -e imsm -n2 /dev/ubda /dev/ubdb; mdadm --create --run --quiet /dev/md/vol0 -l1 -n2 -z 100M /dev/md/imsm; sleep 1; idle
mdadm -q /dev/md/vol0 --fail /dev/ubdb; sleep 3
state imsm-disk-failed-in-its-container
mdadm -q /dev/md/imsm --remove /dev/ubdb; sleep 1; gone ubdb
state imsm-disk-failed-and-gone
stop_all; for one in a b c; do mdadm --zero-superblock /dev/ubd$one; done; gone ubda ubdb ubdc
mdadm --create --run --quiet /dev/md/imsm -e imsm -n2 /dev/ubda /dev/ubdb; mdadm --create --run --quiet /dev/md/vol0 -l1 -n2 -z 40M /dev/md/imsm
mdadm --create --run --quiet /dev/md/vol1 -l0 -n2 /dev/md/imsm; sleep 1; idle
mdadm -q /dev/md/vol0 --fail /dev/ubdb; sleep 3
state imsm-disk-failed-under-a-stripe-too
stop_all; for one in a b; do mdadm --zero-superblock /dev/ubd$one; done; gone ubda ubdb
mdadm --create --run --quiet /dev/md/imsm -e imsm -n2 /dev/ubda /dev/ubdb
for one in one two; do mdadm --create --run --quiet /dev/md/$one -l1 -n2 -z 30M /dev/md/imsm; sleep 1; idle; done
mdadm -q /dev/md/one --fail /dev/ubdb; sleep 3; mdadm -q /dev/md/imsm --remove /dev/ubdb; sleep 1; gone ubdb
state imsm-disk-of-two-volumes-gone
stop_all; for one in a b; do mdadm --zero-superblock /dev/ubd$one; done; gone ubda ubdb
mdadm --create --run --quiet /dev/md/ddf -e ddf -n3 /dev/ubda /dev/ubdb /dev/ubdc; mdadm --create --run --quiet /dev/md/v0 -l5 -n3 -z 50M /dev/md/ddf; sleep 1; idle
mdadm -q /dev/md/v0 --fail /dev/ubdb; sleep 3
state ddf-disk-failed
