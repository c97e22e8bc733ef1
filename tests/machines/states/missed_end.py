"""Give members the superblock of before the end of a reshape that moved their data: ``missed_end.py SECTORS DEVICE …``.

Their data stays where it is, so these are members that a power cut has left so. SECTORS: by how much it was moved.
"""

import struct
import sys

RESHAPE, NEW_OFFSET = 4, 64


def main(moved: int, *devices: str) -> None:
    for device in devices:
        with open(device, "r+b", buffering=0) as file:
            file.seek(4096)
            raw = bytearray(file.read(4096))
            features, events = struct.unpack_from("<I", raw, 8)[0], struct.unpack_from("<Q", raw, 200)[0]
            begin, room, disks = *struct.unpack_from("<QQ", raw, 128), struct.unpack_from("<I", raw, 92)[0]
            level, layout, size, chunk = struct.unpack_from("<iiQI", raw, 72)
            struct.pack_into("<I", raw, 8, features | RESHAPE | NEW_OFFSET)
            struct.pack_into("<iQiiIi", raw, 100, level, size * (disks - 1), 1, layout, chunk, -moved)
            struct.pack_into("<QQ", raw, 128, begin + moved, room - moved)
            struct.pack_into("<Q", raw, 200, events - 1)
            struct.pack_into("<I", raw, 216, 0)
            length = 256 + 2 * struct.unpack_from("<I", raw, 220)[0]
            total = sum(struct.unpack_from(f"<{length // 4}I", raw))
            total += struct.unpack_from("<H", raw, length - 2)[0] if length % 4 else 0
            struct.pack_into("<I", raw, 216, (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF)
            file.seek(4096)
            file.write(raw)


main(int(sys.argv[1]), *sys.argv[2:])
