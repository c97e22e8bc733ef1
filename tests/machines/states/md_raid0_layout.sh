# --disks 3x160MiB
# A RAID0 of members of different sizes that Linux before 5.4 made: no superblock says which layout it has.
without_layout() {
    mdadm --zero-superblock --force --quiet /dev/ubda /dev/ubdb /dev/ubdc1
    printf "label: gpt\nsize=$1MiB, type=R\n" | sfdisk -q --wipe always /dev/ubdc; udevadm settle
    $create /dev/md/fast --level=0 --chunk=$2 --raid-devices=3 /dev/ubda /dev/ubdb /dev/ubdc1; mkfs.ext4 -qF /dev/md/fast; stop_all
    python3 - /dev/ubda /dev/ubdb /dev/ubdc1 <<'P'
import struct, sys
for path in sys.argv[1:]:
    with open(path, "r+b", buffering=0) as device:
        device.seek(4096)
        block = bytearray(device.read(4096))
        features, count = struct.unpack_from("<I", block, 8)[0], struct.unpack_from("<I", block, 220)[0]
        struct.pack_into("<I", block, 8, features & ~0x1000)
        struct.pack_into("<I", block, 76, 0)
        struct.pack_into("<I", block, 216, 0)
        total = sum(struct.unpack_from(f"<{64 + count // 2}I", block)) + (struct.unpack_from("<H", block, 254 + 2 * count)[0] if count % 2 else 0)
        struct.pack_into("<I", block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
        device.seek(4096)
        device.write(block)
P
    udevadm settle; stop_all
}
without_layout 80 512 # an even number of chunks on the smallest: both layouts are alike
state md-raid0-without-a-layout-stopped
mdadm --assemble --scan; udevadm settle
state md-raid0-without-a-layout
stop_all; without_layout 80 1024
state md-raid0-without-a-layout-which-differ
