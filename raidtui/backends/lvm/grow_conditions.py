"""Conditions on a volume that grows: what it is then, and that no disk holds parts of two of its images."""

from typing import Final

from raidtui.backends.lvm.conditions import OfLvm
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.report import Reading
from raidtui.model.answer import Answer, either, no
from raidtui.model.plan import Check


class VolumeIs(OfLvm):
    """The only volume of the group is active, with the expected type, images and bytes; no disk has two of its images.

    Images are counted for types with redundancy only.
    """

    kind = "lvm-volume-is"
    says = "the volume of the group {subject} is active, by type, images and bytes: {expect}; no disk has two images"
    source = r"""
lvm_volume_is() {
    [ "$(of_volumes "$1" lv_size,lv_active | sort -u)" = "$4 active" ] || return 1
    [ "$(of_volumes "$1" segtype | sort -u)" = "$2" ] || return 1
    case $2 in raid[1-9]*) ;; *) return 0 ;; esac
    [ "$(of_volumes "$1" stripes | sort -u)" = "$3" ] || return 1
    images=$(asked lvm lvs --all --noheadings --separator ' ' --options lv_name,devices --select "vg_uuid=\"$1\"") || return 1
    printf '%s\n' "$images" | awk '
        { gsub(/[][]/, "", $1) }
        $1 ~ /_r(image|meta)_[0-9]+$/ {
            image = $1; sub(/.*_/, "", image); disk = $2; sub(/\([0-9]+\)$/, "", disk)
            if ((disk in on) && on[disk] != image) twice = 1
            on[disk] = image; found = 1
        }
        END { exit twice || !found }'
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading) -> Answer:
        group = known.group(check.subject)
        volumes = known.of(group) if group is not None else ()
        if group is None or len(volumes) != 1:
            return no(f"the volume group {check.subject} does not have one volume alone")
        (volume,) = volumes
        level, images, size = check.expect.split()
        legs = known.legs(volume)
        disks = [path for leg in legs for path in leg]
        redundant = level in LEVELS and LEVELS[level].redundant
        apart = len(disks) == len(set(disks)) and "" not in disks
        text = (
            f"{group.name}/{volume.name} is {volume.type} of {len(legs)} with {volume.size_bytes:,} bytes, "
            f"{'active' if volume.active else 'not active'}{'' if apart else ', two images on one disk'}"
        )
        holds = volume.active and (volume.type, str(volume.size_bytes)) == (level, size)
        return either(holds=holds and (not redundant or (apart and str(len(legs)) == images)), text=text)


VOLUME_IS: Final = VolumeIs()
