# --disks 2x64MiB
# 'mdadm --detail --scan >>mdadm.conf' was run twice: mdadm cannot decide which line to use.
conf=/etc/mdadm/mdadm.conf; cp $conf /run/conf
$create /dev/md/tank --level=1 --bitmap=internal --raid-devices=2 /dev/ubda /dev/ubdb; idle
mkfs.ext4 -qF /dev/md/tank
line="ARRAY /dev/md/tank metadata=1.2 UUID=$(mdadm --detail --export /dev/md/tank | sed -n 's/MD_UUID=//p')"
echo "$line" >>$conf; echo "$line name=lab:tank" >>$conf
state public-named-by-two-lines
stop_all
state public-named-by-two-lines-stopped
# A line that was there before the array was created again, beside the new one.
cp /run/conf $conf; echo "$line" >>$conf
mdadm -q --assemble /dev/md/tank /dev/ubda /dev/ubdb; udevadm settle
echo "ARRAY /dev/md/tank metadata=1.2 UUID=11111111:22222222:33333333:44444444" >>$conf
state public-line-of-an-old-uuid-beside-its-own
# It was grown after its line was written.
cp /run/conf $conf; echo "$line level=raid1 num-devices=1" >>$conf
state public-line-of-fewer-members
# The disks were called otherwise.
cp /run/conf $conf; echo "$line" >>$conf; echo "DEVICE /dev/sd*" >>$conf
state public-device-line-of-other-disks
stop_all
state public-device-line-of-other-disks-stopped
cp /run/conf $conf; echo "${line/\/dev\/md\/tank/<ignore>}" >>$conf
state public-ignored-by-its-line-stopped
