"""Conditions on a Btrfs that grows: its profile, what fits into it, and the size of one device."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.btrfs.conditions import idle
from raidtui.backends.btrfs.reading import read_now
from raidtui.backends.btrfs.signs import FOLDER
from raidtui.machine.mounts import read_mounts
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.plan import Check
from raidtui.model.units import GIB, MIB
from raidtui.steps.condition import Condition, Held

_SLACK: Final = 16 * MIB


class ProfileIs(Condition):
    """All data chunks of the mounted filesystem have the first profile, all metadata chunks the second; nothing runs."""

    kind = "btrfs-profile"
    says = "the Btrfs filesystem {subject} has data {first} and metadata {rest}"
    source = r"""
is_btrfs_profile() {
    is_btrfs_state "$1" complete || return 1
    for kind in "data $2" "metadata $3" "system $3"; do
        count=0
        for profile in "/sys/fs/btrfs/$1/allocation/${kind% *}"/*/total_bytes; do
            [ -e "$profile" ] || return 1
            case $profile in */"${kind#* }"/total_bytes) count=$((count + 1)) ;; *) return 1 ;; esac
        done
        [ "$count" -eq 1 ] || return 1
    done
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        found, answer = idle(check.subject)
        if found is None:
            return answer
        data, metadata = check.expect.split()
        text = f"data {'+'.join(found.data)}, metadata {'+'.join(found.metadata)}, system {'+'.join(found.system)}"
        return either(
            holds=(found.data, found.metadata, found.system) == ((data,), (metadata,), (metadata,)),
            text=text,
        )


class Fits(Condition):
    """The chunks that it has, and those that its devices still have room for, hold at least that much: ``UUID COPIES BYTES``.

    Metadata counts too: it is in the way of the data only where it is. df(1) does not show this: of three equal devices
    with raid1 it counts the free space of two, so it says a third less than fits. A chunk's copies are on different
    devices: what one of them has in excess is not usable. Two chunks less are tolerated, on small ones a tenth.
    """

    kind = "btrfs-fits"
    says = "chunks fit into the Btrfs filesystem {first} at {subject}: {rest}, by copies and bytes"
    source = r"""
btrfs_fits() {
    is_btrfs_state "$2" complete || return 1
    folder=/sys/fs/btrfs/$2/allocation
    used=$(cat "$folder/data/disk_total") && metadata=$(cat "$folder/metadata/disk_total") || return 1
    case $used/$metadata in /* | */ | *[!0-9/]*) return 1 ;; esac
    room=$(asked btrfs filesystem show --raw "$1" | awk -v copies="$3" '
        $1 == "devid" && $3 == "size" && $5 == "used" {
            free = $4 - $6; sum += free; count++
            for (i = 1; i < copies; i++) if (free > most[i]) { kept = most[i]; most[i] = free; free = kept }
        }
        END {
            if (count < copies) exit 1
            least = sum / copies
            for (i = 1; i < copies; i++) { sum -= most[i]; if (sum / (copies - i) < least) least = sum / (copies - i) }
            printf "%.0f\n", least
        }') || return 1
    case $room in '' | *[!0-9]*) return 1 ;; esac
    slack=$(($4 / 10))
    [ "$slack" -le 2147483648 ] || slack=2147483648
    [ $(((used + metadata) / $3 + room + slack)) -ge "$4" ]
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        uuid, copies, wanted = check.expect.split()
        found, answer = idle(uuid)
        if found is None:
            return answer
        folder = f"{FOLDER}/{uuid}/allocation"
        chunks = [HERE.number(f"{folder}/{kind}/disk_total") for kind in ("data", "metadata")]
        known = [one for one in chunks if one is not None]
        if len(known) != len(chunks) or not all(one.size_bytes for one in found.devices):
            return unknown("how large its devices and chunks are is not known")
        room = room_for([one.size_bytes - one.allocated_bytes for one in found.devices], int(copies))
        total, least = sum(known) // int(copies) + room, int(wanted)
        return either(
            holds=total + min(least // 10, 2 * GIB) >= least,
            text=f"{total:,} bytes of chunks fit into it",
        )


def room_for(free: Sequence[int], copies: int) -> int:
    """The bytes of chunks that fit into this free space of each device, if all copies of one are on different devices."""
    ahead = sorted(free, reverse=True)
    if len(ahead) < copies:
        return 0
    return min(sum(ahead[more:]) // (copies - more) for more in range(copies))


class DeviceSize(Condition):
    """The device of the mounted filesystem has at least the expected size, but for a rest: ``UUID DEVID BYTES``."""

    kind = "btrfs-device-size"
    says = "devid {rest} of the Btrfs filesystem {first}, {subject}, by number and bytes"
    source = r"""
btrfs_device_size() {
    size=$(asked btrfs filesystem show --raw "$2" | awk -v devid="$3" '$1 == "devid" && $2 == devid { print $4 }')
    case $size in '' | *[!0-9]*) return 1 ;; esac
    [ $((size + 16777216)) -ge "$4" ]
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        uuid, devid, wanted = check.expect.split()
        found = read_now(read_mounts(HERE)).find(uuid)
        if found is None or not found.node:
            return no(f"the filesystem {uuid} is not mounted")
        size = next((one.size_bytes for one in found.devices if str(one.devid) == devid), 0)
        if not size:
            return unknown(f"the size of devid {devid} is not known")
        return either(holds=size + _SLACK >= int(wanted), text=f"devid {devid} has {size:,} bytes")


PROFILE: Final = ProfileIs()
FITS: Final = Fits()
DEVICE_SIZE: Final = DeviceSize()
