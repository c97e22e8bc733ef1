# --disks 3x160MiB
# Linux 6.19 or later created it: it stores the sector size, and this kernel takes such a superblock for damaged.
$create /dev/md/tank --level=5 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; idle; stop_all
python3 - <<'PYTHON'
import struct
for name in "abc":
    with open(f"/dev/ubd{name}", "r+b") as disk:
        disk.seek(4096)
        raw = bytearray(disk.read(4096))
        struct.pack_into("<I", raw, 224, 512)
        size = 256 + 2 * struct.unpack_from("<I", raw, 220)[0]
        struct.pack_into("<I", raw, 216, 0)
        total = sum(struct.unpack_from(f"<{size // 4}I", raw)) + sum(struct.unpack_from("<H", raw, size - 2)[:size % 4 // 2])
        struct.pack_into("<I", raw, 216, (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF)
        disk.seek(4096)
        disk.write(raw)
PYTHON
for one in a b c; do mdadm --incremental /dev/ubd$one; done; udevadm settle
state md-newer-kernel
