"""Conditions on md arrays: running, gone, in the initramfs."""

import os
import tempfile
from pathlib import Path
from typing import Final

from raidtui.machine.arrays import read_arrays
from raidtui.machine.ask import ask
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Answer, Condition, Held, no, yes

_DEAD_STATES: Final = frozenset({"", "clear", "inactive", "broken"})
_IMAGES: Final = ("/boot/initrd.img-{release}", "/boot/initramfs-{release}.img", "/boot/initrd-{release}")
_UNPACK_SECONDS: Final = 300.0


class ArrayRuns(Condition):
    """The array with this UUID runs with the expected level and number of members: ``raid5 4``."""

    kind = "array-runs"
    says = "the array {subject} runs as {first} with {rest} members"
    shell = "array_runs"
    source = r"""
array_runs() {
    for md in /sys/block/md*/md; do
        [ "$(cat "$md/uuid" 2>/dev/null)" = "$1" ] || continue
        disks=$(cut -d ' ' -f 1 "$md/raid_disks" 2>/dev/null) || return 1
        case $(cat "$md/array_state" 2>/dev/null) in '' | clear | inactive | broken) return 1 ;; esac
        [ "$(cat "$md/level") $disks" = "$2 $3" ]
        return
    done
    return 1
}"""
    runs_unit = True

    def ask(self, check: Check, held: Held) -> Answer:
        for array in read_arrays():
            if same_uuid(array.uuid, check.subject):
                alive = sum("faulty" not in member.state for member in array.members)
                text = (
                    f"{array.node} is {array.level or 'an array'} of {array.raid_disks}, "
                    f"{array.state or 'not running'}, with {alive} working members"
                )
                runs = array.state not in _DEAD_STATES and alive >= array.raid_disks
                return Answer(holds=runs and f"{array.level} {array.raid_disks}" == check.expect, text=text)
        return no(f"no array with the UUID {check.subject} is assembled")


class ArrayGone(Condition):
    """No array with this UUID is assembled, not even partly."""

    kind = "array-gone"
    says = "no array {subject} is assembled"
    shell = "array_gone"
    source = r"""
array_gone() {
    for md in /sys/block/md*; do
        [ -e "$md/md" ] || continue
        case $(cat "$md/md/array_state") in clear) continue ;; esac # a name without an array
        details=$(asked mdadm --detail --export "/dev/${md##*/}" | tr -d :)
        case $newline$details in *"${newline}MD_UUID="?*) ;; *) return 1 ;; esac # unknown: it may be this one
        lacks "$details" "MD_UUID=$(printf %s "$1" | tr -d -)" || return 1
    done
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        for array in read_arrays():
            if same_uuid(array.uuid, check.subject):
                return no(f"{array.node} is still there, {array.state or 'not running'}")
        return yes(f"no array with the UUID {check.subject} is assembled")


class InitramfsHas(Condition):
    """The mdadm.conf inside the initramfs of a kernel release has the expected line."""

    kind = "initramfs-has"
    says = "the initramfs of {subject} has the line '{expect}'"
    shell = "initramfs_has"
    source = r"""
# Does the mdadm.conf in the initramfs of the kernel $1 have the line $2? 2 where that cannot be found out.
initramfs_has() {
    if command -v unmkinitramfs >/dev/null; then
        unpacked=$(mktemp -d)
        found=1
        asked unmkinitramfs "/boot/initrd.img-$1" "$unpacked" || found=2
        [ -n "$(find "$unpacked" -type f)" ] || found=2
        [ "$found" -eq 2 ] || ! grep -rqsxF --include=mdadm.conf -e "$2" "$unpacked" || found=0
        rm -rf "$unpacked"
        return "$found"
    fi
    case $(asked lsinitrd "/boot/initramfs-$1.img") in *Image:*"$1"*) ;; *) return 2 ;; esac
    unpacked=$(asked lsinitrd -f etc/mdadm.conf "/boot/initramfs-$1.img") || return 2
    ! lacks "$unpacked" "$2" || return 1
    printf '%s\n' "$unpacked" | grep -qxF -e "$2" || return 2
}"""
    splits = False
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        return _initramfs(check, wanted=True)


class InitramfsLacks(Condition):
    """The mdadm.conf inside the initramfs of a kernel release does not have the expected line."""

    kind = "initramfs-lacks"
    says = "the initramfs of {subject} does not have the line '{expect}'"
    shell = "initramfs_lacks"
    source = r"""
initramfs_lacks() {
    found=0
    initramfs_has "$1" "$2" || found=$?
    [ "$found" -eq 1 ]
}"""
    splits = False
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        return _initramfs(check, wanted=False)


ARRAY_RUNS: Final = ArrayRuns()
ARRAY_GONE: Final = ArrayGone()
INITRAMFS_HAS: Final = InitramfsHas()
INITRAMFS_LACKS: Final = InitramfsLacks()

CONDITIONS: Final = (ARRAY_RUNS, ARRAY_GONE, INITRAMFS_HAS, INITRAMFS_LACKS)
"""md's own conditions."""


def _initramfs(check: Check, *, wanted: bool) -> Answer:
    release = check.subject
    image = next((path for one in _IMAGES if os.path.exists(path := one.format(release=release))), None)
    if image is None:
        return no(f"the kernel {release} has no initramfs in /boot")
    lines = _configuration_inside(image)
    if lines is None:
        return no(f"{image} cannot be unpacked, so its mdadm.conf is not known")
    there = check.expect.strip() in lines
    text = f"the mdadm.conf inside {image} {'has' if there else 'does not have'} the line {check.expect!r}"
    return Answer(holds=there is wanted, text=text)


def _configuration_inside(image: str) -> set[str] | None:
    """The lines of the mdadm.conf inside an initramfs; ``None`` if the image cannot be unpacked."""
    if not os.access("/usr/bin/unmkinitramfs", os.X_OK):
        # Of a file that is not in the image it prints nothing: then it must at least list the image.
        if "Image:" not in ask(["lsinitrd", image], _UNPACK_SECONDS).stdout:
            return None
        listed = ask(["lsinitrd", "-f", "etc/mdadm.conf", image], _UNPACK_SECONDS)
        return {line.strip() for line in listed.stdout.splitlines()} if listed.returncode == 0 else None
    # lsinitramfs lists names only; to read the file, unpack the image.
    with tempfile.TemporaryDirectory(prefix="raidtui-initramfs-") as folder:
        if ask(["unmkinitramfs", image, folder], _UNPACK_SECONDS).returncode != 0:
            return None
        inside = Path(folder)
        if not any(file.is_file() for file in inside.rglob("*")):
            return None
        files = [*inside.glob("**/etc/mdadm/mdadm.conf"), *inside.glob("**/etc/mdadm.conf")]
        return {line.strip() for file in files for line in file.read_text(errors="replace").splitlines()}
